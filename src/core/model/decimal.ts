import { compareTexts } from './compare-texts.ts';

const DECIMAL = /^[0-9]+(?:\.[0-9]{1,12})?$/;
const MAX_LENGTH = 32;

/** True for the service's decimal form: digits, optionally a point and 1 to 12 digits, at most 32 characters. */
export function isDecimal(text: string): boolean {
  return text.length <= MAX_LENGTH && DECIMAL.test(text);
}

/**
 * The canonical spelling of an exact decimal value: no leading or trailing zeros (`0.50` → `0.5`, `007` → `7`). Text
 * that is not a decimal, also the empty string, is returned unchanged.
 */
export function canonicalDecimal(text: string): string {
  if (!isDecimal(text)) return text;
  let [start, end] = [0, text.length];
  while (text[start] === '0' && start + 1 < end && text[start + 1] !== '.') start += 1;
  if (text.includes('.')) {
    while (text[end - 1] === '0') end -= 1;
    if (text[end - 1] === '.') end -= 1;
  }
  return text.slice(start, end);
}

/** Exact sum in plain digits; values that are not decimals count as 0. */
export function addDecimals(values: readonly string[]): string {
  return digitsOf(values.reduce((sum, value) => sum + exactUnits(value), 0n));
}

/** The largest value in plain digits; `0` for an empty list. */
export function maxDecimal(values: readonly string[]): string {
  return canonicalDecimal(
    values.filter(isDecimal).reduce((most, value) => (compareDecimals(value, most) > 0 ? value : most), '0'),
  );
}

/** `after` minus `before`, with its sign: `+0.5`, `-0.25`, `0`. Values that are not decimals count as 0. */
export function signedDifference(before: string, after: string): string {
  const difference = exactUnits(after) - exactUnits(before);
  if (difference < 0n) return `-${digitsOf(-difference)}`;
  return `${difference > 0n ? '+' : ''}${digitsOf(difference)}`;
}

/**
 * True if `after` is more than `factor` times `before`, by exact value. False if `before` is 0, which has no multiple.
 * Values that are not decimals count as 0.
 */
export function growsBeyond(before: string, after: string, factor: string): boolean {
  const from = exactUnits(before);
  return from > 0n && exactUnits(after) * UNITS_A_WHOLE > from * exactUnits(factor);
}

/** -1, 0 or 1, by exact value; values that are not decimals count as 0. */
export function compareDecimals(a: string, b: string): -1 | 0 | 1 {
  const [one, other] = [isDecimal(a) ? canonicalDecimal(a) : '0', isDecimal(b) ? canonicalDecimal(b) : '0'];
  const longer = wholeDigits(one) - wholeDigits(other);
  // With as many digits before the point, the order of the texts is that of the values.
  return longer === 0 ? compareTexts(one, other) : longer < 0 ? -1 : 1;
}

function wholeDigits(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? text.length : point;
}

/** The most digits that a decimal has after the point: whole numbers of this unit are exact. */
const PLACES = 12;
const ZEROS = '0'.repeat(PLACES);
const UNITS_A_WHOLE = 10n ** BigInt(PLACES);

/** The exact value in units of the last place; 0 for text that is not a decimal. */
export function exactUnits(text: string): bigint {
  if (!isDecimal(text)) return 0n;
  const point = text.indexOf('.');
  if (point < 0) return BigInt(text + ZEROS);
  return BigInt(text.slice(0, point) + text.slice(point + 1) + ZEROS.slice(text.length - point - 1));
}

/** Plain digits of so many units, without superfluous zeros. */
export function digitsOf(units: bigint): string {
  const digits = units.toString().padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/0+$/, '');
  const whole = digits.slice(0, -PLACES);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
