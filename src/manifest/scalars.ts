import { NAME_PATTERN } from '../model/address.ts';
import type { Json } from '../model/json.ts';
import { addressProblem } from './addresses.ts';
import { codePointName, firstInvisible } from './invisible.ts';
import { mayHoldReference, parseReferences } from './references.ts';
import { OPEN, type SchemaNode } from './schema.ts';
import type { Finding } from './source.ts';
import type { ScalarNode } from './syntax.ts';

/** A finding about one scalar. Without offsets it is about the whole scalar. */
type ScalarFinding = Omit<Finding, 'start' | 'end'> & Partial<Pick<Finding, 'start' | 'end'>>;

interface ConvertedScalar {
  /** With a finding, a stand-in that is valid for the field's type. */
  readonly value: Json;
  readonly finding?: ScalarFinding;
}

/** The only spelling of a whole number that JSON also has. */
const WHOLE = /^(?:0|-?[1-9][0-9]*)$/;

/** A scalar in the type that the schema requires at its place. Plain numbers are read from their source text, never as floats. */
export function convertScalar(node: ScalarNode, schema: SchemaNode, text: string): ConvertedScalar {
  const { value } = node;
  if (typeof value === 'number') return convertNumber(node, value, schema);
  if (typeof value === 'string') return convertText(node, value, schema, text);
  return { value: typeof value === 'boolean' ? value : null };
}

function convertNumber(node: ScalarNode, value: number, schema: SchemaNode): ConvertedScalar {
  const { written } = node;
  if (schema['x-decimal'] !== undefined) return { value: written };
  if (schema['x-scalar'] === true)
    return { value: WHOLE.test(written) && Number.isSafeInteger(value) ? value : written };
  if (schema.type === 'integer') return wholeNumber(written, value);
  if (schema === OPEN) {
    return WHOLE.test(written) && Number.isSafeInteger(value)
      ? { value }
      : { value: 0, finding: unquoted(written) };
  }
  // The field is no number, and the validator reports that. The stand-in avoids floats, NaN and -0, which JSON lacks.
  return { value: Number.isSafeInteger(value) ? value + 0 : 0 };
}

function wholeNumber(written: string, value: number): ConvertedScalar {
  if (WHOLE.test(written) && Number.isSafeInteger(value)) return { value };
  if (!Number.isInteger(value))
    return { value: 0, finding: { code: 'wrong-type', message: `${written} is not a whole number` } };
  if (!Number.isSafeInteger(value)) {
    return {
      value: 0,
      finding: { code: 'out-of-range', message: `${written} is too large for a whole number` },
    };
  }
  return {
    value: 0,
    finding: {
      code: 'wrong-type',
      message: `${written} is not plain digits`,
      hint: `write ${Object.is(value, -0) ? 0 : value}`,
    },
  };
}

function unquoted(written: string): ScalarFinding {
  return {
    code: 'unquoted-number',
    message: `the service does not document the type of this field, so ${written} could lose digits`,
    hint: `for an amount write "${written}" in quotes; otherwise write a whole number`,
  };
}

function convertText(node: ScalarNode, value: string, schema: SchemaNode, text: string): ConvertedScalar {
  if (mayHoldReference(value)) {
    const parsed = parseReferences(value);
    if ('parts' in parsed) return { value };
    const { index, length, ...finding } = parsed;
    return { value: '', finding: { ...finding, ...characterAt(node, value, index, length, text) } };
  }
  if (schema['x-text'] === true) return freeText(node, value.trim(), text);
  if (schema['x-address'] === true && !NAME_PATTERN.test(value)) {
    const problem = addressProblem(value);
    if (problem === undefined) return { value };
    const { message, hint, index } = problem;
    const place = index === undefined ? {} : characterAt(node, value, index, 1, text);
    return { value, finding: { code: 'invalid-address', message, hint, ...place } };
  }
  return { value };
}

function freeText(node: ScalarNode, value: string, text: string): ConvertedScalar {
  const invisible = firstInvisible(value);
  if (invisible === undefined) return { value };
  const { index, character } = invisible;
  const lineBreak = character === '\n' || character === '\r';
  return {
    value: value.replaceAll(character, ''),
    finding: {
      code: 'control-character',
      message: lineBreak
        ? 'a line break in a name or remark'
        : `the invisible character ${codePointName(character)} in a name or remark`,
      hint: lineBreak ? 'write it on one line' : 'remove it, or type the text again',
      ...characterAt(node, value, index, character.length, text),
    },
  };
}

/** The place of one character, if the source contains the text literally (no escapes, no folding). */
function characterAt(
  node: ScalarNode,
  value: string,
  index: number,
  length: number,
  text: string,
): { start?: number; end?: number } {
  const at = value === '' ? -1 : text.slice(node.start, node.end).indexOf(value);
  const start = node.start + at + index;
  return at < 0 ? {} : { start, end: start + length };
}
