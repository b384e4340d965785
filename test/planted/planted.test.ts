import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BUGS } from './bugs.mjs';

describe('the list of planted bugs is current', () => {
  test.each(BUGS.map((bug) => [bug.name, bug] as const))('%s', (_name, { file, find, put, tests }) => {
    expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
    expect(put).not.toBe(find);
    expect(existsSync(tests), tests).toBe(true);
  });

  test('there are enough of them, each with its own name', () => {
    expect(BUGS.length).toBeGreaterThanOrEqual(12);
    expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length);
  });
});
