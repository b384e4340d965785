import { expect, test } from 'vitest';
import { changedLines, inRounds, matcher, together } from './chosen.mjs';
import type { Report } from './table.mjs';

test('a round has at most 2,000 lines, or one file; no file is left out', () => {
  const files = [900, 900, 900, 5_000, 100].map((lines, index) => ({ path: `${index}.ts`, lines }));
  expect(inRounds(files)).toEqual([['0.ts', '1.ts'], ['2.ts'], ['3.ts'], ['4.ts']]);
  expect(inRounds([])).toEqual([]);
});

test('a pattern takes a folder, or names in one folder', () => {
  const taken = (pattern: string) =>
    ['src/core/plan/plan.ts', 'src/core/plan/only/only.ts', 'src/core/planning/plan.ts'].filter(
      matcher(pattern),
    );
  expect(taken('src/core/plan/**')).toEqual(['src/core/plan/plan.ts', 'src/core/plan/only/only.ts']);
  expect(taken('src/core/plan/p*.ts')).toEqual(['src/core/plan/plan.ts']);
  expect(taken('src/core/plan/plan-ts')).toEqual([]);
});

test('reports of rounds are one report', () => {
  const [one, other] = ['src/a.ts', 'src/b.ts'].map((path) => ({
    files: { [path]: { source: '', mutants: [] } },
  }));
  expect(Object.keys(together<Report>([one, other] as Report[]).files)).toEqual(['src/a.ts', 'src/b.ts']);
});

test('only lines that are new are changed', () => {
  const diff = [
    '--- src/a.ts',
    '+++ src/a.ts',
    '@@ -3,2 +3 @@ export function a() {',
    '@@ -9,0 +8,4 @@',
    '@@ -20 +22,0 @@',
    '+++ src/b.ts',
    '@@ -1 +1 @@',
  ];
  expect([...changedLines(diff.join('\n'))]).toEqual([
    ['src/a.ts', ['src/a.ts:3-3', 'src/a.ts:8-11']],
    ['src/b.ts', ['src/b.ts:1-1']],
  ]);
});
