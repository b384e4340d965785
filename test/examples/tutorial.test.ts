import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, pageOf } from './pages.ts';
import { ROOT, type Served, serve } from './program.ts';

/** Where nobody sits at a terminal, who follows the page says yes by an option. */
const SHELL = `set -e
tradeform() {
  case $1 in apply | resume) set -- "$@" --auto-approve ;; esac
  "${process.execPath}" "${join(ROOT, 'dist/tradeform.cjs')}" "$@"
}
`;
const BLOCKS = blocksOf(pageOf('docs/tutorial/quickstart.md').text);
/** The first installs the package, which is there. */
const STEPS = BLOCKS.slice(1).flatMap(({ language, text }, index, blocks) => {
  const next = blocks[index + 1];
  return language === 'sh' ? [{ text, shown: next?.language === 'text' ? next.text : '' }] : [];
});

const folder = mkdtempSync(join(tmpdir(), 'tradeform-tutorial-'));
const desk = join(folder, 'desk');
let service: Served;

beforeAll(async () => {
  service = await serve(folder);
  const git = promisify(execFile);
  await git('git', ['init', '--quiet', '-b', 'main', desk]);
  for (const [name, value] of [
    ['user.name', 'Mira'],
    ['user.email', 'mira@example.invalid'],
  ] as const)
    await git('git', ['-C', desk, 'config', name, value]);
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('every command of the quickstart runs, and prints what the page shows', async () => {
  expect(STEPS.length).toBeGreaterThan(7);
  for (const { text, shown } of STEPS) {
    const { stdout } = await promisify(execFile)('bash', ['-c', SHELL + text], {
      cwd: desk,
      env: { PATH: process.env.PATH, HOME: folder, ...service.env },
    });
    let from = 0;
    for (const line of shown.split('\n').filter((each) => each !== '' && each !== '…')) {
      const at = stdout.indexOf(line, from);
      expect(at, `${text} prints "${line}", in:\n${stdout}`).toBeGreaterThanOrEqual(from);
      from = at + line.length;
    }
  }
});
