import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SeedTask } from '../../src/core/model/generated/sandbox.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import { configFor, uuid, walletOf } from '../support/builders.ts';
import { CANARY, folder, type RunningSandbox, startSandbox, tradeform } from './run.ts';

/** A desk that grew by hand: three kinds, repeated remarks and wallets, clones, a few settings in many tasks. */
const KINDS = ['sniper', 'copy-trade', 'transfer-snipe'] as const;
const LABELS = ['High risk', 'Majors', '🔥 hot', 'Paused for now'];
const REMARKS = [
  'Follow whale',
  'Launches',
  'Pier watch',
  '',
  '🐳',
  'Über die Börse',
  'A rather long remark about what this one is for, by hand',
];
const TASKS = 120;

/** Every tenth is a snapshot of another time. */
const LEGACY: readonly JsonObject[] = [
  { since_dropped: true },
  { since_dropped: 'x', routing: { old: [1, 2] } },
  { bundle_amount: 0.1, turbo_mode: false },
];

function task(index: number): SeedTask {
  const kind = KINDS[index % 3] ?? 'sniper';
  const remark = REMARKS[index % REMARKS.length] ?? '';
  const legacy = index % 10 === 0;
  const amounts = ['0.1', '0.25', '0.5'];
  const config = configFor(kind, {
    buy_once: index % 7 === 0,
    ...(kind === 'copy-trade' ? {} : { buy_amount: amounts[index % 3] ?? '1' }),
    ...(legacy ? LEGACY[index % LEGACY.length] : {}),
  });
  const label = LABELS[index % 6];
  return {
    kind,
    id: uuid(index + 1),
    remark: remark === '' ? '' : `${remark} ${index % 20}`,
    target_wallet: kind === 'copy-trade' ? walletOf(`copied ${index}`) : walletOf(`own ${index % 5}`),
    is_active: index % 4 !== 0,
    config,
    legacy,
    ...(label === undefined ? {} : { label }),
    ...(kind === 'copy-trade' ? { linked_wallets: [walletOf(`alt ${index % 8}`)] } : {}),
  };
}

const ACCOUNT = {
  login_username: 'whales',
  tokens: [{ token: CANARY }],
  quota: { max: 150 },
  labels: LABELS.map((name, index) => ({ name, sort_order: index })),
  templates: [
    { kind: 'sniper', name: 'Launch base', config: configFor('sniper') },
    { kind: 'copy-trade', name: 'Follow base', config: configFor('copy-trade') },
  ],
  tasks: Array.from({ length: TASKS }, (_, index) => task(index)),
};

let sandbox: RunningSandbox;
const repository = folder({ 'seed.json': JSON.stringify({ accounts: [ACCOUNT] }) });

beforeAll(async () => {
  sandbox = await startSandbox([], `${repository.path}/seed.json`);
});

afterAll(async () => {
  rmSync(repository.path, { recursive: true, force: true });
});

async function tasksNow(): Promise<ReadonlyMap<string, boolean>> {
  const found = new Map<string, boolean>();
  for (const kind of KINDS) {
    const url = `${sandbox.baseUrl}/${kind}/configs?limit=100`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${sandbox.token}` } });
    const { data } = (await response.json()) as { data: { items: { id: string; is_active: boolean }[] } };
    for (const { id, is_active } of data.items) found.set(id, is_active);
  }
  return found;
}

it('120 tasks made by hand are in git after export and apply: nothing is paused, and nothing is left to do', async () => {
  const env = { TRADEFORM_TOKEN: sandbox.token, TRADEFORM_BASE_URL: sandbox.baseUrl };
  const run = (...args: string[]) => tradeform(args, { cwd: repository.path, env });
  const before = await tasksNow();
  expect(before.size).toBe(TASKS);

  const exported = await run('export', '--out', 'desk', '--project-name', 'desk', '--presets');
  expect(exported).toMatchObject({ code: 0 });
  expect(
    exported.stdout.match(/^created {2}manifests\/(?:sniper|copy-trade|transfer-snipe)\//gm),
  ).toHaveLength(TASKS);
  expect(exported.stderr).toContain(`The next plan would adopt ${TASKS} tasks.`);

  // The pin that export wrote confirms the account: no --first-apply.
  const applied = await run('-C', 'desk', 'apply', '--auto-approve', '-o', 'json');
  expect(applied).toMatchObject({ code: 0 });
  const { changes } = JSON.parse(applied.stdout) as { changes: { actions: string[]; status: string }[] };
  expect(changes.filter(({ status, actions }) => status !== 'done' || !actions.includes('adopt'))).toEqual(
    [],
  );
  expect(changes).toHaveLength(TASKS);
  expect(await tasksNow()).toEqual(before);

  expect(await run('-C', 'desk', 'plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
  expect(await run('-C', 'desk', 'validate')).toMatchObject({ code: 0 });
  expect(await run('-C', 'desk', 'fmt', '--check')).toMatchObject({ code: 0, stdout: '' });
  // The ids were for the adoption.
  const dropped = await run('export', '--out', 'desk');
  expect(dropped.stdout.match(/^updated {2}manifests\//gm)).toHaveLength(TASKS);
  expect((await run('export', '--out', 'desk')).stdout).toBe(
    'Nothing to write: the manifests match the live state.\n',
  );
  expect(await run('-C', 'desk', 'plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
}, 180_000);
