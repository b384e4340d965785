import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { type RunningServer, startServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { gitIn } from '../support/repository.ts';
import { blocksOf, pageOf } from './pages.ts';
import { commandLine, ROOT } from './program.ts';

/** The command lines of the pages on many accounts, in their order, on the example with twelve accounts. */
const LINES = ['docs/how-to/many-accounts.md', 'docs/reference/fleet.md']
  .flatMap((page) => blocksOf(pageOf(page).text))
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.split('\n'))
  .map((line) => line.replace(/\s+#.*/, ''))
  .filter((line) => line !== '' && !line.startsWith('git '));
/** What does not end with 0: nobody is there to be asked, the digest is another one; and there is drift before the first apply and after a pause. */
const ENDS: readonly (readonly [RegExp, number])[] = [
  [/ fleet (?:apply|apply --expect .*|resume --all)$/, 4],
  [/ fleet (?:drift|merge) /, 2],
];

const folder = temporaryFolder('accounts');
const NAMES = Array.from({ length: 12 }, (_item, index) => `desk-${String(index + 1).padStart(2, '0')}`);
const token = (name: string) => `svc_live_f1ee70${name.slice(-2)}.secret-of-${name}`;
let server: RunningServer;

beforeAll(async () => {
  cpSync(join(ROOT, 'examples/fleet-of-accounts'), folder, { recursive: true });
  const accounts = NAMES.map((name) => ({
    id: name,
    login_username: name,
    tokens: [{ token: token(name) }],
  }));
  server = await startServer(createSandbox({ seed: { accounts } }));
  const file = join(folder, 'fleet.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('http://127.0.0.1:8787/v1', server.baseUrl));
  const git = gitIn(folder);
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'one');
  git('update-ref', 'refs/remotes/origin/main', 'main');
});
afterAll(() => server.close());

async function run(text: string): Promise<{ code: number | null; output: string }> {
  const tokens = NAMES.map((name) => [
    `TRADEFORM_TOKEN_${name.toUpperCase().replace('-', '_')}`,
    token(name),
  ]);
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: folder, ...Object.fromEntries(tokens) },
    // The fleet file of a repository names the host: a person confirms it once.
    TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN_DESK_*=${new URL(server.baseUrl).origin}`,
  };
  const { code, stdout, stderr } = await commandLine(text.replace('DIGEST', '0'.repeat(64)), folder, env);
  return { code, output: stdout + stderr };
}

it('the pages show lines of each command', () => {
  const commands = new Set(LINES.map((line) => / fleet (\w+)/.exec(line)?.[1]));
  for (const one of ['validate', 'plan', 'apply', 'status', 'drift', 'pause', 'resume', 'merge'])
    expect(commands).toContain(one);
});

it.each(LINES)('%s', async (line) => {
  const { code, output } = await run(line);
  expect(code, output).toBe(ENDS.find(([pattern]) => pattern.test(line))?.[1] ?? 0);
  expect(output).not.toContain('secret-of-');
});
