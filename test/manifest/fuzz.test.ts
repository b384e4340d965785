import { describe, expect, test } from 'vitest';
import { compile, inOne } from '../../src/core/desired/compile.ts';
import { decodeUtf8 } from '../../src/core/manifest/decode.ts';
import fc from '../properties.ts';
import { runs } from '../support/sample.ts';
import { copyTrade, label, SETTINGS, sniper, source } from './samples.ts';

const VALID = [
  sniper(),
  copyTrade(),
  label('hot', '  name: Hot\n'),
  sniper({ kind: 'TransferSnipeTask', spec: '  label: hot\n' }),
].join('---\n');
/** Pieces that mean something to YAML or to a manifest. */
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ': ',
  '- ',
  '? ',
  '&a ',
  '*a',
  '!x ',
  '!!str ',
  '|',
  '>',
  '"',
  "'",
  '#',
  '%YAML 1.1',
  '---',
  '...',
  '\n',
  '\t',
  '\r',
  '\0',
  '<<: ',
  '__proto__: ',
  '0x1',
  '1e9',
  '.nan',
  '~',
  'null',
  'yes',
  '\u200b',
  '\u202e',
  '\ud800',
  '\ufeff',
  '  ',
  'metadata:',
  'spec:',
  '10: x\n',
  'constructor',
];

/** Whatever the text: a state without errors, or errors without a state, each with a place in the text. */
function check(text: string): void {
  const { state, diagnostics } = inOne(
    compile({ settings: SETTINGS, sources: [source(text)], allRead: true }),
  );
  expect(state === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
  const lines = text.replace(/^\ufeff/, '').split('\n');
  for (const { location, length } of diagnostics) {
    const line = lines[(location?.line ?? 0) - 1];
    expect(line).toBeDefined();
    expect(location?.column).toBeGreaterThan(0);
    expect((location?.column ?? 0) - 1).toBeLessThanOrEqual(line?.length ?? 0);
    expect(length).toBeGreaterThan(0);
  }
}

describe('any text gives a state or diagnostics, never an exception', () => {
  test('random text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), check), { numRuns: runs(250) });
  });

  test('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const decoded = decodeUtf8(bytes);
        if ('text' in decoded) check(decoded.text);
        else expect(decoded.invalidAt).toBeLessThan(bytes.length);
      }),
      { numRuns: runs(250) },
    );
  });

  test('text made of meaningful parts', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), (pieces) =>
        check(pieces.join('')),
      ),
      { numRuns: runs(800) },
    );
  });

  test('mutated manifests', () => {
    const at = fc.nat({ max: VALID.length });
    const edit = fc.record({
      at,
      remove: fc.nat({ max: 12 }),
      insert: fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        check(
          edits.reduce(
            (text, { at: from, remove, insert }) => text.slice(0, from) + insert + text.slice(from + remove),
            VALID,
          ),
        );
      }),
      { numRuns: runs(400) },
    );
  });

  test('a line removed or doubled', () => {
    const lines = VALID.split('\n');
    fc.assert(
      fc.property(fc.nat({ max: lines.length - 1 }), fc.boolean(), (index, doubled) => {
        const line = lines[index] ?? '';
        check(lines.toSpliced(index, 1, ...(doubled ? [line, line] : [])).join('\n'));
      }),
      { numRuns: runs(150) },
    );
  });

  test('the manifests that are mutated are valid', () => {
    const { diagnostics } = inOne(compile({ settings: SETTINGS, sources: [source(VALID)], allRead: true }));
    expect(diagnostics).toEqual([]);
  });
});
