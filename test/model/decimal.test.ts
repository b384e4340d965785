import Big from 'big.js';
import { describe, expect, test } from 'vitest';
import {
  addDecimals,
  canonicalDecimal,
  compareDecimals,
  maxDecimal,
  signedDifference,
} from '../../src/core/model/decimal.ts';
import fc from '../properties.ts';

const digits = (whole: RegExp, fraction: RegExp) =>
  fc
    .tuple(fc.stringMatching(whole), fc.stringMatching(fraction))
    .map(([before, after]) => (after === '' ? before : `${before}.${after}`));
/** Amounts as people write them, and the longest that the service takes. */
const decimal = fc.oneof(digits(/^[0-9]{1,4}$/, /^[0-9]{0,7}$/), digits(/^[0-9]{1,19}$/, /^[0-9]{0,12}$/));

describe('arithmetic of amounts is exact, compared with another library', () => {
  test('sums', () => {
    fc.assert(
      fc.property(fc.array(decimal), (values) => {
        const sum = values.reduce((total, value) => total.plus(value), new Big(0));
        expect(addDecimals(values)).toBe(sum.toFixed());
      }),
    );
  });

  test('a sum of many small amounts that is large', () => {
    const values = Array<string>(1_000).fill('999999999');
    expect(addDecimals(values)).toBe(new Big('999999999').times(values.length).toFixed());
  });

  test('the largest', () => {
    fc.assert(
      fc.property(fc.array(decimal), (values) => {
        const most = values.map((value) => new Big(value)).sort((a, b) => b.cmp(a))[0] ?? new Big(0);
        expect(maxDecimal(values)).toBe(most.toFixed());
      }),
    );
  });

  test('differences, with their sign, and the order', () => {
    fc.assert(
      fc.property(decimal, decimal, (before, after) => {
        const difference = new Big(after).minus(before);
        const text = difference.eq(0) ? '0' : difference.toFixed();
        expect(signedDifference(before, after)).toBe(difference.gt(0) ? `+${text}` : text);
        expect(compareDecimals(before, after)).toBe(new Big(before).cmp(after));
      }),
    );
  });

  test('equal values have one canonical form', () => {
    fc.assert(
      fc.property(decimal, (text) => {
        expect(canonicalDecimal(text)).toBe(new Big(text).toFixed());
        expect(compareDecimals(text, canonicalDecimal(text))).toBe(0);
      }),
    );
  });

  test.each(['', '1e3', '-1', '.5', '5.', '0.1234567890123', 'abc'])('%j counts as 0', (text) => {
    expect(addDecimals([text, '0.10'])).toBe('0.1');
    expect(maxDecimal([text])).toBe('0');
    expect(compareDecimals(text, '0')).toBe(0);
  });
});
