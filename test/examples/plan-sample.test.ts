import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/cleanup.ts';
import { blocksOf, pageOf } from './pages.ts';
import { ROOT, type Served, serve, tradeform } from './program.ts';

const folder = temporaryFolder('sample');
const desk = join(folder, 'desk');
let service: Served;
let first = '';

async function commit(subject: string): Promise<void> {
  const user = ['-c', 'user.name=Mira', '-c', 'user.email=mira@example.invalid'];
  for (const args of [
    ['add', '.'],
    [...user, 'commit', '-qm', subject],
  ])
    await promisify(execFile)('git', ['-C', desk, ...args]);
}

/** The quickstart, applied; then a person pauses whale-7, and a commit raises one task and removes another. */
beforeAll(async () => {
  cpSync(join(ROOT, 'examples/quickstart'), desk, { recursive: true });
  service = await serve(folder);
  await promisify(execFile)('git', ['-C', desk, 'init', '-qb', 'main']);
  await commit('Launches');
  first = (await tradeform(['plan'], desk, service.env)).stdout;
  const applied = await tradeform(['apply', '--auto-approve', '--first-apply'], desk, service.env);
  expect(applied.code, applied.stderr).toBe(0);
  const { TRADEFORM_BASE_URL: url = '', TRADEFORM_TOKEN: token } = service.env;
  const { stdout } = await tradeform(['status', 'copy-trade/whale-7', '-o', 'json'], desk, service.env);
  const [{ id }] = JSON.parse(stdout).tasks;
  const task = `${url}/copy-trade/configs/${id}`;
  const headers = { authorization: `Bearer ${token}` };
  const etag = (await fetch(task, { headers })).headers.get('etag') ?? '';
  const paused = await fetch(`${task}/pause`, { method: 'POST', headers: { ...headers, 'if-match': etag } });
  expect(paused.status).toBe(200);
  const launches = join(desk, 'manifests/snipers/launches.yaml');
  const documents = readFileSync(launches, 'utf8').split('\n---\n');
  const kept = documents.filter((text) => !text.includes('name: launch-meteora')).join('\n---\n');
  writeFileSync(launches, kept.replace('buy_amount: "0.1"\n', 'buy_amount: "0.15"\n'));
  await commit('Less');
});
afterAll(() => service?.stop());

test('the first plan fits a screen, and says that it leaves wallets out', () => {
  const lines = first.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(30);
  expect(lines.filter((line) => /^[►+] \S+\/\S+ +new/.test(line))).toHaveLength(16);
  expect(first).toContain('whole wallets and details with -v');
  // That a task does not sell is never left out.
  expect(first.match(/no\s+auto-sell/g)).toHaveLength(2);
});

test('the README shows what plan prints', async () => {
  const shown = blocksOf(pageOf('README.md').text).find(({ language }) => language === 'text')?.text ?? '';
  const { stdout } = await tradeform(['plan'], desk, service.env);
  // The address of the service, the commit and what hangs on them differ from run to run.
  const lines = shown
    .split('\n')
    .filter((line) => !/^(?:\$ |core · |Digest |from [0-9a-f]{7} · details)/.test(line));
  expect(lines.length).toBeGreaterThan(4);
  expect(stdout).toContain(lines.join('\n').trimEnd());
});
