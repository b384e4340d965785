import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LINTS } from '../../src/core/desired/lints/index.ts';
import { RULES } from '../../src/core/desired/rules/index.ts';
import { readProject } from '../../src/core/project/project.ts';
import { temporaryFolder } from '../support/cleanup.ts';

/**
 * Each folder is a project with an `expected.txt`: one line a diagnostic, `code file:line:column`, in the order in which
 * they are told. A folder without a project file of its own lies over `base`, which has one, and a preset of each kind of task: a
 * manifest then says only what matters. A new case is a new folder; `UPDATE_CASES=1` writes the expectations anew, to be read
 * before they are kept.
 */
const CASES = join(import.meta.dirname, 'cases');
const names = readdirSync(CASES, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const scratch = temporaryFolder('cases');

/** The folder of a case's project. */
function projectOf(name: string): string {
  const folder = join(CASES, name);
  if (existsSync(join(folder, 'tradeform.yaml'))) return folder;
  const whole = join(scratch, name);
  for (const part of [join(import.meta.dirname, 'base'), folder]) cpSync(part, whole, { recursive: true });
  return whole;
}

describe('cases', () => {
  test.each(names)('%s', async (name) => {
    const project = await readProject({ cwd: projectOf(name) });
    const lines = project.diagnostics.map(({ severity, code, location }) => {
      const place = location === undefined ? '-' : `${location.file}:${location.line}:${location.column}`;
      return `${severity === 'error' ? '' : `${severity} `}${code} ${place}`;
    });
    const expected = join(CASES, name, 'expected.txt');
    if (process.env.UPDATE_CASES === '1') {
      const { writeFileSync } = await import('node:fs');
      writeFileSync(expected, lines.map((line) => `${line}\n`).join(''));
    }
    expect(lines).toEqual(readFileSync(expected, 'utf8').split('\n').slice(0, -1));
    const wrong = project.diagnostics.some(({ severity }) => severity === 'error');
    expect(project.state === undefined).toBe(wrong);
  });

  test('every rule has a case', () => {
    for (const { name } of RULES) expect(names).toContain(`rule-${name}`);
  });

  test('every lint has a case that causes its warning', () => {
    for (const { code } of LINTS) {
      expect(names).toContain(`lint-${code}`);
      expect(readFileSync(join(CASES, `lint-${code}`, 'expected.txt'), 'utf8')).toContain(`warning ${code} `);
    }
  });
});
