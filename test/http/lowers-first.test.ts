import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import type { SeedAccount, SeedTask } from '../../src/core/model/generated/sandbox.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import { parseRemark } from '../../src/core/model/marker.ts';
import type { SandboxRequest } from '../../src/sandbox/request.ts';
import { tradeform } from '../cmd/run.ts';
import { copyTradeConfig, seedTask, sniperConfig, walletOf } from '../support/builders.ts';
import { json, killLeftovers, start } from './program.ts';
import { makeRepository } from './repository.ts';
import { type Service, startService } from './service.ts';

/** What each task has, and what git wants: `null` is off, or not there. The names are in an order that no rule gives. */
const AMOUNTS: Readonly<Record<string, readonly [before: string | null, after: string | null]>> = {
  'copy-trade/ansem': ['9', '0.3'],
  'sniper/alpha': ['0.1', '0.4'],
  'sniper/cut': ['0.5', '0.4'],
  'sniper/halt': ['2', null],
  'sniper/new': [null, '0.2'],
  'sniper/tagged': ['3', '1'],
  'sniper/wide': ['1', '1'],
  'sniper/widest': ['0.1', '0.2'],
  'sniper/words': ['0.1', '0.1'],
};
const LOWERED = ['copy-trade/ansem', 'sniper/halt', 'sniper/tagged', 'sniper/cut'];
const RAISED = ['sniper/wide', 'sniper/widest', 'sniper/alpha', 'sniper/new'];
const ORDER = ['label/fresh', ...LOWERED, 'sniper/words', ...RAISED];
const APPLY = ['apply', '--auto-approve', '--quiet'];

function configOf(address: string, amount: string, after: boolean): JsonObject {
  if (!address.startsWith('copy-trade/'))
    return sniperConfig({
      buy_amount: amount,
      relay_mode: {
        ...(sniperConfig().relay_mode as JsonObject),
        slippage: after ? slippageOf(address) : '20',
      },
    });
  const universal = copyTradeConfig().buy_config_universal as JsonObject;
  return copyTradeConfig({ buy_config_universal: { ...universal, amount_sol: amount } });
}

function slippageOf(address: string): string {
  return address === 'sniper/wide' ? '30' : '20';
}

const tasks = Object.entries(AMOUNTS).map(([address, amounts], index) => {
  const [kind = '', name = ''] = address.split('/');
  return { address, kind: kind as 'sniper' | 'copy-trade', name, amounts, index: index + 1 };
});
const account: SeedAccount = {
  tasks: tasks.flatMap(({ address, kind, name, amounts: [before], index }): readonly SeedTask[] =>
    before === null
      ? []
      : [
          seedTask(index, {
            kind,
            remark: `Note [git:core/${name}@0]`,
            target_wallet: walletOf(name),
            config: configOf(address, before, false),
          }),
        ],
  ),
};
const repository = makeRepository([
  { kind: 'Label', metadata: { name: 'fresh' }, spec: {} },
  ...tasks.map(({ address, kind, name, amounts: [before, after] }) => ({
    kind: kind === 'sniper' ? 'SniperTask' : 'CopyTradeTask',
    metadata: { name },
    spec: {
      state: after === null ? 'paused' : 'active',
      remark: name === 'words' ? 'Other words' : 'Note',
      target_wallet: walletOf(name),
      config: configOf(address, after ?? before ?? '', after !== null),
      ...(name === 'tagged' ? { label: 'fresh' } : {}),
    },
  })),
]);

let service: Service;
/** The address of each write, where it is the first one of its address. */
let begun: string[];

beforeAll(async () => {
  service = await startService();
});
beforeEach(() => {
  service.reset(account);
  begun = [];
  service.hooks = { before: (_, request) => void noted(request) };
});
afterAll(killLeftovers);

function addressOf({ path, body }: SandboxRequest): string {
  if (path.startsWith('/labels')) return 'label/fresh';
  const task = service.sandbox.state.tasks.get(/configs\/([^/?]+)/.exec(path)?.[1] ?? '');
  const remark = parseRemark(task?.remark ?? String((JSON.parse(String(body)) as JsonObject).remark));
  if (remark.type !== 'marked') throw new Error(`no marker: ${path}`);
  return `${task?.collection ?? 'sniper'}/${remark.marker.name}`;
}

function noted(request: SandboxRequest): string | undefined {
  if (request.method === 'GET') return undefined;
  const address = addressOf(request);
  if (!begun.includes(address)) begun.push(address);
  return address;
}

const run = (args: readonly string[]) => tradeform(args, { cwd: repository.path, env: service.env });

function stakes(): Readonly<Record<string, string>> {
  const all = [...service.sandbox.state.tasks.values()];
  return Object.fromEntries(
    all.map(({ id, is_active: runs, config }) => {
      const address = tasks.find(({ index }) => id === seedTask(index).id)?.address ?? 'sniper/new';
      const universal = config.buy_config_universal as JsonObject | undefined;
      return [address, runs ? String(universal?.amount_sol ?? config.buy_amount) : 'off'];
    }),
  );
}

it('what lowers the stake most goes first, as the plan says, and the smallest start last', async () => {
  const plan = JSON.parse((await run(['plan', '-o', 'json'])).stdout) as Plan;
  expect([...new Set(plan.operations.map(({ address }) => address))]).toEqual(ORDER);
  expect((await run([...APPLY, '--concurrency', '1'])).code).toBe(0);
  expect(begun).toEqual(ORDER);
});

it('side by side, nothing that raises or starts begins before all that lowers has begun', async () => {
  expect((await run(APPLY)).code).toBe(0);
  const places = (of: readonly string[]) => of.map((address) => begun.indexOf(address));
  expect(Math.max(...places(LOWERED)), begun.join()).toBeLessThan(Math.min(...places(RAISED)));
  expect(begun.toSorted()).toEqual(ORDER.toSorted());
});

it('a resume starts the smallest stake first', async () => {
  expect((await run(['pause', '--all'])).code).toBe(0);
  begun = [];
  const resume = ['resume', '--all', '--auto-approve', '--as-stored', '--concurrency', '1'];
  expect((await run(resume)).code).toBe(0);
  const amounts = begun.flatMap((address) => AMOUNTS[address]?.[0] ?? []).map(Number);
  expect(amounts).toEqual([0.1, 0.1, 0.1, 0.5, 1, 3, 9]);
});

it('Ctrl-C at the first raise: all that lowers is done', async () => {
  const { child, ended, heard } = start([...APPLY, '--concurrency', '2', '-o', 'json'], {
    cwd: repository.path,
    env: service.env,
  });
  let stopped = false;
  service.hooks = {
    before: async (_, request) => {
      const address = noted(request);
      if (stopped || !RAISED.includes(address ?? '')) return undefined;
      stopped = true;
      child.kill('SIGINT');
      await heard('Ctrl-C again stops at once');
      return undefined;
    },
  };
  const { code, stderr } = await ended;
  expect(code, stderr).toBe(130);
  expect(stakes()).toMatchObject({
    'copy-trade/ansem': '0.3',
    'sniper/cut': '0.4',
    'sniper/halt': 'off',
    'sniper/tagged': '1',
  });
});

it('Ctrl-C before the cuts, and a cut that is refused: the result says first what is still high', async () => {
  const { child, ended, heard } = start([...APPLY, '--concurrency', '1', '-o', 'json'], {
    cwd: repository.path,
    env: service.env,
  });
  service.hooks = {
    before: async (_, request) => {
      if (noted(request) !== 'copy-trade/ansem') return undefined;
      service.hooks = {};
      child.kill('SIGINT');
      await heard('Ctrl-C again stops at once');
      return undefined;
    },
  };
  const interrupted = json<ApplyReport>(await ended);
  expect(interrupted.still_high.map(({ address, text }) => `${address} ${text}`)).toEqual([
    'sniper/halt 2.0025 → 0 SOL',
    'sniper/tagged 3.0025 → 1.0025 SOL',
    'sniper/cut 0.5025 → 0.4025 SOL',
  ]);
  const refused = { code: 'validation_error', message: 'No.', request_id: 'r1' };
  service.hooks = {
    before: (_, request) => {
      const isConfig = request.method === 'PATCH' && String(request.body).includes('"config"');
      return isConfig && addressOf(request) === 'sniper/tagged'
        ? { status: 422, headers: {}, body: JSON.stringify({ success: false, error: refused }) }
        : undefined;
    },
  };
  const { code, stdout } = await run(['apply', '--auto-approve']);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /FAILED: 1 STILL HIGH, [^!]*\n\nSTILL HIGH \(1\)[^!]*! sniper\/tagged: The change was refused[^!]*\n *3\.0025 → 1\.0025 SOL/,
  );
  expect(stakes()).toMatchObject({ 'sniper/tagged': '3', 'sniper/cut': '0.4', 'sniper/alpha': '0.4' });
});
