import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { FleetReport } from '../../src/core/model/generated/fleet-report.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RunningServer, startServer } from '../../src/sandbox/server.ts';
import { projectFiles, tradeform } from '../cmd/run.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { json, killLeftovers, start } from './program.ts';

const token = (number: number) => `svc_live_f1ee7a0${number}.secret-of-${number}`;
let folder: string;
let sandbox: Sandbox;
let server: RunningServer;

afterEach(async () => {
  killLeftovers();
  await server.close();
});

async function open(): Promise<void> {
  folder = temporaryFolder('fleet');
  for (const number of [1, 2, 3]) {
    for (const [name, text] of Object.entries(projectFiles())) {
      mkdirSync(join(folder, `acc-${number}/manifests`), { recursive: true });
      writeFileSync(join(folder, `acc-${number}`, name), text);
    }
  }
  const accounts = [1, 2, 3].map((number) => ({ id: `a${number}`, tokens: [{ token: token(number) }] }));
  sandbox = createSandbox({ seed: { accounts } });
  server = await startServer(sandbox);
  const units = '[{ project: acc-*, token_env: "TRADEFORM_TOKEN_{NAME}" }]';
  const spec = `{ base_url: "${server.baseUrl}", units: ${units} }`;
  writeFileSync(
    join(folder, 'fleet.yaml'),
    `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: ${spec}\n`,
  );
}

const env = Object.fromEntries([1, 2, 3].map((number) => [`TRADEFORM_TOKEN_ACC_${number}`, token(number)]));
const words = (args: readonly string[]) => ['fleet', ...args, '-o', 'json', '--accounts-at-once', '1'];
const fleet = (...args: readonly string[]) => start(words(args), { cwd: folder, env });
/** What nothing is done to needs no process. */
const again = (...args: readonly string[]) => tradeform(words(args), { cwd: folder, env });

it('Ctrl-C ends a fleet that waits for the service with 130 and one document, and nothing that was not examined is green', async () => {
  await open();
  sandbox.faults.add({ token: token(2).slice(0, 17), times: 0, fault: { type: 'hang' } });
  const { child, ended, heard } = fleet('plan');
  await heard('acc-1:');
  child.kill('SIGINT');
  const end = await ended;
  expect([end.code, end.signal]).toEqual([130, null]);
  const results = json<FleetReport>(end).units.map(({ name, result }) => [name, result]);
  expect(results.at(-1)).toEqual(['acc-1', 'ok']);
  expect(results.slice(0, 2).map(([, result]) => result)).not.toContain('ok');
});

it('killed in the middle of an apply, the next one continues, and then a plan of everything is empty', async () => {
  await open();
  const deliver = sandbox.deliver.bind(sandbox);
  let writes = 0;
  const { child, ended } = fleet('apply', '--auto-approve', '--first-apply');
  sandbox.deliver = async (request) => {
    const delivery = await deliver(request);
    if (request.method !== 'GET') writes += 1;
    // The second account has been written to, and is not told so.
    if (writes === 4) child.kill('SIGKILL');
    return delivery;
  };
  expect((await ended).signal).toBe('SIGKILL');
  const next = await again('apply', '--auto-approve', '--first-apply');
  expect(next.code, next.stderr).toBe(0);
  const plan = json<FleetReport>(await again('plan'));
  expect([plan.exit_code, plan.stakes.changes, plan.stakes.before]).toEqual([0, 0, '1.5045']);
});
