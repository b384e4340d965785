import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cleanup.ts';
import { FULL } from '../support/sample.ts';
import { ROOT, run } from './program.ts';

/** Its own temporary folder, so that other runs on this machine are not taken for leftovers. */
const TMPDIR = temporaryFolder('test');

/**
 * Left to `npm run night`: each story starts dozens of programs. The stories check their own steps, exit codes and that no token
 * is shown, and `.ci/run` plays the first one after `npm test`.
 */
it.runIf(FULL).each(['demo.mjs', 'demo-fleet.mjs'])('%s works, and leaves nothing behind', async (demo) => {
  const { code, stdout, stderr } = await run([join(ROOT, 'examples', demo)], ROOT, { TMPDIR });
  expect(code, `${stderr}\n${stdout.slice(-2_000)}`).toBe(0);
  expect(stderr).toBe('');
  expect(stdout).not.toContain('\x1b');
  expect(stdout).not.toMatch(/svc_live_[0-9a-f]{8}\./);
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(90);
  expect(readdirSync(TMPDIR)).toEqual([]);
});
