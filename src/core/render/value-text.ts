import { isObject } from '../model/json.ts';
import { visible } from './untrusted.ts';

/** Texts that are unambiguous without quotes: decimals, addresses, names, enumeration values. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/;
const WORDS = new Set(['true', 'false', 'null']);

export const ABSENT = '(absent)';

/**
 * A value of a plan on one line: null as none, amounts and names without quotes, other text in quotes, hidden characters escaped.
 */
export function valueText(value: unknown): string {
  if (value === undefined) return ABSENT;
  if (value === null) return '(none)';
  if (typeof value === 'string') return PLAIN.test(value) && !WORDS.has(value) ? value : quoted(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (isObject(value)) {
    const { ref } = value;
    // An id that becomes known only during the apply of the plan.
    if (typeof ref === 'string' && Object.keys(value).length === 1) return `${visible(ref)} (to be created)`;
    return `{${Object.entries(value)
      .map(([key, item]) => `${visible(key)}: ${valueText(item)}`)
      .join(', ')}}`;
  }
  return String(value);
}

/** Both sides of a difference. If they would look the same (`1` and `"1"`), both are written as JSON. */
export function pairText(before: unknown, after: unknown): { before: string; after: string } {
  const pair = { before: valueText(before), after: valueText(after) };
  if (pair.before !== pair.after) return pair;
  return { before: jsonValue(before), after: jsonValue(after) };
}

function jsonValue(value: unknown): string {
  return value === undefined ? ABSENT : visible(JSON.stringify(value));
}

export function quoted(text: string): string {
  return `"${visible(text).replaceAll('"', '\\"')}"`;
}
