import { canonicalDecimal, compareDecimals, isDecimal } from '../model/decimal.ts';
import type { Problem } from './manifest.ts';
import type { SchemaNode } from './schema.ts';

const MAX_FRACTION = 12;
const MAX_LENGTH = 32;
/** Longer texts are not analysed, because no hint could spell them out. */
const MAX_SPELLED = 200;
/** Larger exponents are not spelled out in a hint. */
const MAX_EXPONENT = 40;

/**
 * Why a text is not an amount of the field's kind, and what to write. Undefined for a valid one (interface, "Amounts, fees,
 * percentages, durations"). `007` is refused although the service may accept it, because some people read it as an octal
 * number.
 */
export function amountProblem(text: string, schema: SchemaNode): Problem | undefined {
  const range = schema['x-decimal'] ?? {};
  if (text === '')
    return range.empty === true ? undefined : { code: 'invalid-decimal', message: 'the amount is empty' };
  if (!isDecimal(text) || /^0[0-9]/.test(text)) return malformed(text);
  const unit = schema['x-unit'] === undefined ? '' : ` ${schema['x-unit']}`;
  const below = range.min !== undefined && compareDecimals(text, range.min) < 0;
  const notAbove = range.above !== undefined && compareDecimals(text, range.above) <= 0;
  const beyond = range.max !== undefined && compareDecimals(text, range.max) > 0;
  if (!below && !notAbove && !beyond) return undefined;
  return { code: 'out-of-range', message: `${text} is out of range: ${rangeText(schema)}${unit}` };
}

/** `greater than 0, at most 1000000`. */
function rangeText(schema: SchemaNode): string {
  const { min, max, above } = schema['x-decimal'] ?? {};
  const low =
    above === undefined ? (min === undefined ? undefined : `at least ${min}`) : `greater than ${above}`;
  const high = max === undefined ? undefined : `at most ${max}`;
  return [low, high].filter((part) => part !== undefined).join(', ');
}

function malformed(text: string): Problem {
  const wrong = (message: string, write?: string): Problem => ({
    code: 'invalid-decimal',
    message,
    hint:
      write === undefined
        ? 'write digits, optionally with a point and 1 to 12 more digits: "0.5"'
        : `write "${write}"`,
  });
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  if (text.length > MAX_SPELLED)
    return wrong(`${text.length} characters; an amount has at most ${MAX_LENGTH}`);
  const trimmed = text.trim();
  if (trimmed !== text)
    return wrong('an amount with spaces around it', isDecimal(trimmed) ? trimmed : undefined);
  if (text.endsWith('%') && isDecimal(text.slice(0, -1)))
    return wrong(`${shown} has a percent sign`, text.slice(0, -1));
  if (text.startsWith('+')) return wrong('an amount with a sign', writable(text.slice(1)));
  if (text.startsWith('-')) return wrong('a negative amount; amounts are 0 or more');
  if (/^0[0-9]+(?:\.[0-9]+)?$/.test(text))
    return wrong(`${shown} has leading zeros`, writable(canonicalDecimal(text)));
  if (/^\.[0-9]+$/.test(text)) return wrong(`${shown} has no digit before the point`, writable(`0${text}`));
  if (/^[0-9]+\.$/.test(text))
    return wrong(`${shown} has no digit after the point`, writable(text.slice(0, -1)));
  if (/^0[xob]/i.test(text)) return wrong(`${shown} is not a decimal number`, writable(wholeNumber(text)));
  if (/^(?:[0-9]+\.?[0-9]*|\.[0-9]+)e[+-]?[0-9]+$/i.test(text))
    return wrong(`${shown} has an exponent`, writable(withoutExponent(text)));
  if (/^\.?(?:nan|inf)$/i.test(text)) return wrong(`${shown} is not an amount`);
  const [, whole, behind] = /^([1-9][0-9]{0,2}),([0-9]{3})$/.exec(text) ?? [];
  // Nobody is told one of two values that are a thousand times apart.
  if (whole !== undefined) return wrong(`${shown} can mean ${whole}.${behind} as well as ${whole}${behind}`);
  if (/^[1-9][0-9]{0,2}(?:[,_ '’][0-9]{3})+(?:\.[0-9]+)?$/.test(text))
    return wrong(`${shown} groups its digits`, writable(text.replace(/[,_ '’]/g, '')));
  if (/^[1-9][0-9]{0,2}(?:[. '’][0-9]{3})+,[0-9]+$/.test(text))
    return wrong(
      `${shown} groups its digits, and has a comma instead of a point`,
      writable(text.replace(/[. '’]/g, '').replace(',', '.')),
    );
  if (/^[0-9]+,[0-9]+$/.test(text))
    return wrong(`${shown} has a comma instead of a point`, writable(text.replace(',', '.')));
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return tooLong(text, shown, wrong);
  return wrong(`${JSON.stringify(shown)} is not an amount`);
}

type Wrong = (message: string, write?: string) => Problem;

function tooLong(text: string, shown: string, wrong: Wrong): Problem {
  const fraction = text.split('.')[1] ?? '';
  const shorter = writable(canonicalDecimal(text.replace(/(\.[0-9]*?)0+$/, '$1').replace(/\.$/, '')));
  if (fraction.length > MAX_FRACTION) {
    return wrong(
      `${shown} has ${fraction.length} digits after the point; at most ${MAX_FRACTION} are allowed`,
      shorter,
    );
  }
  return wrong(`${text.length} characters; an amount has at most ${MAX_LENGTH}`, shorter);
}

function writable(text: string | undefined): string | undefined {
  return text !== undefined && isDecimal(text) && !/^0[0-9]/.test(text) ? text : undefined;
}

function wholeNumber(text: string): string | undefined {
  try {
    return BigInt(text.toLowerCase()).toString();
  } catch {
    return undefined;
  }
}

/** Moves the decimal point by the exponent, on the digits themselves. */
function withoutExponent(text: string): string | undefined {
  const [mantissa = '', exponent = ''] = text.toLowerCase().split('e');
  const shift = Number(exponent);
  if (!Number.isInteger(shift) || Math.abs(shift) > MAX_EXPONENT) return undefined;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const point = whole.length + shift;
  const padded = point <= 0 ? `${'0'.repeat(1 - point)}${digits}` : digits.padEnd(point, '0');
  const at = point <= 0 ? 1 : point;
  const moved = `${padded.slice(0, at)}.${padded.slice(at)}`
    .replace(/\.?0*$/, '')
    .replace(/^0+(?=[0-9])/, '');
  return moved === '' ? '0' : moved;
}
