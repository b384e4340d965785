import { describe, expect, test } from 'vitest';
import type { GuardrailLimits } from '../../../src/core/desired/guardrails/settings.ts';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Json, JsonObject } from '../../../src/core/model/json.ts';
import type { TaskCollection } from '../../../src/core/model/kind.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { judge } from '../../../src/core/plan/guardrails/judge.ts';
import { judgedStarts } from '../../../src/core/plan/guardrails/judged.ts';
import fc from '../../properties.ts';
import {
  configFor,
  copyTradeConfig,
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { brief, limit, list, origin, planUnder, policy } from './judging.ts';

const LIMITS: GuardrailLimits = {
  max_buy_amount: limit('1'),
  max_tip: limit('1'),
  max_priority_fee: limit('1'),
  max_slippage: limit('20'),
};

const SET = copyTradeConfig().buy_config_universal as JsonObject;
const MODE = { tip_amount: '0.001', priority_fee: '0.0005', slippage: '10' };

/** Every amount that a config holds, by its path. */
const PATHS: Readonly<Record<'sniper' | 'copy-trade', readonly string[]>> = {
  sniper: [
    'buy_amount',
    ...['relay_mode', 'priority_mode'].flatMap((mode) =>
      ['tip_amount', 'bundle_amount', 'priority_fee', 'slippage'].map((field) => `${mode}.${field}`),
    ),
  ],
  'copy-trade': ['buy_config_universal', 'buy_config_tiers.0', 'buy_config_tiers.1'].flatMap((set) =>
    [
      ...['amount_sol', 'relay_tip', 'relay_bundle_amount', 'relay_priority_fee', 'relay_slippage'],
      ...['priority_tip', 'priority_bundle_amount', 'priority_fee', 'priority_slippage'],
    ].map((field) => `${set}.${field}`),
  ),
};

type Amounts = readonly (readonly [path: string, value: number])[];

/** A config with these amounts in hundredths, tiers of their own market caps, and nothing that is asleep. */
function configWith(collection: TaskCollection, amounts: Amounts, tiered: boolean): JsonObject {
  const tiers = [
    { ...SET, market_cap_max: '100' },
    { ...SET, market_cap_min: '100' },
  ];
  const config = structuredClone(
    configFor(
      collection,
      collection === 'copy-trade'
        ? { buy_config_tiers: tiers, buy_config_mode: tiered ? 'tiered' : 'universal' }
        : {},
    ),
  );
  for (const [path, value] of amounts) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const parent = keys.reduce<Json>((at, key) => (at as Record<string, Json>)[key] ?? null, config);
    (parent as Record<string, Json>)[last] = (value / 100).toString();
  }
  return config;
}

const kinds = fc.constantFrom('sniper' as const, 'copy-trade' as const);
const cases = kinds.chain((collection) =>
  fc.record({
    collection: fc.constant(collection),
    tiered: fc.boolean(),
    before: fc.tuple(
      ...PATHS[collection].map((path) => fc.tuple(fc.constant(path), fc.integer({ min: 1, max: 5_000 }))),
    ),
    /** What is left of each amount, in percent. */
    left: fc.array(fc.constantFrom(100, 100, 90, 50, 0), { minLength: 27, maxLength: 27 }),
    raised: fc.nat(PATHS[collection].length - 1),
    over: fc.integer({ min: 2_001, max: 9_000 }),
    note: fc.boolean(),
  }),
);

function lowered(amounts: Amounts, left: readonly number[]): Amounts {
  return amounts.map(([path, value], index) => [
    path,
    // No buy is of zero; and a bundle amount of zero would wake the slippage that it kept from counting.
    Math.max(1, Math.floor((value * (left[index] ?? 100)) / 100)),
  ]);
}

function refusals(desired: Partial<DesiredTask>, live: Partial<LiveTask> | undefined): readonly string[] {
  const task = desiredTask('t', { origin, ...desired });
  const tasks = live === undefined ? [] : [liveTask(1, { remark: 'Note [git:core/t@1]', ...live })];
  const found = brief(planUnder(LIMITS, { desired: desiredState([task]), live: liveState(tasks) }));
  return found.filter((text) => text.startsWith('error'));
}

const HELD = { is_active: false, remark: 'Note [git:core/t@0]' };

describe('the law of field limits', () => {
  test('a plan that lowers or leaves each amount and starts nothing is never refused', () => {
    fc.assert(
      fc.property(cases, fc.boolean(), ({ collection, tiered, before, left, note }, held) => {
        const live = { collection, config: configWith(collection, before, tiered), ...(held ? HELD : {}) };
        const config = configWith(collection, lowered(before, left), tiered);
        expect(refusals({ collection, config, note: note ? 'Other' : 'Note' }, live)).toEqual([]);
      }),
    );
  });

  test('a plan that raises an amount over its limit is always refused', () => {
    fc.assert(
      fc.property(cases, fc.boolean(), ({ collection, tiered, before, left, raised, over }, held) => {
        const path = PATHS[collection][raised] ?? '';
        const low = before.map(([at, value]): [string, number] => [
          at,
          at === path ? Math.min(value, 2_000) : value,
        ]);
        const live = { collection, config: configWith(collection, low, tiered), ...(held ? HELD : {}) };
        const high = lowered(low, left).map(([at, value]): [string, number] => [
          at,
          at === path ? over : value,
        ]);
        const config = configWith(collection, high, tiered);
        expect(refusals({ collection, config }, live)).not.toEqual([]);
      }),
    );
  });

  test.each<[string, Partial<DesiredTask>, Partial<LiveTask> | undefined]>([
    ['creates', {}, undefined],
    ['creates, to stay off', { state: 'paused' }, undefined],
    ['starts', {}, { is_active: false, remark: 'Note [git:core/t]' }],
    ['starts by rearm', { rearm: 'b' }, HELD],
    ['finishes a start', {}, { is_active: false, version: 1 }],
    ['replaces', { target_wallet: wallet(1) }, {}],
    ['replaces, to stay off', { target_wallet: wallet(1) }, HELD],
  ])('a plan that %s what is over a limit always is', (_what, desired, live) => {
    fc.assert(
      fc.property(cases, ({ collection, tiered, before, raised, over }) => {
        const path = PATHS[collection][raised] ?? '';
        const config = configWith(collection, [...before, [path, over]], tiered);
        const there = live && { collection, config, ...live };
        expect(refusals({ collection, config, ...desired }, there)).not.toEqual([]);
      }),
    );
  });
});

describe('an amount that counts again', () => {
  const refused = (before: JsonObject, after: JsonObject, collection: TaskCollection = 'sniper') =>
    refusals({ collection, config: after }, { collection, config: before });
  const tiered = { buy_config_mode: 'tiered', buy_config_tiers: [{ ...SET, amount_sol: '9' }] };

  test('is refused though nobody wrote it: the other side of copy trading', () => {
    const before = copyTradeConfig({ ...tiered, buy_config_mode: 'universal' });
    expect(refused(before, copyTradeConfig(tiered), 'copy-trade')).toEqual([
      'error guardrail-max-buy-amount copy-trade/t',
    ]);
    expect(refused(copyTradeConfig(tiered), before, 'copy-trade')).toEqual([]);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['the bundle amount goes', { bundle_amount: '0.1' }, { bundle_amount: '' }],
    ['the SOL mode goes', { sol_slippage_mode: true }, { sol_slippage_mode: false }],
  ])('is refused though nobody wrote it: %s', (_what, asleep, awake) => {
    const of = (over: JsonObject) => sniperConfig({ relay_mode: { ...MODE, slippage: '90', ...over } });
    expect(refused(of(asleep), of(awake))).toEqual(['error guardrail-max-slippage sniper/t']);
    expect(refused(of(awake), of(asleep))).toEqual([]);
  });

  test('is refused though nobody wrote it: the shared bundle amount below those of the routes', () => {
    const own = { ...MODE, bundle_amount: '0.1' };
    const of = (relay: JsonObject) =>
      sniperConfig({ bundle_amount: '5', relay_mode: relay, priority_mode: own });
    expect(refused(of(own), of(MODE))).toEqual(['error guardrail-max-tip sniper/t']);
    expect(refused(of(MODE), of(own))).toEqual([]);
  });
});

describe('a tier is identified by its market caps', () => {
  const tier = (amount: string, min: string, max: string) => ({
    ...SET,
    amount_sol: amount,
    market_cap_min: min,
    market_cap_max: max,
  });
  const of = (...tiers: readonly JsonObject[]) =>
    copyTradeConfig({ buy_config_mode: 'tiered', buy_config_tiers: [...tiers] });
  const dear = tier('9', '', '100');
  const cheap = tier('0.1', '100', '');
  const refused = (before: JsonObject, after: JsonObject) =>
    refusals({ collection: 'copy-trade', config: after }, { collection: 'copy-trade', config: before });
  const refusal = ['error guardrail-max-buy-amount copy-trade/t'];

  test('and moves, is removed or changes its caps without being worse', () => {
    expect(refused(of(cheap, dear), of(dear, cheap))).toEqual([]);
    expect(refused(of(cheap, dear), of(dear))).toEqual([]);
    expect(refused(of(dear, cheap), of(tier('9', '', '200'), cheap))).toEqual([]);
  });

  test('and another tier is worse, and so is one that takes the amount of another', () => {
    expect(refused(of(dear, cheap), of(tier('9', '', '50'), dear, cheap))).toEqual(refusal);
    expect(
      refused(of(dear, cheap), of({ ...cheap, amount_sol: '9' }, { ...dear, amount_sol: '0.1' })),
    ).toEqual(refusal);
  });
});

describe('lists and policies', () => {
  const found = (
    limits: GuardrailLimits,
    desired: Partial<DesiredTask>,
    live: Partial<LiveTask>,
    policies: Parameters<typeof planUnder>[2] = [],
  ) => {
    const task = desiredTask('t', { origin, ...desired });
    const there = [liveTask(1, { remark: 'Note [git:core/t@1]', ...live })];
    const labels = [desiredLabel('hot'), desiredLabel('cold')];
    const shown = liveState(there, [
      { collection: 'label', id: uuid(80), name: 'hot', sort_order: 0 },
      { collection: 'label', id: uuid(81), name: 'cold', sort_order: 0 },
    ]);
    const plan = planUnder(limits, { desired: desiredState([task], labels), live: shown }, policies);
    return brief(plan).map((text) => text.split(' ')[0]);
  };
  const other = { note: 'Other' };

  test('an existing DEX is a warning, an added one is refused', () => {
    const limits = { allowed_dexes: limit(list('bags')) };
    const config = sniperConfig({ selected_dexes: ['pump-fun', 'bags'] });
    expect(found(limits, { ...other, config }, { config })).toEqual(['warning']);
    const more = sniperConfig({ selected_dexes: ['pump-fun', 'bags', 'launchlab'] });
    expect(found(limits, { config: more }, { config })).toEqual(['warning', 'error']);
    const global = sniperConfig({ selected_dexes: ['pump-fun', 'bags'], dex_source: 'global' });
    expect(found(limits, { config }, { config: global })).toEqual(['error']);
    expect(found(limits, { ...other, config: global }, { config: global })).toEqual(['warning', 'warning']);
  });

  test('an existing wallet is a warning, an added one is refused', () => {
    const limits = { forbidden_wallets: limit(list(wallet(2), wallet(3))) };
    const of = (...linked_wallets: readonly string[]) => ({
      collection: 'copy-trade' as const,
      linked_wallets,
    });
    expect(found(limits, { ...of(wallet(2)), ...other }, of(wallet(2)))).toEqual(['warning']);
    expect(found(limits, of(wallet(2), wallet(3)), of(wallet(2)))).toEqual(['warning', 'error']);
    const kept = { ...of(), ...other, ignoreChanges: ['linked_wallets'] };
    expect(found(limits, kept, of(wallet(2)))).toEqual(['warning']);
  });

  test('a label that was already wrong is a warning', () => {
    const limits = { require_label: limit(list('hot')) };
    const cold = { risk_label_id: uuid(81) };
    expect(found(limits, { ...other, label: 'cold' }, cold)).toEqual(['warning']);
    expect(found(limits, { label: 'cold' }, { risk_label_id: uuid(80) })).toEqual(['error']);
    // The label that stays is the live one.
    expect(found(limits, { ...other, label: 'hot', ignoreChanges: ['label'] }, cold)).toEqual(['warning']);
  });

  const config = (schema: Json) => ({ properties: { spec: { properties: { config: schema } } } });
  const most = policy(config({ properties: { buy_amount: { decimalMaximum: '1' } } }));
  const buys = (buy_amount: string) => ({ config: sniperConfig({ buy_amount }) });

  test('a policy warns about values that failed before, and refuses worse ones', () => {
    expect(found({}, buys('2'), buys('3'), [most])).toEqual(['warning']);
    expect(found({}, { ...buys('3'), ...other }, buys('3'), [most])).toEqual(['warning']);
    expect(found({}, buys('3.1'), buys('3'), [most])).toEqual(['error']);
    const least = policy(config({ properties: { buy_amount: { decimalMinimum: '5' } } }));
    expect(found({}, buys('2'), buys('3'), [least])).toEqual(['error']);
    expect(found({}, buys('4'), buys('3'), [least])).toEqual(['warning']);
  });

  test('a policy sees what will run: live values that ignore_changes keeps', () => {
    const kept = { ...buys('0.5'), ignoreChanges: ['config.buy_amount'], rearm: 'b' };
    expect(found({}, kept, { ...buys('3'), is_active: false }, [most])).toEqual(['error']);
    const wanted = { ...buys('3'), ignoreChanges: ['config.buy_amount'], rearm: 'b' };
    expect(found({}, wanted, { ...buys('0.5'), is_active: false }, [most])).toEqual([]);
  });

  test('a policy about the switch refuses a stop, and ignores tasks that were off', () => {
    const runs = policy({ properties: { spec: { properties: { state: { const: 'active' } } } } });
    expect(found({}, { state: 'paused' }, {}, [runs])).toEqual(['error']);
    expect(found({}, { state: 'paused', ...other }, { is_active: false }, [runs])).toEqual(['warning']);
  });
});

describe('a replacement', () => {
  const moved = (state: DesiredTask['state'] = 'active') =>
    Array.from({ length: 3 }, (_, index) => desiredTask(`t${index}`, { state, target_wallet: wallet(1) }));
  const there = Array.from({ length: 3 }, (_, index) =>
    liveTask(index + 1, { remark: `Note [git:core/t${index}@1]` }),
  );

  test('counts as a start if the new task runs', () => {
    const under = (desired: readonly DesiredTask[]) =>
      brief(
        planUnder(
          { max_starts: limit({ count: 2, percent: 0 }, { standard: true }) },
          { desired: desiredState(desired), live: liveState(there) },
        ),
      );
    expect(under(moved())).toEqual(['error guardrail-max-starts']);
    expect(under(moved('paused'))).toEqual([]);
  });

  test('that an earlier run began was counted then', () => {
    const pair = [
      liveTask(1, { remark: 'Note [git:core/t0@1]' }),
      liveTask(2, {
        remark: `Note [git:core/t0@1~${uuid(1).slice(0, 4)}]`,
        target_wallet: wallet(1),
        is_active: false,
        version: 1,
      }),
    ];
    const plan = planUnder(
      { max_starts: limit({ count: 0, percent: 0 }) },
      { desired: desiredState(moved().slice(0, 1)), live: liveState(pair) },
    );
    expect(plan.changes[0]).toMatchObject({ reason: 'replacement-in-progress' });
    expect(brief(plan)).toEqual([]);
  });
});

describe('starts without a plan', () => {
  const off = liveTask(1, {
    ...HELD,
    config: sniperConfig({ buy_amount: '2', relay_mode: { ...MODE, bundle_amount: '3' } }),
  });
  const running = liveTask(2, { remark: 'Note [git:core/u@1]' });
  const digest = 'ab'.repeat(32);
  const judged = (limits: GuardrailLimits, overrides: Parameters<typeof judge>[3] = []) =>
    judge(
      judgedStarts({
        starts: [off],
        own: [off, running],
        labels: [],
        desired: undefined,
        manifests: new Map(),
      }),
      { limits, policies: [] },
      digest,
      overrides,
    ).diagnostics.map(({ severity, code, address = '' }) => `${severity} ${code} ${address}`.trim());

  test('obey field limits, sums and counts, and an override', () => {
    expect(judged(LIMITS)).toEqual([
      'error guardrail-max-buy-amount sniper/t',
      'error guardrail-max-tip sniper/t',
    ]);
    const lone = { max_buy_amount: limit('1') };
    expect(judged(lone, [{ guardrail: 'max_buy_amount', digest }])).toEqual([
      'warning guardrail-max-buy-amount sniper/t',
    ]);
    expect(judged({ max_starts: limit({ count: 0, percent: 0 }) })).toEqual(['error guardrail-max-starts']);
    expect(judged({ max_exposure: limit('2.5') })).toEqual(['error guardrail-max-exposure']);
    expect(judged({ max_exposure: limit('3') })).toEqual([]);
    expect(judged({ max_task_exposure: limit('2') })).toEqual(['error guardrail-max-task-exposure sniper/t']);
  });
});
