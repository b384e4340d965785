import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { wantsColor } from '../../cmd/terminal.ts';
import { tradeform } from './run.ts';

describe('colour', () => {
  const terminal = { isTTY: true };
  const pipe = { isTTY: false };

  it.each([
    ['on a terminal', { stream: terminal, off: false, env: {} }, true],
    ['not in a pipe', { stream: pipe, off: false, env: {} }, false],
    ['not with --no-color', { stream: terminal, off: true, env: { FORCE_COLOR: '1' } }, false],
    ['not with NO_COLOR', { stream: terminal, off: false, env: { NO_COLOR: '1' } }, false],
    ['with an empty NO_COLOR', { stream: terminal, off: false, env: { NO_COLOR: '' } }, true],
    ['not on a dumb terminal', { stream: terminal, off: false, env: { TERM: 'dumb' } }, false],
    ['asked for', { stream: pipe, off: false, env: { FORCE_COLOR: '1' } }, true],
    ['asked for, otherwise', { stream: pipe, off: false, env: { CLICOLOR_FORCE: '1' } }, true],
    ['not with FORCE_COLOR=0', { stream: terminal, off: false, env: { FORCE_COLOR: '0' } }, false],
    ['not in any CI', { stream: pipe, off: false, env: { CI: 'true' } }, false],
    ['in the log of GitHub', { stream: pipe, off: false, env: { GITHUB_ACTIONS: 'true' } }, true],
    ['in the log of GitLab', { stream: pipe, off: false, env: { GITLAB_CI: 'true' } }, true],
    [
      'not there with NO_COLOR',
      { stream: pipe, off: false, env: { GITLAB_CI: 'true', NO_COLOR: '1' } },
      false,
    ],
    [
      'NO_COLOR beats FORCE_COLOR',
      { stream: terminal, off: false, env: { NO_COLOR: '1', FORCE_COLOR: '1' } },
      false,
    ],
  ])('%s', (_name, { off, stream, env }, expected) => {
    expect(wantsColor(off, stream, env)).toBe(expected);
  });

  it('not in a file or without a CI system', () => {
    const file = openSync(import.meta.filename, 'r');
    try {
      const stream = { isTTY: false, fd: file };
      expect(wantsColor(false, stream, { GITHUB_ACTIONS: 'true' })).toBe(false);
      expect(wantsColor(false, stream, { FORCE_COLOR: '1' })).toBe(true);
    } finally {
      closeSync(file);
    }
  });
});

it('reaches the log of a CI system, and nothing else that is no terminal', async () => {
  const said = async (env: Record<string, string>) =>
    (await tradeform(['validate', '--project', 'none.yaml'], { env })).stderr;
  expect(await said({ GITLAB_CI: 'true' })).toContain('\x1b[31merror[');
  expect(await said({})).toMatch(/^error\[/);
});

it('is as wide as COLUMNS without a terminal', async () => {
  const widest = async (env: Record<string, string>) => {
    const { stdout } = await tradeform(['plan', '--help'], { env });
    return Math.max(...stdout.split('\n').map((line) => line.length));
  };
  expect(await widest({ COLUMNS: '200' })).toBeGreaterThan(120);
  expect(await widest({ COLUMNS: 'wide' })).toBeLessThan(120);
});
