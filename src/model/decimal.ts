import Big from 'big.js';

const DECIMAL = /^[0-9]+(?:\.[0-9]{1,12})?$/;
const MAX_LENGTH = 32;

/** True for the service's decimal form: digits, optionally a point and 1 to 12 digits, at most 32 characters. */
export function isDecimal(text: string): boolean {
  return text.length <= MAX_LENGTH && DECIMAL.test(text);
}

/**
 * The one spelling of an exact decimal value: no leading or trailing zeros (`0.50` → `0.5`, `007` → `7`).
 * Anything that is not a decimal, the empty string included, comes back as it is.
 */
export function canonicalDecimal(text: string): string {
  if (!isDecimal(text)) return text;
  const [whole = '0', fraction = ''] = text.split('.');
  const integer = whole.replace(/^0+(?=\d)/, '');
  const rest = fraction.replace(/0+$/, '');
  return rest === '' ? integer : `${integer}.${rest}`;
}

/** Exact sum in plain digits; values that are not decimals count as 0. */
export function addDecimals(values: readonly string[]): string {
  return values.reduce((sum, value) => sum.plus(toBig(value)), new Big(0)).toFixed();
}

/** The largest value in plain digits; `0` for none. */
export function maxDecimal(values: readonly string[]): string {
  return values.reduce((most, value) => (toBig(value).gt(most) ? toBig(value) : most), new Big(0)).toFixed();
}

/** `after` less `before`, with its sign: `+0.5`, `-0.25`, `0`; values that are not decimals count as 0. */
export function signedDifference(before: string, after: string): string {
  const difference = toBig(after).minus(toBig(before));
  return `${difference.gt(0) ? '+' : ''}${difference.toFixed()}`;
}

/** -1, 0 or 1, by exact value; values that are not decimals count as 0. */
export function compareDecimals(left: string, right: string): -1 | 0 | 1 {
  return toBig(left).cmp(toBig(right));
}

function toBig(text: string): Big {
  return new Big(isDecimal(text) ? text : '0');
}
