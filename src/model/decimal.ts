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
  const [whole = '0', fraction = ''] = text.split('.');
  const integer = whole.replace(/^0+(?=\d)/, '');
  const rest = fraction.replace(/0+$/, '');
  return rest === '' ? integer : `${integer}.${rest}`;
}

/** Exact sum in plain digits; values that are not decimals count as 0. */
export function addDecimals(values: readonly string[]): string {
  let small = 0;
  let large = 0n;
  for (const value of values) {
    const millionths = millionthsOf(value);
    if (millionths === undefined) large += unitsOf(value);
    else small += millionths;
    if (small > SAFE_SUM) {
      large += BigInt(small) * UNITS_A_MILLIONTH;
      small = 0;
    }
  }
  if (large === 0n) return plainDigits(String(small), SMALL_PLACES);
  return digitsOf(large + BigInt(small) * UNITS_A_MILLIONTH);
}

/** The largest value in plain digits; `0` for an empty list. */
export function maxDecimal(values: readonly string[]): string {
  return canonicalDecimal(
    values.filter(isDecimal).reduce((most, value) => (compareDecimals(value, most) > 0 ? value : most), '0'),
  );
}

/** `after` minus `before`, with its sign: `+0.5`, `-0.25`, `0`. Values that are not decimals count as 0. */
export function signedDifference(before: string, after: string): string {
  const difference = unitsOf(after) - unitsOf(before);
  if (difference < 0n) return `-${digitsOf(-difference)}`;
  return `${difference > 0n ? '+' : ''}${digitsOf(difference)}`;
}

/**
 * True if `after` is more than `factor` times `before`, by exact value. False if `before` is 0, which has no multiple.
 * Values that are not decimals count as 0.
 */
export function growsBeyond(before: string, after: string, factor: string): boolean {
  const from = unitsOf(before);
  return from > 0n && unitsOf(after) * UNITS_A_WHOLE > from * unitsOf(factor);
}

/** -1, 0 or 1, by exact value; values that are not decimals count as 0. */
export function compareDecimals(a: string, b: string): -1 | 0 | 1 {
  const [small, other] = [millionthsOf(a), millionthsOf(b)];
  if (small !== undefined && other !== undefined) return order(small, other);
  return order(unitsOf(a), unitsOf(b));
}

function order<N extends number | bigint>(a: N, b: N): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The most digits that a decimal has after the point: whole numbers of this unit are exact. */
const PLACES = 12;
const ZEROS = '0'.repeat(PLACES);
const UNITS_A_WHOLE = 10n ** BigInt(PLACES);

function unitsOf(text: string): bigint {
  if (!isDecimal(text)) return 0n;
  const point = text.indexOf('.');
  if (point < 0) return BigInt(text + ZEROS);
  return BigInt(text.slice(0, point) + text.slice(point + 1) + ZEROS.slice(text.length - point - 1));
}

function digitsOf(units: bigint): string {
  return plainDigits(units.toString(), PLACES);
}

/** A whole number of units with `places` digits after the point, without superfluous zeros. */
function plainDigits(units: string, places: number): string {
  const digits = units.padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  const whole = digits.slice(0, -places);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Nearly all amounts are whole numbers of millionths far below 2^53, which are counted exactly and many times faster. */
const SMALL_PLACES = 6;
const SMALL_DIGITS = 15;
const SAFE_SUM = Number.MAX_SAFE_INTEGER - 10 ** SMALL_DIGITS;
const UNITS_A_MILLIONTH = 10n ** BigInt(PLACES - SMALL_PLACES);
/** Millionths of a unit in the last place, by the number of places. */
const SCALES = [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];
const [ZERO, NINE, POINT] = [48, 57, 46];

/** Undefined for a decimal with more digits, and for text that is not a decimal. */
function millionthsOf(text: string): number | undefined {
  if (text === '' || text.length > SMALL_DIGITS - SMALL_PLACES) return undefined;
  let value = 0;
  let places = -1;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === POINT && places < 0 && index > 0) places = 0;
    else if (unit < ZERO || unit > NINE) return undefined;
    else {
      value = value * 10 + (unit - ZERO);
      if (places >= 0) places += 1;
    }
  }
  if (places === 0 || places > SMALL_PLACES) return undefined;
  return value * (SCALES[Math.max(0, places)] ?? 1);
}
