import { describe, expect, test } from 'vitest';
import { amountProblem } from '../../src/core/manifest/amounts.ts';
import { isDecimal } from '../../src/core/model/decimal.ts';
import fc from '../properties.ts';
import { Vacuous } from '../support/property.ts';

const FEE = { 'x-decimal': { min: '0', max: '1000' }, 'x-unit': 'SOL' };
const BUY = { 'x-decimal': { above: '0', max: '1000000' }, 'x-unit': 'SOL' };
const ANY = { 'x-decimal': {} };
const BOUND = { 'x-decimal': { empty: true } };

describe('the text to write instead', () => {
  test.each([
    ['1e-7', 'write "0.0000001"'],
    ['1.5E3', 'write "1500"'],
    ['12.5e1', 'write "125"'],
    ['100e0', 'write "100"'],
    ['.5', 'write "0.5"'],
    ['5.', 'write "5"'],
    ['007', 'write "7"'],
    ['00.50', 'write "0.5"'],
    ['+3', 'write "3"'],
    ['0x10', 'write "16"'],
    ['0o17', 'write "15"'],
    ['1_000', 'write "1000"'],
    ['1,000.5', 'write "1000.5"'],
    ['0,5', 'write "0.5"'],
    ['0,050', 'write "0.050"'],
    ['0,125', 'write "0.125"'],
    ['1234,500', 'write "1234.500"'],
    ['1,500.00', 'write "1500.00"'],
    ['1,000,000', 'write "1000000"'],
    ['1_500', 'write "1500"'],
    ["1'500", 'write "1500"'],
    ['1.500,25', 'write "1500.25"'],
    ['1 500,25', 'write "1500.25"'],
    [' 1 ', 'write "1"'],
    ['1.0000000000000', 'write "1"'],
    ['0.1234567890123', 'write digits, optionally with a point and 1 to 12 more digits: "0.5"'],
    ['-1', 'write digits, optionally with a point and 1 to 12 more digits: "0.5"'],
    ['1e999999999', 'write digits, optionally with a point and 1 to 12 more digits: "0.5"'],
    ['NaN', 'write digits, optionally with a point and 1 to 12 more digits: "0.5"'],
    ['much', 'write digits, optionally with a point and 1 to 12 more digits: "0.5"'],
  ])('%s', (text, hint) => {
    expect(amountProblem(text, ANY)).toMatchObject({ code: 'invalid-decimal', hint });
  });

  test.each([
    ['1,500', '1.500', '1500'],
    ['2,250', '2.250', '2250'],
    ['999,000', '999.000', '999000'],
  ])('%s can mean two values: both are named, and neither is proposed', (text, one, other) => {
    const { message, hint } = amountProblem(text, ANY) ?? {};
    expect(message).toBe(`${text} can mean ${one} as well as ${other}`);
    expect(hint).toBe('write digits, optionally with a point and 1 to 12 more digits: "0.5"');
  });

  test('names the excess digits', () => {
    expect(amountProblem('0.1234567890123', ANY)?.message).toContain('13 digits after the point');
    expect(amountProblem('1'.repeat(33), ANY)?.message).toContain('33 characters');
    expect(amountProblem('1'.repeat(32), ANY)).toBeUndefined();
  });

  test('a hint is itself a valid amount with the same value', () => {
    const texts = fc.oneof(
      fc.double({ min: 0, max: 1e9 }).map(String),
      fc.stringMatching(/^[-+]?[0-9]{0,4}\.?[0-9]{0,4}(e-?[0-9]{1,2})?$/),
      ...[/^\+[0-9]{1,4}(\.[0-9]{1,4})?$/, /^00?[0-9]{1,3}(\.[0-9]{1,4})?$/, /^[0-9]{1,4}e-?[0-9]$/].map(
        (form) => ({
          arbitrary: fc.stringMatching(form),
          weight: 2,
        }),
      ),
    );
    const vacuous = new Vacuous();
    fc.assert(
      fc.property(texts, (text) => {
        const written = /^write "(.*)"$/.exec(amountProblem(text, ANY)?.hint ?? '')?.[1];
        if (written === undefined) return vacuous.add();
        expect(isDecimal(written)).toBe(true);
        expect(amountProblem(written, ANY)).toBeUndefined();
        expect(Number(written)).toBeCloseTo(Number(text), 9);
      }),
      { numRuns: 2_000 },
    );
    vacuous.expectAtMost(0.4, 2_000);
  });
});

describe('ranges', () => {
  test.each([
    ['0', FEE, true],
    ['1000', FEE, true],
    ['1000.000000000000', FEE, true],
    ['1000.000000000001', FEE, false],
    ['0', BUY, false],
    ['0.000', BUY, false],
    ['0.000000000001', BUY, true],
    ['1000000', BUY, true],
    ['1000000.1', BUY, false],
  ])('%s', (text, schema, good) => {
    expect(amountProblem(text, schema) === undefined).toBe(good);
  });

  test('names range and unit', () => {
    expect(amountProblem('1001', FEE)).toEqual({
      code: 'out-of-range',
      message: '1001 is out of range: at least 0, at most 1000 SOL',
    });
    expect(amountProblem('0', BUY)?.message).toBe('0 is out of range: greater than 0, at most 1000000 SOL');
  });

  test('allows the empty string only where it disables a limit', () => {
    expect(amountProblem('', BOUND)).toBeUndefined();
    expect(amountProblem('', ANY)).toMatchObject({ code: 'invalid-decimal' });
  });
});
