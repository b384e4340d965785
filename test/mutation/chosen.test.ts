import { expect, test } from 'vitest';
import { inRounds, matcher, merged, missedIn, nameOf, parsePart, partOf, together } from './chosen.mjs';
import type { Mutant, Report } from './table.mjs';

const at = (line: number, status: string): Mutant => ({
  location: { start: { line, column: 7 }, end: { line, column: 12 } },
  mutatorName: 'EqualityOperator',
  replacement: 'a >= b',
  status,
});
const report = (...mutants: readonly Mutant[]) => ({ files: { 'src/a.ts': { source: '', mutants } } });

test('parts are disjoint, and complete together', () => {
  const names = Array.from({ length: 800 }, (_, index) => `src/core/plan/${index}.ts`);
  const sizes = new Map<number, number>();
  for (const name of names) sizes.set(partOf(name, 4), (sizes.get(partOf(name, 4)) ?? 0) + 1);
  expect([...sizes.keys()].sort()).toEqual([1, 2, 3, 4]);
  for (const size of sizes.values()) expect(size).toBeGreaterThan(150);
});

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
  const [one, other] = [report(at(1, 'Killed')), { files: { 'src/b.ts': { source: '', mutants: [] } } }];
  expect(Object.keys(together<Report>([one, other]).files)).toEqual(['src/a.ts', 'src/b.ts']);
});

test('a part is K of N', () => {
  expect(parsePart('3/8')).toEqual({ part: 3, parts: 8 });
  for (const text of ['0/8', '9/8', '1', '1/', '1/8x', '']) expect(parsePart(text), text).toBeUndefined();
});

test('a mutant has one name, whether counted from 0 or from 1', () => {
  const { location, ...rest } = at(3, 'Survived');
  const zero = {
    ...rest,
    location: { start: { line: 2, column: 6 }, end: { line: 2, column: 11 } },
  };
  expect(nameOf('src/a.ts', zero, 0)).toBe(nameOf('src/a.ts', { ...rest, location }));
});

test('missed mutants are tried again, and only their results change', () => {
  const earlier = report(at(1, 'Killed'), at(2, 'Survived'), at(3, 'NoCoverage'), at(4, 'Survived'));
  expect(missedIn(earlier)).toEqual([2, 3, 4].map((line) => nameOf('src/a.ts', at(line, ''))));
  const later = report(at(1, 'CompileError'), at(2, 'Killed'), at(3, 'Survived'), at(4, 'Timeout'));
  expect(merged(earlier, later)).toEqual(
    report(at(1, 'Killed'), at(2, 'Killed'), at(3, 'Survived'), at(4, 'Timeout')),
  );
});
