import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it.each([
  'test/simulation/long.mjs',
  'test/corpus/corpus.mjs',
  'test/bench/run.mjs',
  'test/bench/fleet.mjs',
  'test/mutation/run.mjs',
  'test/planted/run.mjs',
  'site/build.mjs',
])('%s says in one line that it does not know an option, and ends with 3', (script) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--bogus'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect([status, stdout, stderr.trim().split('\n').length]).toEqual([3, '', 1]);
  expect(stderr).toContain('--bogus');
});
