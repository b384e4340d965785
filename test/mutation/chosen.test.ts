import { expect, test } from 'vitest';
import { merged, missedIn, nameOf, parsePart, partOf } from './chosen.mjs';
import type { Mutant } from './table.mjs';

const at = (line: number, status: string): Mutant => ({
  location: { start: { line, column: 7 }, end: { line, column: 12 } },
  mutatorName: 'EqualityOperator',
  replacement: 'a >= b',
  status,
});
const report = (...mutants: readonly Mutant[]) => ({ files: { 'src/a.ts': { source: '', mutants } } });

test('parts are disjoint, and complete together', () => {
  const names = Array.from({ length: 800 }, (_, line) => nameOf('src/a.ts', at(line, 'Survived')));
  const sizes = new Map<number, number>();
  for (const name of names) sizes.set(partOf(name, 4), (sizes.get(partOf(name, 4)) ?? 0) + 1);
  expect([...sizes.keys()].sort()).toEqual([1, 2, 3, 4]);
  for (const size of sizes.values()) expect(size).toBeGreaterThan(150);
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
