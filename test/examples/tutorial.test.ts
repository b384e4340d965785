import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sniperConfig, wallet } from '../support/builders.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { blocksOf, pageOf } from './pages.ts';
import { commandLine, type Served, serve } from './program.ts';

/** Where nobody sits at a terminal, who follows the page says yes by an option. */
const yes = (line: string) => line.replace(/^tradeform .*?\b(?:apply|resume)\b/, '$& --auto-approve');
const BLOCKS = blocksOf(pageOf('docs/tutorial/quickstart.md').text);
/** The first installs the package, which is there. */
const STEPS = BLOCKS.slice(1).flatMap(({ language, text }, index, blocks) => {
  const next = blocks[index + 1];
  return language === 'sh' ? [{ text, shown: next?.language === 'text' ? next.text : '' }] : [];
});

const folder = temporaryFolder('tutorial');
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
afterAll(() => service?.stop());

test('every command of the quickstart runs, and prints what the page shows', async () => {
  expect(STEPS.length).toBeGreaterThan(7);
  for (const { text, shown } of STEPS) {
    let stdout = '';
    for (const line of text.split('\n').filter((each) => each !== '')) {
      const env = { PATH: process.env.PATH ?? '', HOME: folder, ...service.env };
      const ended = await commandLine(yes(line), desk, env);
      expect(ended.code, `${line}: ${ended.stderr}`).toBe(0);
      stdout += ended.stdout;
    }
    let from = 0;
    for (const line of shown.split('\n').filter((each) => each !== '' && each !== '…')) {
      const at = stdout.indexOf(line, from);
      expect(at, `${text} prints "${line}", in:\n${stdout}`).toBeGreaterThanOrEqual(from);
      from = at + line.length;
    }
  }
});

/** An account that people have used: tasks that run and one that does not, of which two look alike. */
const ACCOUNT = {
  accounts: [
    {
      login_username: 'harbor',
      labels: [{ name: 'Steady' }],
      tasks: [
        { remark: 'Early launches', target_wallet: wallet(1), is_active: true, label: 'Steady' },
        { remark: 'Late launches', target_wallet: wallet(2) },
        { remark: 'Late launches', target_wallet: wallet(2), is_active: true },
      ].map((task) => ({ kind: 'sniper', config: sniperConfig(), ...task })),
    },
  ],
};
const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Mira'],
    [`GIT_${who}_EMAIL`, 'mira@example.invalid'],
  ]),
);

test('every command for an account that already runs works: it adopts, and starts and pauses nothing', async () => {
  const cwd = mkdtempSync(join(folder, 'existing-'));
  writeFileSync(join(cwd, 'account.yaml'), JSON.stringify(ACCOUNT));
  const account = await serve(cwd, 'account.yaml');
  const env = { PATH: process.env.PATH ?? '', HOME: folder, ...IDENTITY, ...account.env };
  const shell = async (line: string) => {
    const { code, stdout, stderr } = await commandLine(yes(line), cwd, env);
    expect(code, `${line}: ${stderr}`).toBe(0);
    return stdout;
  };
  const [block] = blocksOf(pageOf('docs/tutorial/existing-account.md').text);
  const lines = (block?.text ?? '').split('\n').filter((line) => /^(?:tradeform|git) /.test(line));
  try {
    expect(lines).toHaveLength(4);
    for (const line of lines) await shell(line);
    const writes = (await account.requests()).filter(({ method }) => method !== 'GET');
    expect(writes.map(({ method, path }) => `${method} ${path.replace(/[^/]+$/, '')}`)).toEqual(
      Array(3).fill('PATCH /sniper/configs/'),
    );
    const plan = await shell('tradeform -C desk plan -o json --detailed-exitcode');
    expect(JSON.parse(plan).operations).toEqual([]);
    expect(await shell('git -C desk status --porcelain')).toBe('');
  } finally {
    await account.stop();
  }
});
