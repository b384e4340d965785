import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/cleanup.ts';
import { pageOf } from './pages.ts';
import { commentOf, screenOf } from './pictures.ts';
import { ROOT, type Served, serve, tradeform } from './program.ts';

const PICTURES = join(ROOT, 'docs/pictures/');
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
  await promisify(execFile)('git', ['-C', desk, 'update-ref', 'refs/remotes/origin/main', 'main']);
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

/** With one port, one digest and one commit: they differ from run to run. */
function steady(printed: string): string {
  return printed
    .replaceAll(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:41385')
    .replaceAll(/[0-9a-f]{64}/g, 'c7194df70618c7ede15ca83ff7ee7d7198799bd99e28698a5ea8d7333b2a7650')
    .replaceAll(/(?<=from |`)[0-9a-f]{7}\b/g, 'bb13329');
}

/** `npm run pictures` draws them. */
test('the pictures in the README show what plan and comment print', async () => {
  const env = { ...service.env, FORCE_COLOR: '1' };
  const plan = steady((await tradeform(['plan'], desk, env)).stdout);
  await expect(screenOf('tradeform plan', plan)).toMatchFileSnapshot(`${PICTURES}plan.svg`);
  const comment = await tradeform(['plan', '--base', 'origin/main...', '-o', 'markdown'], desk, service.env);
  const picture = commentOf('A comment on the pull request', steady(comment.stdout));
  await expect(picture).toMatchFileSnapshot(`${PICTURES}comment.svg`);
  for (const name of ['plan', 'comment'])
    expect(pageOf('README.md').text).toContain(`(docs/pictures/${name}.svg)`);
});
