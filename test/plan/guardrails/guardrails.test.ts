import { describe, expect, test } from 'vitest';
import { GUARDRAILS, type GuardrailLimits, STANDARD } from '../../../src/core/desired/guardrails/settings.ts';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { JsonObject } from '../../../src/core/model/json.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { isRefused, makePlan } from '../../../src/core/plan/plan.ts';
import {
  copyTradeConfig,
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  removal,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { brief, limit, list, origin, planUnder, policy, said, type World } from './judging.ts';

function task(name: string, over: Partial<DesiredTask> = {}): DesiredTask {
  return desiredTask(name, { origin, ...over });
}

/** Desired tasks `t0`, `t1`, … */
function tasks(number: number, over: Partial<DesiredTask> = {}): DesiredTask[] {
  return Array.from({ length: number }, (_, index) => task(`t${index}`, over));
}

/** The same on the service, running and as wanted. */
function owned(number: number, over: Partial<LiveTask> = {}): LiveTask[] {
  return Array.from({ length: number }, (_, index) =>
    liveTask(index + 1, { remark: `Note [git:core/t${index}@1]`, ...over }),
  );
}

function world(desired: readonly DesiredTask[], live: readonly LiveTask[] = []): World {
  return { desired: desiredState(desired), live: liveState(live) };
}

const MODE = { tip_amount: '0.001', priority_fee: '0.0005', slippage: '10' };
const SET = copyTradeConfig().buy_config_universal as JsonObject;
const RUNS = owned(1);
const NOTHING = world(tasks(1), RUNS);

function sniper(over: JsonObject): World {
  return world([task('a', { config: sniperConfig(over) })]);
}

function copyTrade(over: JsonObject): World {
  return world([task('a', { collection: 'copy-trade', config: copyTradeConfig(over) })]);
}

const ONCE = { ...SET, amount_sol: '0.1' };

function tiered(amount_sol: string): JsonObject {
  return { buy_config_mode: 'tiered', buy_config_tiers: [{ ...SET, amount_sol }] };
}

/** A copy-trade task that bought 0.1 SOL in universal mode. */
function buying(over: JsonObject): World {
  const before = copyTradeConfig({ buy_config_mode: 'universal', buy_config_universal: ONCE });
  return world(
    [task('t0', { collection: 'copy-trade', config: { ...before, ...over } })],
    owned(1, { collection: 'copy-trade', config: before, linked_wallets: [] }),
  );
}

function withWallets(over: Partial<DesiredTask>, wallets: Readonly<Record<string, string>> = {}): World {
  const desired = [task('a', { collection: 'copy-trade', ...over })];
  return {
    desired: desiredState(desired, [], { wallets: new Map(Object.entries(wallets)) }),
    live: liveState([]),
  };
}

function labelled(label: string | null): World {
  const labels = [desiredLabel('hot'), desiredLabel('cold')];
  return { desired: desiredState([task('a', { label })], labels), live: liveState([]) };
}

/** Tasks that nobody manages yet, and manifests that name them. */
const UNMARKED = Array.from({ length: 3 }, (_, index) => liveTask(index + 1, { remark: 'Note' }));
const named = (number: number, over: Partial<DesiredTask> = {}) =>
  tasks(number, over).map((one, index) => ({ ...one, id: uuid(index + 1) }));

/** The desired tasks, and t0 is released, which runs. */
const releasing = (desired: readonly DesiredTask[], live: readonly LiveTask[]): World => ({
  desired: desiredState(desired, [], { removals: [removal('sniper/t0')] }),
  live: liveState(live),
});

const COPY = task('c', { collection: 'copy-trade', target_wallet: wallet(9) });

interface Case {
  readonly why: string;
  /** One. */
  readonly limits: GuardrailLimits;
  readonly refused: World;
  /** What the message holds: guardrail, value, limit, address. */
  readonly says: string;
  /** The field of the manifest that is its place, if it is not the project file. */
  readonly at?: string;
  readonly passes: World;
}

const ROWS: readonly Case[] = [
  {
    why: 'a number',
    limits: { max_deletes: limit({ count: 1, percent: 0 }) },
    refused: world(tasks(1), owned(3)),
    says: 'deletes 2 tasks (sniper/t1, sniper/t2), but max_deletes allows 1.',
    passes: world(tasks(2), owned(3)),
  },
  {
    why: 'a share of the owned tasks, rounded up',
    limits: { max_deletes: limit({ count: 0, percent: 20 }) },
    refused: world(tasks(7), owned(11)),
    says: 'deletes 4 tasks (sniper/t10, sniper/t7, sniper/t8, sniper/t9), but max_deletes allows 3, 20% of 11 owned tasks.',
    passes: world(tasks(8), owned(11)),
  },
  {
    why: 'a replacement is no delete',
    limits: { max_deletes: limit({ count: 0, percent: 0 }) },
    refused: { ...world([], owned(1)), options: { allowEmpty: true } },
    says: 'deletes 1 task (sniper/t0), but max_deletes allows 0.',
    passes: world(tasks(1, { target_wallet: wallet(1) }), owned(1)),
  },
  {
    why: 'a share, and none where no task is owned yet',
    limits: { max_starts: limit({ count: 0, percent: 10 }) },
    refused: world(tasks(2, { rearm: 'b' }), owned(2, { is_active: false })),
    says: 'starts 2 tasks (sniper/t0, sniper/t1), but max_starts allows 1, 10% of 2 owned tasks.',
    passes: world(tasks(2)),
  },
  {
    why: 'every resource that is written to',
    limits: { max_changes: limit({ count: 2, percent: 0 }) },
    refused: { desired: desiredState(tasks(2), [desiredLabel('x')]), live: liveState([]) },
    says: 'changes 3 resources (label/x, sniper/t0, sniper/t1), but max_changes allows 2.',
    passes: world(tasks(2)),
  },
  {
    why: 'what an adoption changes besides the marker',
    limits: { max_changes: limit({ count: 0, percent: 0 }) },
    refused: world(named(1, { note: 'Another' }), UNMARKED),
    says: 'changes 1 resource (sniper/t0), but max_changes allows 0.',
    passes: world(named(3), UNMARKED),
  },
  {
    why: 'a release, after which no pause reaches the task',
    limits: { max_changes: limit({ count: 0, percent: 0 }) },
    refused: releasing(tasks(2).slice(1), owned(2)),
    says: 'changes 1 resource (sniper/t0), but max_changes allows 0.',
    passes: world(tasks(2), owned(2)),
  },
  {
    why: 'a task that is released trades on, and makes no room',
    limits: { max_exposure_rise: limit({ sol: '0.5' }) },
    refused: releasing([task('b')], owned(1)),
    says: 'raises the stake per trigger by 0.5025 SOL (from 0 to 0.5025), but max_exposure_rise allows 0.5 SOL.',
    passes: { ...world([task('b')], owned(1)), options: { allowEmpty: true } },
  },
  {
    why: 'new tasks too, where the limit is written',
    limits: { max_starts: limit({ count: 1, percent: 0 }) },
    refused: world(tasks(2)),
    says: 'starts 2 tasks (sniper/t0, sniper/t1), but max_starts allows 1.',
    passes: world([...tasks(1), task('idle', { state: 'paused' })]),
  },
  {
    why: 'what finishes an interrupted apply is no start',
    limits: { max_starts: limit({ count: 0, percent: 0 }) },
    refused: world(tasks(1, { rearm: 'b' }), owned(1, { is_active: false })),
    says: 'starts 1 task (sniper/t0), but max_starts allows 0.',
    passes: world(tasks(1), owned(1, { is_active: false, version: 1 })),
  },
  {
    why: 'the sum of all',
    limits: { max_exposure: limit('1') },
    refused: world(tasks(2), owned(1)),
    says: 'puts 1.005 SOL (now 0.5025) at stake per trigger, but max_exposure allows 1 SOL.',
    passes: world(tasks(1)),
  },
  {
    why: 'SOL',
    limits: { max_exposure_rise: limit({ sol: '0.5' }) },
    refused: world(tasks(2), owned(1)),
    says: 'raises the stake per trigger by 0.5025 SOL (from 0.5025 to 1.005), but max_exposure_rise allows 0.5 SOL.',
    passes: world([...tasks(1), task('b', { config: sniperConfig({ buy_amount: '0.4975' }) })], owned(1)),
  },
  {
    why: 'a share of what is at stake',
    limits: { max_exposure_rise: limit({ percent: 99 }) },
    refused: world(tasks(2), owned(1)),
    says: 'by 0.5025 SOL (from 0.5025 to 1.005), but max_exposure_rise allows 99%.',
    // Of nothing there is no share.
    passes: world(tasks(2)),
  },
  {
    why: 'a share of just as much more',
    limits: { max_exposure_rise: limit({ percent: 100 }) },
    refused: world(tasks(3), owned(1)),
    says: 'by 1.005 SOL (from 0.5025 to 1.5075), but max_exposure_rise allows 100%.',
    passes: world(tasks(2), owned(1)),
  },
  {
    why: 'a point that slipped',
    limits: { max_factor: limit('10') },
    refused: world(tasks(1, { config: sniperConfig({ buy_amount: '5.000000000001' }) }), RUNS),
    says: 'sniper/t0: config.buy_amount grows from 0.5 to 5.000000000001, but max_factor allows 10 times as much.',
    at: 'config.buy_amount',
    passes: world(tasks(1, { config: sniperConfig({ buy_amount: '5' }) }), RUNS),
  },
  {
    why: 'of a task that is off',
    limits: { max_factor: limit('1.5') },
    refused: world(
      tasks(1, { state: 'paused', config: sniperConfig({ relay_mode: { ...MODE, slippage: '16' } }) }),
      owned(1, { is_active: false }),
    ),
    says: 'sniper/t0: config.relay_mode.slippage grows from 10 to 16, but max_factor allows 1.5 times as much.',
    at: 'config.relay_mode.slippage',
    // A new task, and what was nothing.
    passes: world(
      [task('new'), ...tasks(1, { config: sniperConfig({ relay_mode: { ...MODE, bundle_amount: '1' } }) })],
      RUNS,
    ),
  },
  {
    why: 'of a replacement, against the task whose place it takes',
    limits: { max_factor: limit('10') },
    refused: world(
      tasks(1, {
        target_wallet: wallet(1),
        config: sniperConfig({ priority_mode: { ...MODE, tip_amount: '0.021' } }),
      }),
      RUNS,
    ),
    says: 'sniper/t0: config.priority_mode.tip_amount grows from 0.002 to 0.021, but max_factor allows 10 times as much.',
    at: 'config.priority_mode.tip_amount',
    passes: world(
      tasks(1, {
        target_wallet: wallet(1),
        config: sniperConfig({ priority_mode: { ...MODE, tip_amount: '0.02' } }),
      }),
      RUNS,
    ),
  },
  {
    why: 'of the side that begins to buy, against what bought before',
    limits: { max_factor: limit('10') },
    refused: buying(tiered('1.1')),
    says: 'copy-trade/t0: config.buy_config_tiers[0].amount_sol makes the largest buy grow from 0.1 to 1.1, but max_factor allows 10 times as much.',
    at: 'config.buy_config_tiers[0].amount_sol',
    passes: buying(tiered('1')),
  },
  {
    why: 'one task',
    limits: { max_task_exposure: limit('0.6') },
    refused: sniper({ buy_amount: '0.6' }),
    says: 'sniper/a: 0.6025 SOL at stake per trigger, but max_task_exposure allows 0.6 SOL.',
    at: 'config',
    passes: world([...tasks(2), task('b', { state: 'paused', config: sniperConfig({ buy_amount: '9' }) })]),
  },
  {
    why: 'a sniper',
    limits: { max_buy_amount: limit('0.5') },
    refused: sniper({ buy_amount: '0.500000000001' }),
    says: 'sniper/a: config.buy_amount is 0.500000000001, but max_buy_amount allows 0.5 SOL.',
    at: 'config.buy_amount',
    passes: sniper({ buy_amount: '0.50' }),
  },
  {
    why: 'a tier that sleeps',
    limits: { max_buy_amount: limit('1') },
    refused: copyTrade({ buy_config_tiers: [SET, { ...SET, amount_sol: '10' }] }),
    says: 'copy-trade/a: config.buy_config_tiers[1].amount_sol is 10, but max_buy_amount allows 1 SOL.',
    at: 'config.buy_config_tiers[1].amount_sol',
    passes: copyTrade({
      buy_config_mode: 'tiered',
      buy_config_tiers: [SET],
      buy_config_universal: { ...SET, amount_sol: '' },
    }),
  },
  {
    why: 'of the second route',
    limits: { max_tip: limit('0.01') },
    refused: sniper({ priority_mode: { ...MODE, tip_amount: '0.02' } }),
    says: 'sniper/a: config.priority_mode.tip_amount is 0.02, but max_tip allows 0.01 SOL.',
    at: 'config.priority_mode.tip_amount',
    passes: sniper({ priority_mode: { ...MODE, tip_amount: '0.01', priority_fee: '9' } }),
  },
  {
    why: 'of copy trading',
    limits: { max_tip: limit('0.01') },
    refused: copyTrade({ buy_config_universal: { ...SET, relay_tip: '0.02' } }),
    says: 'config.buy_config_universal.relay_tip is 0.02, but max_tip allows 0.01 SOL.',
    at: 'config.buy_config_universal.relay_tip',
    passes: copyTrade({ buy_config_universal: { ...SET, relay_priority_fee: '0.02' } }),
  },
  {
    why: 'of the first route',
    limits: { max_priority_fee: limit('0.01') },
    refused: sniper({ relay_mode: { ...MODE, priority_fee: '0.02' } }),
    says: 'sniper/a: config.relay_mode.priority_fee is 0.02, but max_priority_fee allows 0.01 SOL.',
    at: 'config.relay_mode.priority_fee',
    passes: sniper({ relay_mode: { ...MODE, tip_amount: '0.02' } }),
  },
  {
    why: 'of a tier, by the direct route',
    limits: { max_slippage: limit('20') },
    refused: copyTrade({
      buy_config_mode: 'tiered',
      buy_config_tiers: [{ ...SET, priority_slippage: '90' }],
    }),
    says: 'copy-trade/a: config.buy_config_tiers[0].priority_slippage is 90, but max_slippage allows 20 percent.',
    at: 'config.buy_config_tiers[0].priority_slippage',
    passes: copyTrade({ buy_config_mode: 'tiered', buy_config_tiers: [{ ...SET, priority_slippage: '20' }] }),
  },
  {
    why: 'of a sniper',
    limits: { max_slippage: limit('20') },
    refused: sniper({ relay_mode: { ...MODE, slippage: '20.5' } }),
    says: 'sniper/a: config.relay_mode.slippage is 20.5, but max_slippage allows 20 percent.',
    at: 'config.relay_mode.slippage',
    passes: sniper({}),
  },
  {
    why: 'a name',
    limits: { allowed_dexes: limit(list('pump-fun', 'bags')) },
    refused: sniper({ selected_dexes: ['pump-fun', 'launchlab'] }),
    says: 'sniper/a: config.selected_dexes contains launchlab, but allowed_dexes allows pump-fun, bags.',
    at: 'config.selected_dexes[1]',
    passes: sniper({ selected_dexes: ['bags'] }),
  },
  {
    why: 'a name in a tier',
    limits: { allowed_dexes: limit(list('pump-fun', 'pump-amm')) },
    refused: copyTrade({
      dex_source: 'config',
      buy_config_tiers: [{ ...SET, selected_dexes: ['launchlab'] }],
    }),
    says: 'config.buy_config_tiers[0].selected_dexes contains launchlab',
    at: 'config.buy_config_tiers[0].selected_dexes[0]',
    passes: copyTrade({ dex_source: 'config', buy_config_tiers: [{ ...SET, selected_dexes: ['pump-amm'] }] }),
  },
  {
    why: 'a list that nobody can see',
    limits: { allowed_dexes: limit(list('pump-fun', 'bags')) },
    refused: sniper({ dex_source: 'global' }),
    says: 'sniper/a: config.dex_source is global, so the account’s own list decides, which tradeform cannot see; allowed_dexes allows',
    at: 'config.dex_source',
    passes: sniper({ dex_source: 'config' }),
  },
  {
    why: 'a target',
    limits: { allowed_wallets: limit(list(wallet(1), 'ours')) },
    refused: withWallets({ target_wallet: wallet(2) }, { ours: wallet(3) }),
    says: `copy-trade/a: target_wallet is ${wallet(2)}, but allowed_wallets allows ${wallet(1)}, ours.`,
    at: 'target_wallet',
    passes: withWallets({ target_wallet: wallet(3), linked_wallets: [wallet(1)] }, { ours: wallet(3) }),
  },
  {
    why: 'a linked one, by its name',
    limits: { forbidden_wallets: limit(list('rug')) },
    refused: withWallets(
      { target_wallet: wallet(1), linked_wallets: [wallet(2), wallet(3)] },
      { rug: wallet(3) },
    ),
    says: `copy-trade/a: linked_wallets[1] is ${wallet(3)} (rug), but forbidden_wallets names rug.`,
    at: 'linked_wallets[1]',
    passes: withWallets({ target_wallet: wallet(1), linked_wallets: [wallet(2)] }, { rug: wallet(3) }),
  },
  {
    why: 'any',
    limits: { require_label: limit(true as const) },
    refused: labelled(null),
    says: 'sniper/a has no label, but require_label requires one.',
    at: 'label',
    passes: labelled('cold'),
  },
  {
    why: 'one of a list',
    limits: { require_label: limit(list('hot')) },
    refused: labelled('cold'),
    says: 'sniper/a has the label cold, but require_label requires one of hot.',
    at: 'label',
    passes: labelled('hot'),
  },
  {
    why: 'from deletion',
    limits: { protect: limit(list('copy-trade/*', 'sniper/t*')) },
    refused: world([...tasks(1), COPY], owned(2)),
    says: 'deletes sniper/t1, but protect contains sniper/t*.',
    passes: world(
      [...tasks(1), task('b'), COPY],
      [...owned(1), liveTask(9, { remark: 'Note [git:core/gone@1]' })],
    ),
  },
  {
    why: 'from replacement',
    limits: { protect: limit(list('sniper/t0')) },
    refused: world(tasks(1, { target_wallet: wallet(1) }), RUNS),
    says: 'replaces sniper/t0, but protect contains sniper/t0.',
    at: 'target_wallet',
    passes: world(tasks(1, { config: sniperConfig({ buy_amount: '0.7' }) }), RUNS),
  },
  {
    why: 'from a stop',
    limits: { protect: limit(list('*/t0')) },
    refused: world(tasks(1, { state: 'paused' }), RUNS),
    says: 'stops sniper/t0, but protect contains */t0.',
    at: 'state',
    passes: NOTHING,
  },
  {
    why: 'from a rename to an address that no entry covers',
    limits: { protect: limit(list('sniper/t0', 'sniper/t1*')) },
    refused: world([task('b', { previousName: 't0' }), task('t1')], owned(2)),
    says: 'renames sniper/t0 to sniper/b, but protect contains sniper/t0.',
    at: 'metadata.previous_name',
    passes: world([task('t10', { previousName: 't0' }), task('t1')], owned(2)),
  },
];

const CASES = ROWS.map((row) => ({ ...row, guardrail: GUARDRAILS.find((name) => name in row.limits) }));

describe('each guardrail', () => {
  test.each(CASES)('$guardrail refuses: $why', ({ guardrail = '', limits, refused, says, at }) => {
    const plan = planUnder(limits, refused);
    const [first, ...more] = said(plan);
    expect(isRefused(plan)).toBe(true);
    expect(first).toMatchObject({
      severity: 'error',
      code: `guardrail-${guardrail.replaceAll('_', '-')}`,
      location: {
        file: at ? `manifest of ${at}` : 'tradeform.yaml',
        line: expect.any(Number) as number,
        column: expect.any(Number) as number,
      },
    });
    expect(first?.message).toContain(says);
    // The entry that protects has a line of its own.
    const line = guardrail === 'protect' ? '2\\d' : '7';
    const ways = `^\\w.*, or (raise|edit) ${guardrail} \\(tradeform.yaml:${line}\\) in a change of its own\\.`;
    expect(first?.hint).toMatch(
      new RegExp(`${ways} For this plan alone: \`tradeform apply --override ${guardrail}=${plan.digest}\`$`),
    );
    expect(said(planUnder(limits, refused, [], true))[0]?.hint).toMatch(new RegExp(`${ways}$`));
    expect(more).toEqual([]);
  });

  test.each(CASES)('$guardrail lets pass: $why', ({ limits, passes }) => {
    const plan = planUnder(limits, passes);
    expect(brief(plan)).toEqual([]);
    expect(isRefused(plan)).toBe(false);
  });

  test.each(CASES)('$guardrail only warns where that is its action: $why', ({ limits, refused }) => {
    const warning = Object.fromEntries(
      Object.entries(limits).map(([name, guardrail]) => [name, { ...guardrail, action: 'warn' }]),
    ) as GuardrailLimits;
    const plan = planUnder(warning, refused);
    expect(said(plan).map(({ severity }) => severity)).toEqual(['warning']);
    expect(said(plan)[0]?.hint).toMatch(/ in a change of its own\.$/);
    expect(isRefused(plan)).toBe(false);
  });

  test('is among the cases', () => {
    expect(new Set(CASES.map(({ guardrail }) => guardrail))).toEqual(new Set(GUARDRAILS));
  });
});

describe('values that are no worse than live', () => {
  const config = sniperConfig({ relay_mode: { ...MODE, slippage: '90' } });
  const limits = { max_slippage: limit('20') };
  const live = owned(1, { config });

  test.each([
    ['is as wanted', world(tasks(1, { config }), live)],
    ['is only stopped', world(tasks(1, { config, state: 'paused' }), live)],
    ['only gets a fresh mark', world(tasks(1, { config, rearm: 'b' }), live)],
    [
      'is lowered while it is off',
      world(
        tasks(1, { config: sniperConfig({ relay_mode: { ...MODE, slippage: '80' } }) }),
        owned(1, { config, is_active: false, remark: 'Note [git:core/t0@0]' }),
      ),
    ],
    [
      'is lowered by an apply that was interrupted after its pause',
      world(
        tasks(1, { config: sniperConfig({ relay_mode: { ...MODE, slippage: '80' } }) }),
        owned(1, { config, is_active: false, version: 4, remark: 'Note [git:core/t0@4]' }),
      ),
    ],
  ])('is told, and refuses nothing: it %s', (_why, there) => {
    const plan = planUnder(limits, there);
    expect(brief(plan)).toEqual(['warning guardrail-max-slippage sniper/t0']);
    expect(said(plan)[0]?.message).toContain('this plan does not make it worse.');
    expect(isRefused(plan)).toBe(false);
  });

  test.each([
    [
      'is raised after an apply that was interrupted',
      world(tasks(1, { config }), owned(1, { is_active: false, version: 4, remark: 'Note [git:core/t0@4]' })),
    ],
  ])('is refused where it %s', (_why, there) => {
    expect(brief(planUnder(limits, there))).toEqual(['error guardrail-max-slippage sniper/t0']);
  });

  test('the deletion of a task over a limit is not refused because of the limit', () => {
    expect(brief(planUnder(limits, world([], live)))).toEqual([]);
  });

  test('a policy for whole objects does not refuse lowered amounts or stops', () => {
    const small = { properties: { config: { properties: { buy_amount: { decimalMaximum: '0.25' } } } } };
    const labelled = { properties: { label: { const: 'high' } }, required: ['label'] };
    const either = policy({ properties: { spec: { anyOf: [labelled, small] } } });
    const severity = (over: Partial<DesiredTask>) =>
      brief(planUnder({}, world(tasks(1, over), RUNS), [either]))[0]?.split(' ')[0];
    const buy = (buy_amount: string) => ({ config: sniperConfig({ buy_amount }) });
    expect(severity(buy('0.4'))).toBe('warning');
    expect(severity({ state: 'paused' })).toBe('warning');
    expect(severity({ ...buy('0.4'), state: 'paused', note: 'Other' })).toBe('warning');
    expect(severity(buy('0.6'))).toBe('error');
    expect(severity({ config: sniperConfig({ buy_amount: '0.4', selected_dexes: ['launchlab'] }) })).toBe(
      'error',
    );
    expect(severity(buy('0.2'))).toBeUndefined();
  });

  test.each([
    ['another side of the same list', 'warning', { buy_config_mode: 'tiered', buy_config_tiers: [SET] }, {}],
    [
      'a tier that had narrowed the list',
      'error',
      { buy_config_mode: 'tiered', buy_config_tiers: [SET] },
      { buy_config_mode: 'tiered', buy_config_tiers: [{ ...SET, selected_dexes: ['pump-fun'] }] },
    ],
    [
      'a side whose tiers had narrowed the list',
      'error',
      { buy_config_mode: 'universal' },
      { buy_config_mode: 'tiered', buy_config_tiers: [{ ...SET, selected_dexes: ['pump-fun'] }] },
    ],
    [
      'other market caps of a tier',
      'warning',
      {
        buy_config_mode: 'tiered',
        selected_dexes: ['pump-fun'],
        buy_config_tiers: [{ ...SET, market_cap_max: '90', selected_dexes: ['pump-amm'] }],
      },
      {
        buy_config_mode: 'tiered',
        selected_dexes: ['pump-fun'],
        buy_config_tiers: [{ ...SET, market_cap_max: '100', selected_dexes: ['pump-amm'] }],
      },
    ],
  ])('a DEX that is live already is told as it counts: %s', (_what, severity, after, before) => {
    const dexes = { dex_source: 'config', selected_dexes: ['pump-fun', 'pump-amm'] };
    const desired = task('t0', { collection: 'copy-trade', config: copyTradeConfig({ ...dexes, ...after }) });
    const present = owned(1, {
      collection: 'copy-trade',
      linked_wallets: [],
      config: copyTradeConfig({ ...dexes, buy_config_mode: 'universal', ...before }),
    });
    const found = brief(planUnder({ allowed_dexes: limit(list('pump-fun')) }, world([desired], present)));
    expect(found).toEqual([`${severity} guardrail-allowed-dexes copy-trade/t0`]);
  });

  test('a sum that an interrupted apply left lower does not count as raised when the apply is completed', () => {
    const interrupted = (version: number) =>
      owned(2).map((item, index) =>
        index === 0 ? { ...item, is_active: false, version, remark: `Note [git:core/t0@${version}]` } : item,
      );
    const less = [...tasks(1, { config: sniperConfig({ buy_amount: '0.4' }) }), task('t1')];
    const sums = { max_exposure: limit('0.6'), max_exposure_rise: limit({ sol: '0.1' }) };
    expect(brief(planUnder(sums, world(less, interrupted(4))))).toEqual(['warning guardrail-max-exposure']);
    expect(brief(planUnder(sums, world(less, interrupted(1))))).toEqual([
      'error guardrail-max-exposure',
      'error guardrail-max-exposure-rise',
    ]);
  });

  test.each([
    ['its former task is paused', true],
    ['its former task is deleted', false],
  ])('a replacement that was interrupted once %s adds nothing by being finished', (_when, there) => {
    const former = liveTask(1, { is_active: false, version: 4, remark: 'Note [git:core/t0@4]' });
    const next = liveTask(2, {
      is_active: false,
      version: 1,
      target_wallet: wallet(1),
      remark: `Note [git:core/t0@1~${former.id.slice(0, 4)}]`,
    });
    const limits = { max_exposure_rise: limit({ sol: '0.1' }), max_exposure: limit('0.6') };
    const desired = tasks(1, { target_wallet: wallet(1) });
    const plan = planUnder(limits, world(desired, there ? [former, next] : [next]));
    expect(brief(plan)).toEqual([]);
    expect(plan.operations.some(({ verb }) => verb === 'resume')).toBe(true);
    const dearer = desired.map((item) => ({ ...item, config: sniperConfig({ buy_amount: '0.9' }) }));
    expect(brief(planUnder(limits, world(dearer, there ? [former, next] : [next])))).toEqual([
      'error guardrail-max-exposure',
      'error guardrail-max-exposure-rise',
    ]);
  });

  test('a sum that is over its limit and does not grow is a warning', () => {
    const two = owned(2);
    const less = world([...tasks(1), task('t1', { config: sniperConfig({ buy_amount: '0.4' }) })], two);
    expect(brief(planUnder({ max_exposure: limit('0.1') }, less))).toEqual([
      'warning guardrail-max-exposure',
    ]);
    expect(brief(planUnder({ max_task_exposure: limit('0.1') }, world(tasks(1), RUNS)))).toEqual([
      'warning guardrail-max-task-exposure sniper/t0',
    ]);
  });
});

describe('what counts', () => {
  test('is the live value if ignore_changes keeps it', () => {
    const kept = tasks(1, { ignoreChanges: ['config.buy_amount'], rearm: 'b' });
    const raised = owned(1, { config: sniperConfig({ buy_amount: '100' }), is_active: false });
    const plan = planUnder({ max_buy_amount: limit('10') }, world(kept, raised));
    expect(brief(plan)).toEqual(['error guardrail-max-buy-amount sniper/t0']);
    expect(said(plan)[0]).toMatchObject({
      message: expect.stringContaining('config.buy_amount is 100'),
      hint: expect.stringContaining(
        'Change the live value or remove the field from lifecycle.ignore_changes',
      ),
      location: { file: 'manifest of lifecycle.ignore_changes' },
    });
  });

  test('is the live value that ignore_changes keeps of a task in no change', () => {
    const kept = { ignoreChanges: ['config.buy_amount'] };
    const under = (desired: string, live: string) =>
      planUnder(
        { max_buy_amount: limit('10') },
        world(
          tasks(1, { ...kept, config: sniperConfig({ buy_amount: desired }) }),
          owned(1, { config: sniperConfig({ buy_amount: live }) }),
        ),
      );
    const [first, ...more] = said(under('1', '100'));
    expect(first?.message).toContain('config.buy_amount is 100, ');
    expect(more).toEqual([]);
    expect(brief(under('100', '1'))).toEqual([]);
    expect(under('100', '1').changes).toEqual([]);
  });

  test('is a template too', () => {
    const template = {
      address: 'sniper-template/base' as const,
      name: 'base',
      collection: 'sniper-template' as const,
      shownName: 'Base',
      config: sniperConfig({ relay_mode: { ...MODE, slippage: '90' } }),
      origin,
    };
    const desired = desiredState([], [], { templates: [template] });
    const limits = {
      max_slippage: limit('20'),
      require_label: limit(true as const),
      max_task_exposure: limit('0'),
    };
    expect(brief(planUnder(limits, { desired, live: liveState([]) }))).toEqual([
      'error guardrail-max-slippage sniper-template/base',
    ]);
    const { address: _, origin: __, shownName: name, ...rest } = template;
    const live = { ...rest, id: uuid(50), name, version: 1, created_at: '', updated_at: '' };
    expect(brief(planUnder(limits, { desired, live: liveState([], [], { templates: [live] }) }))).toEqual([
      'warning guardrail-max-slippage sniper-template/base',
    ]);
  });

  test('values from the environment are not shown', () => {
    const secret = task('a', { config: sniperConfig({ buy_amount: '77' }), secrets: ['config.buy_amount'] });
    const [first] = said(planUnder({ max_buy_amount: limit('10') }, world([secret])));
    expect(first?.message).toBe(
      'sniper/a: config.buy_amount has a value from the environment, which is not shown: a buy amount is over max_buy_amount.',
    );
    expect(first?.message).not.toContain('77');
  });

  test('values from the environment are not shown, neither former nor live ones', () => {
    const live = owned(1, { config: sniperConfig({ buy_amount: '0.77' }) });
    const desired = tasks(1, { config: sniperConfig({ buy_amount: '9' }), secrets: ['config.buy_amount'] });
    const [first] = said(planUnder({ max_factor: limit('2') }, world(desired, live)));
    expect(first?.message).toContain(
      'config.buy_amount has a value from the environment, which is not shown: an amount grows by more than max_factor allows',
    );
    const plain = desired.map((item) => ({ ...item, secrets: [] }));
    const input = planInput(desiredState(plain), liveState(live));
    const plan = makePlan({
      ...input,
      guardrails: { limits: { max_factor: limit('2') }, policies: [] },
      furtherSecrets: new Map([['sniper/t0', ['config.buy_amount']]]),
    });
    expect(JSON.stringify(said(plan))).toContain('which is not shown');
    expect(JSON.stringify(said(plan))).not.toContain('0.77');
    const sums = planUnder({ max_exposure_rise: limit({ sol: '1' }) }, world(desired, live));
    expect(said(sums)[0]?.message).toContain('by an amount that is partly secret');
  });

  test('values of the environment count', () => {
    const secret = task('a', { config: sniperConfig({ buy_amount: '77' }), secrets: ['config.buy_amount'] });
    const limits = { max_exposure: limit('76'), max_task_exposure: limit('76') };
    const plan = planUnder(limits, world([secret]));
    expect(brief(plan)).toEqual([
      'error guardrail-max-exposure',
      'error guardrail-max-task-exposure sniper/a',
    ]);
    expect(JSON.stringify(said(plan))).not.toContain('77');
  });
});

describe('an entry of protect that matches nothing', () => {
  const unused = (there: World, ...entries: readonly string[]) =>
    said(planUnder({ protect: limit(list(...entries)) }, there));

  test('is reported once, at its place', () => {
    const there = world(tasks(2), owned(2));
    expect(unused(there, 'sniper/t0', 'sniper/t-1', 'copy-trade/*', '*')).toMatchObject([
      {
        severity: 'warning',
        code: 'guardrail-unused',
        message: expect.stringContaining('protect contains sniper/t-1, which matches nothing') as string,
        hint: expect.stringMatching(/^Did you mean sniper\/t/) as string,
        location: { line: 21 },
      },
      { message: expect.stringContaining('copy-trade/*') as string, location: { line: 22 } },
    ]);
  });

  test('is not reported if only a manifest, or only a task on the service, matches', () => {
    expect(unused(world(tasks(1)), 'sniper/t0')).toEqual([]);
    const gone = said(planUnder({ protect: limit(list('sniper/t1')) }, world(tasks(1), owned(2))));
    expect(gone.map(({ code }) => code)).toEqual(['guardrail-protect']);
    const labels = { desired: desiredState(tasks(1), [desiredLabel('hot')]), live: liveState([]) };
    expect(unused(labels, 'label/hot')).toEqual([]);
  });

  test('is reported if only a task of another project matches', () => {
    const other = world(tasks(1), [liveTask(1, { remark: 'Note [git:other/x@1]' })]);
    expect(unused(other, 'sniper/x').map(({ code }) => code)).toEqual(['guardrail-unused']);
  });
});

describe('the defaults', () => {
  const refusedBy = (there: World) => brief(planUnder(STANDARD, there));

  test('refuse ninety percent slippage, large buys, tips and fees', () => {
    const dear = { tip_amount: '1.1', priority_fee: '1.1', slippage: '90' };
    expect(refusedBy(sniper({ buy_amount: '10.1', relay_mode: dear }))).toEqual([
      'error guardrail-max-buy-amount sniper/a',
      'error guardrail-max-tip sniper/a',
      'error guardrail-max-priority-fee sniper/a',
      'error guardrail-max-slippage sniper/a',
    ]);
    const most = { tip_amount: '1', priority_fee: '1', slippage: '50' };
    expect(refusedBy(sniper({ buy_amount: '10', relay_mode: most }))).toEqual([]);
  });

  test.each([
    [10, 5, 0],
    [10, 6, 1],
    [100, 20, 0],
    [100, 21, 1],
  ])('of %i tasks %i deletes: refused %i times', (number, deletes, refusals) => {
    expect(refusedBy(world(tasks(number - deletes), owned(number)))).toHaveLength(refusals);
  });

  test.each([
    [12, 10, 0],
    [12, 11, 1],
    [40, 20, 0],
    [40, 21, 1],
  ])('of %i tasks %i starts: refused %i times', (number, starts, refusals) => {
    const desired = tasks(number).map((item, index) => (index < starts ? { ...item, rearm: 'b' } : item));
    const live = owned(number).map((item, index) => (index < starts ? { ...item, is_active: false } : item));
    expect(refusedBy(world(desired, live))).toHaveLength(refusals);
  });

  test('let new tasks start, also after an interrupted first apply', () => {
    expect(refusedBy(world(tasks(60)))).toEqual([]);
    expect(refusedBy(world(tasks(60), owned(3)))).toEqual([]);
  });

  test('refuse amounts that grow more than tenfold', () => {
    const of = (buy_amount: string) => world(tasks(1, { config: sniperConfig({ buy_amount }) }), RUNS);
    expect(refusedBy(of('5'))).toEqual([]);
    expect(refusedBy(of('5.1'))).toEqual(['error guardrail-max-factor sniper/t0']);
    expect(said(planUnder(STANDARD, of('5.1')))[0]?.hint).toContain(
      'or set max_factor in the project file, in a change of its own. For this plan alone: ',
    );
  });

  test('leave the rest alone', () => {
    expect(GUARDRAILS.filter((name) => STANDARD[name] !== undefined).sort()).toEqual([
      'max_buy_amount',
      'max_deletes',
      'max_factor',
      'max_priority_fee',
      'max_slippage',
      'max_starts',
      'max_tip',
    ]);
  });
});
