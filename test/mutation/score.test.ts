import { expect, test } from 'vitest';
import { recorded, type Score, scoresOf, stalestFirst } from './score.mjs';

const SCORE: Score = { text: 'a', tests: 'quick', noticed: 1, of: 2 };

test('a timeout counts as noticed, and mutants that were not run do not count', () => {
  const mutants = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'CompileError'].map(
    (status) => ({
      location: { start: { line: 1, column: 1 }, end: { line: 1, column: 2 } },
      mutatorName: 'EqualityOperator',
      replacement: '',
      status,
    }),
  );
  const { 'src/a.ts': score } = scoresOf({ files: { 'src/a.ts': { source: '', mutants } } }, 'quick');
  expect(score).toMatchObject({ tests: 'quick', noticed: 2, of: 4 });
});

test('a score only rises: a lower one is named, and the earlier one stays', () => {
  const lower = { 'src/a.ts': { ...SCORE, text: 'b', of: 3 } };
  expect(recorded({ 'src/a.ts': SCORE }, lower)).toEqual({
    kept: {},
    fallen: ['src/a.ts: 1 of 3 mutants were noticed, 1 of 2 before'],
  });
  const higher = { 'src/a.ts': { ...SCORE, noticed: 2 } };
  expect(recorded({ 'src/a.ts': SCORE }, higher)).toEqual({ kept: higher, fallen: [] });
  // Few tests notice less than all.
  expect(recorded({ 'src/a.ts': { ...SCORE, tests: 'all' } }, lower).fallen).toEqual([]);
});

test('a text without a score comes first', () => {
  const files = ['src/a.ts', 'src/b.ts'].map((path) => ({ path, text: path }));
  const scores = scoresOf({ files: { 'src/a.ts': { source: 'src/a.ts', mutants: [] } } }, 'quick');
  expect(stalestFirst(files, scores, 'quick').map(({ path }) => path)).toEqual(['src/b.ts', 'src/a.ts']);
  expect(stalestFirst(files, scores, 'all')).toEqual(files);
});
