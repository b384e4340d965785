import { expect, test } from 'vitest';
import { compile, inOne } from '../../src/core/desired/compile.ts';
import { readManifests } from '../../src/core/manifest/read.ts';
import fc from '../properties.ts';
import { SETTINGS, sniper, source } from './samples.ts';

const whole = fc.bigInt({ min: 0n, max: 999_999n }).map(String);
const fraction = fc.stringMatching(/^[0-9]{1,12}$/);
const amounts = fc
  .oneof(
    whole,
    fc.tuple(whole, fraction).map((parts) => parts.join('.')),
  )
  .filter((text) => /[1-9]/.test(text));
const QUOTES = ['', '"', "'"];

test('an amount reaches the desired state exactly as written, quoted or not', () => {
  fc.assert(
    fc.property(amounts, amounts, fc.constantFrom(...QUOTES), (amount, second, quote) => {
      const text = sniper({
        amount: `${quote}${amount}${quote}`,
        config: `    bundle_amount: ${quote}${second}${quote}\n`,
      });
      const { state } = inOne(compile({ settings: SETTINGS, sources: [source(text)], allRead: true }));
      expect(state?.tasks[0]?.config).toMatchObject({ buy_amount: amount, bundle_amount: second });
    }),
    { numRuns: 300 },
  );
});

test('amounts that a float would change', () => {
  for (const amount of [
    '0.1',
    '0.30000000000',
    '123456.123456789012',
    '0.000000000001',
    '100000.100000000001',
    '1.10',
  ]) {
    const { state } = inOne(
      compile({ settings: SETTINGS, sources: [source(sniper({ amount }))], allRead: true }),
    );
    expect(state?.tasks[0]?.config).toMatchObject({ buy_amount: amount });
  }
});

test('without a documented type: safe whole numbers are JSON numbers, quoted text stays text', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.string({ unit: 'grapheme-ascii', maxLength: 8 }), (number, text) => {
      // A reference is something else.
      const written = text.replaceAll('${', () => '$${');
      const order = JSON.stringify({ number: 1, text: written })
        .replace(':1,', () => `: ${Object.is(number, -0) ? 0 : number}, `)
        .replace('"text":', '"text": ');
      const manifest = sniper().replace('false, orders: []', () => `false, orders: [${order}]`);
      const { state } = inOne(compile({ settings: SETTINGS, sources: [source(manifest)], allRead: true }));
      expect(state?.tasks[0]?.config.timed_strategy).toEqual({
        enabled: false,
        orders: [{ number: number + 0, text }],
      });
    }),
    { numRuns: 200, examples: [[0, '${']] },
  );
});

test('no value is minus zero, which JSON lacks', () => {
  const text = sniper({ amount: '-0' }).replace('state: active', 'state: -0');
  const { manifests } = readManifests(source(text));
  const values = manifests.map((manifest) => [manifest.get('spec', 'state'), manifest.get('spec', 'config')]);
  expect(values).toEqual([[0, expect.objectContaining({ buy_amount: '-0' })]]);
});
