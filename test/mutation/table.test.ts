import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FIRST, LAST, SUITE } from './suite.mjs';
import { type Mutant, table } from './table.mjs';

const mutant = (status: string, over: Partial<Mutant> = {}): Mutant => ({
  location: { start: { line: 2, column: 7 }, end: { line: 2, column: 12 } },
  mutatorName: 'EqualityOperator',
  replacement: 'a >= b',
  status,
  ...over,
});

test('counts by file, and names missed mutants with their places', () => {
  const files = {
    'src/b.ts': { source: '', mutants: [mutant('Killed'), mutant('Ignored')] },
    'src/a.ts': {
      source: 'const c =\n  if (a > b)\n    { return; }\n',
      mutants: [
        mutant('Killed'),
        mutant('Survived'),
        mutant('Timeout'),
        mutant('NoCoverage', {
          location: { start: { line: 2, column: 3 }, end: { line: 3, column: 16 } },
          mutatorName: 'BlockStatement',
          replacement: '{}',
        }),
      ],
    },
  };
  expect(table({ files })).toBe(
    [
      '          killed  timeout  survived  no test    score',
      'src/a.ts       1        1         1        1   50.0 %',
      'src/b.ts       1        0         0        0  100.0 %',
      'all            2        1         1        1   60.0 %',
      '',
      'Not noticed: 2',
      '',
      'src/a.ts:2:7 EqualityOperator',
      '    - a > b',
      '    + a >= b',
      'src/a.ts:2:3 BlockStatement (no test)',
      '    - if (a > b) { return; }',
      '    + {}',
      '',
    ].join('\n'),
  );
});

test('has no score by file if nothing could be run', () => {
  expect(table({ files: { 'src/a.ts': { source: '', mutants: [mutant('Ignored')] } } })).toMatch(
    /src\/a\.ts +0 +0 +0 +0 +-\n/,
  );
});

test('files that are named for the order exist', () => {
  for (const path of [...Object.keys(SUITE), ...FIRST, ...LAST]) expect(existsSync(path), path).toBe(true);
});
