import type { SeedAccount, SeedTask } from '../../src/core/model/generated/sandbox.ts';
import type { Json, JsonObject } from '../../src/core/model/json.ts';
import { TASK_KINDS, type TaskCollection } from '../../src/core/model/kind.ts';
import fc from '../properties.ts';
import { copyTradeConfig, sniperConfig, uuid, wallet } from '../support/builders.ts';

/** Accounts that people made by hand over the years: remarks, labels and snapshots that no manifest was thought of for. */

const REMARKS = [
  '',
  'Follow whale 7',
  'Follow whale 7',
  'follow WHALE 7!',
  '🐳 whale 🐳',
  '👩‍👩‍👧 family',
  'нет латиницы',
  'a: b # c',
  '- list',
  '{ flow }',
  '${var.size} and $${x}',
  'yes',
  '007',
  '1e3',
  'null',
  '"quoted" \'twice\' \\n',
  'tab\tand\u200bzero width',
  'bidi \u202e mark',
  'control \u0007 bell',
  'line\nbreak',
  ' lead and trail ',
  'A remark that goes on until there is no room for the rest 1234567',
  'x'.repeat(64),
  '🐳'.repeat(32),
  'half \ud83d pair',
  '[g\u200bit:core/a]',
  'con',
  '--- doc',
  '%YAML 1.1',
  '@at `tick`',
  'é è ü ß ø',
];

const MARKED = [
  '[git:core/a@0]',
  'Note [git:core/a@0]',
  'Note [git:core/b]',
  'Note [git:core/c@5]',
  'Note [git:core/c@99#b]',
  'Note [git:core/d@!]',
  'Note [git:core/d@0~0001]',
  'Theirs [git:other/a@0]',
  'Theirs [git:other/follow-whale-7]',
  'Damaged [git:core/a@x]',
  'Damaged [git:core/a@0] tail',
  '[git:',
];

const LABELS = ['high', 'High', 'Very high!', '🔥', 'ri\u200bsk', '${var.x}', 'a: b', '-', 'null', '02'];

/** What today's schema refuses, or writes otherwise. */
const SNIPER_LEGACY: readonly JsonObject[] = [
  { since_dropped: true },
  { since_dropped: { deep: [1.5, null, { 'a.b': 'x' }] }, buy_amount: 0.5 },
  { buy_amount: 1e-7 },
  { buy_amount: '007' },
  { buy_amount: '0' },
  { selected_dexes: ['pump-fun', 'moonshot'] },
  { selected_dexes: ['moonshot'] },
  { selected_dexes: [] },
  { dex_source: 'auto' },
  { dev_min_amount: '5', dev_max_amount: '1' },
  { relay_mode: { tip_amount: '0.001', priority_fee: '5000', slippage: '10', turbo: true } },
  { relay_mode: { tip_amount: '0.001' } },
  { auto_strategy: { migration_clear: false } },
  { auto_sell: null },
];
const ANY_LEGACY: readonly JsonObject[] = [
  {
    auto_strategy: {
      migration_clear: true,
      timed_sell: false,
      sell_delay: '0',
      anti_pvp: { on: true, at: 0.25 },
    },
  },
  {
    auto_strategy: {
      migration_clear: true,
      timed_sell: false,
      sell_delay: '0',
      constructor: '1',
      'x.y': '2',
    },
  },
  {
    timed_strategy: {
      enabled: true,
      orders: [
        { after: 1.5, sell: '50' },
        { note: '${x}', n: null },
      ],
    },
  },
  {
    auto_sell: {
      enabled: true,
      tab: 'a # b',
      expiry_time: '0',
      tp_orders: [],
      sl_orders: [{ 1: 'one', true: 2 }],
      follow_sell: false,
      proportional_sell: true,
      '<<': { a: 1 },
    },
  },
];
const COPY_LEGACY: readonly JsonObject[] = [
  { since_dropped: 'x' },
  { reentry_after_flat: true },
  { dev_sell_only: true, selected_dexes: ['pump-amm'] },
  { min_trade_amount: '5', max_trade_amount: '1' },
  { buy_config_mode: 'tiered' },
  { buy_config_mode: 'ladder' },
  { address_blacklist: { enabled: true, wallets: [wallet(1), 'not-an-address', wallet(1)] } },
  { address_blacklist: undefined as unknown as Json },
  { buy_config_universal: { amount_sol: '' } },
];

function without(config: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

function config(collection: TaskCollection): fc.Arbitrary<JsonObject> {
  const own = collection === 'copy-trade' ? COPY_LEGACY : SNIPER_LEGACY;
  return fc
    .record({
      amount: fc.constantFrom('0.5', '0.50', '1', '2.25'),
      once: fc.boolean(),
      dexes: fc.shuffledSubarray(['pump-fun', 'launchlab', 'meteora-dynamic-bc'], { minLength: 1 }),
      optional: fc.constantFrom<JsonObject>({}, {}, { bundle_amount: '' }, { bundle_amount: '0.1' }),
      legacy: fc.oneof(
        { weight: 5, arbitrary: fc.constant<JsonObject>({}) },
        { weight: 1, arbitrary: fc.constantFrom(...ANY_LEGACY) },
        { weight: 2, arbitrary: fc.constantFrom(...own) },
      ),
    })
    .map(({ amount, once, dexes, optional, legacy }) => {
      const common = { buy_once: once, selected_dexes: dexes, ...optional };
      if (collection !== 'copy-trade')
        return without(sniperConfig({ buy_amount: amount, ...common, ...legacy }));
      const universal = copyTradeConfig().buy_config_universal as JsonObject;
      const buys = { buy_config_universal: { ...universal, amount_sol: amount } };
      return without(copyTradeConfig({ ...buys, ...common, ...legacy }));
    });
}

const TARGETS = [...[0, 1, 2, 3, 4, 5].map(wallet), '1'.repeat(44)];

function task(collection: TaskCollection, index: number): fc.Arbitrary<SeedTask> {
  return fc
    .record({
      remark: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...REMARKS) },
        { weight: 2, arbitrary: fc.constantFrom(...MARKED) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
      ),
      target: fc.oneof(
        { weight: 20, arbitrary: fc.integer({ min: 0, max: 5 }) },
        { weight: 1, arbitrary: fc.constant(6) },
      ),
      is_active: fc.boolean(),
      version: fc.integer({ min: 2, max: 9 }),
      label: fc.constantFrom(undefined, undefined, ...LABELS),
      linked: fc.subarray([wallet(3), wallet(4), wallet(5)]),
      config: config(collection),
      age: fc.integer({ min: 1, max: 3 }),
    })
    .map(
      ({ remark, target, linked, label, age, ...rest }): SeedTask => ({
        kind: collection,
        id: uuid(base(collection) + index),
        remark: remark.trim().slice(0, 64),
        target_wallet: TARGETS[target] ?? '',
        ...rest,
        ...(label === undefined ? {} : { label }),
        ...(collection === 'copy-trade' ? { linked_wallets: linked } : {}),
        legacy: true,
        created_at: `2026-01-0${age}T00:00:00Z`,
        updated_at: '2026-01-09T00:00:00Z',
      }),
    );
}

function base(collection: TaskCollection): number {
  return TASK_KINDS.findIndex((kind) => kind.collection === collection) * 0x100;
}

function uniqueTargets(tasks: readonly SeedTask[]): readonly SeedTask[] {
  const first = new Map(tasks.map((one) => [one.target_wallet, one]).reverse() as [string, SeedTask][]);
  return tasks.filter((one) => first.get(one.target_wallet) === one);
}

/** Clones of each other now and then: the same target, config and remark. */
function tasksOf(collection: TaskCollection, most: number): fc.Arbitrary<readonly SeedTask[]> {
  return fc
    .integer({ min: 0, max: most })
    .chain((count) =>
      fc.tuple(
        fc.tuple(...Array.from({ length: count }, (_, index) => task(collection, index + 1))),
        fc.boolean(),
      ),
    )
    .map(([tasks, cloned]) => {
      const [first] = tasks;
      const clone = cloned && first !== undefined ? [{ ...first, id: uuid(base(collection) + 0x80) }] : [];
      return collection === 'copy-trade' ? uniqueTargets(tasks) : [...tasks, ...clone];
    });
}

export function anyAccount(most = 5): fc.Arbitrary<SeedAccount> {
  return fc
    .record({
      tasks: fc.tuple(...TASK_KINDS.map(({ collection }) => tasksOf(collection, most))),
      templates: fc.subarray(['Base', 'base', 'ba\u200bse', '${x}', '-', 'Very long '.repeat(6)]),
      sniper: config('sniper'),
      copy: config('copy-trade'),
    })
    .map(({ tasks, templates, sniper, copy }) => ({
      quota: { max: 100 },
      labels: LABELS.map((name, index) => ({ name, sort_order: index - 1 })),
      templates: templates.flatMap((name) => [
        { kind: 'sniper' as const, name, config: sniper },
        { kind: 'copy-trade' as const, name, config: copy },
      ]),
      tasks: tasks.flat(),
    }));
}
