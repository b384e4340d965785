import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../src/manifest/manifest.ts';
import { DocumentPlaces } from '../../src/manifest/places.ts';
import { type ReadResult, readManifests } from '../../src/manifest/read.ts';
import { recordOf, resultOf } from '../../src/manifest/record.ts';
import { Source } from '../../src/manifest/source.ts';
import { caseTexts } from '../files/reading/cases.ts';
import { copyTrade, label, sniper } from './samples.ts';

/** All that a result holds, places included. */
function laidOut({ manifests, diagnostics, whole }: ReadResult) {
  return { whole, diagnostics, manifests: manifests.map(parts) };
}

function parts({ kindName, schemaId, value, deferred, places }: Manifest) {
  if (!(places instanceof DocumentPlaces)) throw new Error('no document');
  const root = places.find([], 'value');
  return {
    kindName,
    schemaId,
    // As text: the order of the fields counts, and 0 is not -0.
    value: JSON.stringify(value),
    negativeZero: holdsNegativeZero(value),
    deferred,
    offsets: places.spans.offsets.join(),
    diagnosed: places.diagnosed,
    source: root.source.file,
  };
}

function holdsNegativeZero(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(holdsNegativeZero);
  return Object.is(value, -0);
}

function check(text: string): void {
  const source = new Source('manifests/a.yaml', text);
  // Made of the text alone: another file with the same text takes it as well.
  const { json, offsets } = recordOf(readManifests(new Source('manifests/other.yaml', text)));
  expect(json).not.toContain('manifests/other.yaml');
  const copy = { json: Buffer.from(json).toString(), offsets: structuredClone(offsets) };
  const read = laidOut(readManifests(source));
  expect(laidOut(resultOf(source, copy))).toEqual(read);
  expect(read.manifests.some(({ negativeZero }) => negativeZero)).toBe(false);
}

describe('a record makes the same manifests again', () => {
  test('of every text of the cases', () => {
    const sources = caseTexts();
    expect(sources.length).toBeGreaterThan(60);
    for (const { text } of sources) check(text);
  });

  test.each([
    ['several documents', [sniper(), copyTrade(), label('hot')].join('---\n')],
    [
      'fields that are left for composition',
      sniper({ spec: '  extends: [base]\n' }).replace(/ {4}buy_amount.*\n/, ''),
    ],
    ['numbers that JSON does not have', sniper({ amount: '-0' }).replace('state: active', 'state: -0')],
    ['numbers as keys', `${label('hot')}  notes: { 10: a, 2: b }\n`],
    ['nothing at all', ''],
    ['half a character', sniper({ spec: '  remark: "\\ud83d"\n' })],
  ])('%s', (_, text) => check(text));

  test('of any text', () => {
    const valid = [sniper(), copyTrade(), label('hot')].join('---\n');
    const piece = fc.constantFrom(
      '{',
      '[',
      ': ',
      '- ',
      '&a ',
      '*a',
      '!!str ',
      '"',
      '|\n',
      '\t',
      '-0',
      '1e9',
      '~',
      '__proto__: ',
      '10: x\n',
      '\ud800',
      '\u202e',
    );
    const edit = fc.tuple(
      fc.nat(valid.length),
      fc.nat(12),
      fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 6 })),
    );
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 3 }), (edits) => {
        check(
          edits.reduce(
            (text, [at, length, added]) => text.slice(0, at) + added + text.slice(at + length),
            valid,
          ),
        );
      }),
      { numRuns: 150 },
    );
  });
});
