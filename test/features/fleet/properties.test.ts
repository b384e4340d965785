import { expect, it } from 'vitest';
import { runApply } from '../../../src/core/features/apply.ts';
import { runApplyFleet } from '../../../src/kit/fleet/apply.ts';
import { runReading } from '../../../src/kit/fleet/commands.ts';
import { runMerge } from '../../../src/kit/fleet/merge.ts';
import { projectFiles } from '../../cmd/run.ts';
import fc from '../../properties.ts';
import { runInMemory } from '../in-memory.ts';
import { canary, type FleetRun, openFleetRun } from './fleet-run.ts';

/** What an account is like: what its manifests want, and what became of it since they were applied. */
type Account = 'new' | 'applied' | 'changed' | 'stopped' | 'broken' | 'refused' | 'no token' | 'unreachable';

const account = fc.constantFrom<Account>(
  'new',
  'applied',
  'changed',
  'stopped',
  'broken',
  'refused',
  'no token',
  'unreachable',
);
const QUIET = { output: 'json', quiet: true } as const;
const AUTO = { ...QUIET, autoApprove: true, firstApply: true } as const;

async function open(accounts: readonly Account[]): Promise<FleetRun> {
  const fleet = await openFleetRun(accounts.length);
  const before = new Set<Account>(['applied', 'changed', 'stopped']);
  const select = accounts.flatMap((one, at) => (before.has(one) ? [`acc-${at + 1}`] : []));
  if (select.length > 0) await fleet.run((io) => runApplyFleet(undefined, { ...AUTO, select }, io));
  for (const [at, one] of accounts.entries()) {
    const folder = `accounts/acc-${at + 1}`;
    if (one === 'changed')
      for (const [name, text] of Object.entries(projectFiles({ buy: '0.7' })))
        fleet.write(`${folder}/${name}`, text);
    if (one === 'broken') fleet.write(`${folder}/manifests/bad.yaml`, 'kind: Nothing\n');
    if (one === 'refused')
      fleet.write(
        `${folder}/tradeform.yaml`,
        'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { guardrails: { max_starts: 0 } }\n',
      );
    if (one === 'unreachable') {
      const fault = { type: 'error', code: 'invalid_api_token' } as const;
      fleet.sandbox.faults.add({ token: canary(at + 1).slice(0, 17), times: 0, fault });
    }
    if (one !== 'stopped') continue;
    const [task] = [...fleet.sandbox.state.tasks.values()].filter(
      ({ account: of }) => of === `account-${at + 1}`,
    );
    fleet.sandbox.editStored(task?.id ?? '', { is_active: false });
  }
  return fleet;
}

function envOf(accounts: readonly Account[]): Record<string, string> {
  return Object.fromEntries(
    accounts.flatMap((one, at) => (one === 'no token' ? [[`TRADEFORM_TOKEN_ACC_${at + 1}`, '']] : [])),
  );
}

function timeless(stdout: string): unknown {
  const same = stdout.replaceAll(/"created_at": "[^"]*"/g, '"created_at": ""');
  return JSON.parse(same.replaceAll(/\(request [0-9a-f-]{36}\)/g, '(request)'));
}

it('any number of shards merged equals one run, whatever the accounts are like', async () => {
  const command = fc.constantFrom('plan', 'status', 'validate' as const);
  const accounts = fc.array(account, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(accounts, fc.integer({ min: 1, max: 5 }), command, async (all, of, what) => {
      const fleet = await open(all);
      const env = envOf(all);
      const run = (shard: object) =>
        fleet.run((io) => runReading(what as 'plan', { ...QUIET, ...shard }, io), { env });
      const whole = await run({});
      for (let index = 1; index <= of; index += 1)
        fleet.write(`shards/${index}.json`, (await run({ shard: `${index}/${of}`, run: 'r' })).stdout);
      const merged = await fleet.run((io) => runMerge('shards', QUIET, io));
      expect([merged.code, timeless(merged.stdout)]).toEqual([whole.code, timeless(whole.stdout)]);
    }),
    { numRuns: 12 },
  );
});

it('a fleet apply equals the single applies one after the other, whatever the accounts are like', async () => {
  const accounts = fc.array(account, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(accounts, fc.integer({ min: 1, max: 4 }), async (all, accountsAtOnce) => {
      const [together, alone] = [await open(all), await open(all)];
      const env = envOf(all);
      const report = await together.run((io) => runApplyFleet(undefined, { ...AUTO, accountsAtOnce }, io), {
        env,
      });
      const units = JSON.parse(report.stdout).units as {
        name: string;
        exit_code: number;
        document: object;
      }[];
      for (const [at] of all.entries()) {
        const token = env[`TRADEFORM_TOKEN_ACC_${at + 1}`] ?? canary(at + 1);
        const single = await runInMemory(
          {
            cwd: `${alone.path}/accounts/acc-${at + 1}`,
            env: { PATH: process.env.PATH, TRADEFORM_BASE_URL: alone.baseUrl, TRADEFORM_TOKEN: token },
          },
          (io) => runApply(undefined, AUTO, io),
        );
        const unit = units.find(({ name }) => name === `acc-${at + 1}`);
        expect([all[at], unit?.exit_code]).toEqual([all[at], single.code]);
        if (single.stdout !== '') {
          const { outcome, summary } = JSON.parse(single.stdout);
          expect(unit?.document).toMatchObject({ outcome, summary });
        }
        expect(together.tasksOf(at + 1)).toEqual(alone.tasksOf(at + 1));
      }
    }),
    { numRuns: 10 },
  );
});
