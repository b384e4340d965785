import { expect, test } from 'vitest';
import { recorded, type Score, scoreOf } from './score.mjs';

const SCORE: Score = {
  mutated: 'src/core/plan/**/*.ts',
  tests: 'quick',
  part: '1/8',
  date: '2026-01-01',
  commit: 'a',
  noticed: 1,
  of: 2,
  score: 50,
};

test('a timeout counts as noticed, and mutants that were not run do not count', () => {
  const mutants = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'CompileError'].map(
    (status) => ({
      location: { start: { line: 1, column: 1 }, end: { line: 1, column: 2 } },
      mutatorName: 'EqualityOperator',
      replacement: '',
      status,
    }),
  );
  expect(scoreOf({ files: { 'src/a.ts': { source: '', mutants } } })).toEqual({
    noticed: 2,
    of: 4,
    score: 50,
  });
  expect(scoreOf({ files: {} })).toEqual({ noticed: 0, of: 0, score: null });
});

test('the last score of the same mutants and tests is kept, beside the scores of others', () => {
  const later = { ...SCORE, commit: 'b', score: 60 };
  const other = { ...SCORE, mutated: 'src/core/act/**/*.ts' };
  expect(recorded([SCORE], later)).toEqual([later]);
  expect(recorded([SCORE], other)).toEqual([other, SCORE]);
  expect(recorded([SCORE], { ...SCORE, tests: 'all' })).toHaveLength(2);
});
