import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/model/json.ts';
import { passesWriteSchema } from '../../src/core/model/write-schema.ts';
import { buySet, copyTradeConfig, FEES, sniperConfig, wallet } from '../support/builders.ts';
import { KINDS, type KindName, startService, taskBody } from './service.ts';

/** The tables of the interface, "Sniper config" to "Sell-side objects", as data, asked of both sides: the sandbox and our write schema. */

async function reasonsOf(kind: KindName, config: JsonObject): Promise<string[]> {
  const reply = await startService().ask('POST', `/${kind}/configs`, { body: taskBody(kind, 1, { config }) });
  return reply.status === 201
    ? []
    : reply.fields.map(({ path, reason }) => `${path.replace('config.', '')} ${reason}`);
}

/** The config with another value at a path of names and indexes; undefined: without the field. */
function put(config: JsonObject, path: string, value: Json | undefined): JsonObject {
  const whole = structuredClone(config) as Record<string, Json>;
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce((at, key) => at[key] as Record<string, Json>, whole);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return whole;
}

type Values = readonly [good: readonly Json[], bad: readonly Json[]];
/** A path that ends with `?` may be left out. */
type Row = readonly [path: string, ...Values];

const LONG = `0.${'1'.repeat(12)}`;
const NO_DECIMAL = ['-1', '+1', '1e3', '.5', '5.', '0x1', 'NaN', ' 1', '1,0', `${LONG}1`, '1'.repeat(33)];
const OTHERS = [1, null, true];
const DECIMAL: Values = [
  ['', '0', '12345678901234567890.5', LONG, '007'],
  [...NO_DECIMAL, ...OTHERS],
];
const NUMBER: Values = [
  ['0', '60.5'],
  ['', ...OTHERS],
];
const BUY: Values = [
  ['0.000000000001', '1000000', '1000000.0', '999999.999999999999'],
  ['0', '0.0', '', '1000000.1', ...NO_DECIMAL, ...OTHERS],
];
const FEE: Values = [
  ['0', '1000', '1000.000'],
  ['1000.000000000001', '1001', '', ...OTHERS],
];
const PERCENT: Values = [
  ['0', '100', '100.0'],
  ['100.1', '101', '', ...OTHERS],
];
const FLAG: Values = [
  [true, false],
  ['true', null, 0],
];
const SOURCE: Values = [['global', 'config'], ['both']];
const items = (count: number) => Array.from({ length: count }, () => ({}));
const wallets = (count: number) => Array.from({ length: count }, (_, index) => wallet(index));

const SELL_ROWS: readonly Row[] = [
  ...['auto_sell', 'auto_strategy', 'timed_strategy'].map((path): Row => [path, [], [[]]]),
  ...['auto_sell.enabled', 'auto_sell.follow_sell', 'auto_sell.proportional_sell'].map(
    (path): Row => [path, ...FLAG],
  ),
  ['auto_sell.expiry_time', ...NUMBER],
  [
    'auto_sell.tp_orders',
    [[], [{ trigger: '5', sell: '1' }]],
    [[{ trigger: 5, sell: '1' }], [{ trigger: '5' }]],
  ],
  ['auto_sell.sl_orders', [[], [{ at: '5', x: [1] }]], [{}]],
  ['auto_strategy.migration_clear', ...FLAG],
  ['auto_strategy.timed_sell', ...FLAG],
  ['auto_strategy.sell_delay', ...NUMBER],
  ['timed_strategy.enabled', ...FLAG],
  ['timed_strategy.orders', [[], items(20)], [items(21), {}]],
];

const SNIPER_DEXES = ['pump-fun', 'launchlab', 'believe', 'bags', 'meteora-dynamic-bc'];
const SNIPER: readonly Row[] = [
  ['buy_amount', ...BUY],
  ...['bundle_amount?', 'dev_min_amount?', 'dev_max_amount?'].map((path): Row => [path, ...DECIMAL]),
  ...['relay_mode', 'priority_mode'].flatMap((mode): Row[] => [
    [mode, [FEES], [[]]],
    [`${mode}.tip_amount`, ...FEE],
    [`${mode}.priority_fee`, ...FEE],
    [`${mode}.slippage`, ...PERCENT],
    [`${mode}.bundle_amount?`, ...DECIMAL],
    [`${mode}.sol_slippage_mode?`, ...FLAG],
  ]),
  ['selected_dexes', [SNIPER_DEXES, ['bags']], [[], [...SNIPER_DEXES, 'bags'], ['raydium-amm']]],
  ['dex_source', ...SOURCE],
  ...['buy_once', 'sol_slippage_mode', 'snipe_external'].map((path): Row => [path, ...FLAG]),
  ...SELL_ROWS,
];

const COPY_DEXES = [
  ...['pump-fun', 'pump-amm', 'launchlab', 'meteora-dynamic-bc'],
  ...['meteora-damm-v2', 'raydium-amm', 'raydium-cpmm'],
];
const COPY_TRADE: readonly Row[] = [
  ['buy_config_universal', [buySet()], [[]]],
  ['address_blacklist', [], [[]]],
  ['buy_config_mode', ['universal', 'tiered'], ['none']],
  ['buy_config_tiers', [[], Array(20).fill(buySet())], [Array(21).fill(buySet()), {}]],
  ...['buy_config_universal', 'buy_config_tiers.0'].flatMap((set): Row[] => [
    ...['market_cap_min', 'market_cap_max'].map((field): Row => [`${set}.${field}`, ...DECIMAL]),
    [`${set}.amount_sol`, BUY[0], BUY[1].filter((value) => !['', '0', '0.0'].includes(value as string))],
    ...['relay_tip', 'relay_priority_fee', 'priority_fee', 'priority_tip'].map(
      (field): Row => [`${set}.${field}`, ...FEE],
    ),
    ...['relay_slippage', 'priority_slippage'].map((field): Row => [`${set}.${field}`, ...PERCENT]),
    ...['relay_bundle_amount?', 'priority_bundle_amount?'].map(
      (field): Row => [`${set}.${field}`, ...DECIMAL],
    ),
    [`${set}.selected_dexes?`, [[], COPY_DEXES], [[...COPY_DEXES, 'pump-fun'], ['believe']]],
    ...['sol_slippage_mode', 'relay_sol_slippage_mode?', 'priority_sol_slippage_mode?'].map(
      (field): Row => [`${set}.${field}`, ...FLAG],
    ),
  ]),
  ['selected_dexes', [COPY_DEXES], [[], [...COPY_DEXES, 'pump-fun'], ['bags']]],
  ['dex_source', ...SOURCE],
  ...[
    ...['buy_token_once', 'first_buy_only', 'reentry_after_flat', 'buy_once', 'skip_dev_launch'],
    ...['dev_sell_only', 'dev_sell_all_only'],
  ].map((path): Row => [path, ...FLAG]),
  ...['min_trade_amount', 'max_trade_amount', 'bundle_amount?'].map((path): Row => [path, ...DECIMAL]),
  ['address_blacklist.enabled', ...FLAG],
  ['address_blacklist.wallets', [[], wallets(50)], [wallets(51), [wallet(1), wallet(1)], ['short']]],
  ...SELL_ROWS,
];

const TABLES: Readonly<Record<KindName, readonly [JsonObject, readonly Row[]]>> = {
  sniper: [sniperConfig(), SNIPER],
  'transfer-snipe': [sniperConfig(), SNIPER],
  'copy-trade': [copyTradeConfig({ buy_config_tiers: [buySet()] }), COPY_TRADE],
};

describe.each(KINDS)('config of %s', (kind) => {
  const [valid, rows] = TABLES[kind];

  it.each(rows)('%s', async (name, good, bad) => {
    const path = name.replace('?', '');
    const both = async (value: Json | undefined) => {
      const config = put(valid, path, value);
      const definition = kind === 'copy-trade' ? 'copyTradeConfig' : 'sniperConfig';
      const reasons = await reasonsOf(kind, config);
      expect([value, passesWriteSchema(definition, config)]).toEqual([value, reasons.length === 0]);
      return reasons;
    };
    for (const value of good) expect([value, await both(value)]).toEqual([value, []]);
    for (const value of bad) {
      const [first = ''] = await both(value);
      expect([value, first.startsWith(path)]).toEqual([value, true]);
    }
    expect(await both(undefined)).toEqual(name === path ? [`${path} required`] : []);
  });
});

/** Interface, "Constraints across fields", "Mode rules", and the bounds that compare two fields. */
const EMPTY = buySet({ amount_sol: '' });
const ZERO = buySet({ amount_sol: '0.0' });
const CAPS = buySet({ market_cap_min: '10', market_cap_max: '9.99' });
const INVERTED = { min_trade_amount: '5', max_trade_amount: '4.9' };
const dev = (low: string, high: string) => ({ dev_min_amount: low, dev_max_amount: high });

it.each<[KindName, JsonObject, string[]]>([
  ...(['sniper', 'transfer-snipe'] as const).flatMap((kind): [KindName, JsonObject, string[]][] => [
    [kind, dev('2', '1'), ['dev_max_amount below_minimum']],
    [kind, dev('0.100000000001', '0.1'), ['dev_max_amount below_minimum']],
    ...[dev('2', '10'), dev('1.0', '1'), dev('5', ''), dev('', '1')].map(
      (pair): [KindName, JsonObject, string[]] => [kind, pair, []],
    ),
  ]),
  ['copy-trade', { buy_config_universal: CAPS }, ['buy_config_universal.market_cap_max below_minimum']],
  ['copy-trade', { buy_config_tiers: [CAPS] }, ['buy_config_tiers.0.market_cap_max below_minimum']],
  ['copy-trade', { buy_config_universal: { ...CAPS, market_cap_max: '' } }, []],
  ['copy-trade', { buy_config_universal: EMPTY }, ['buy_config_universal.amount_sol amount_required']],
  ['copy-trade', { buy_config_universal: ZERO }, ['buy_config_universal.amount_sol invalid_decimal']],
  ['copy-trade', { buy_config_tiers: [EMPTY] }, []],
  ['copy-trade', { buy_config_mode: 'tiered' }, ['buy_config_tiers tier_required']],
  [
    'copy-trade',
    { buy_config_mode: 'tiered', buy_config_universal: EMPTY, buy_config_tiers: [buySet()] },
    [],
  ],
  [
    'copy-trade',
    { buy_config_mode: 'tiered', buy_config_tiers: [buySet(), EMPTY] },
    ['buy_config_tiers.1.amount_sol amount_required'],
  ],
  ...['dev_sell_only', 'dev_sell_all_only'].map((flag): [KindName, JsonObject, string[]] => [
    'copy-trade',
    { [flag]: true, selected_dexes: ['pump-amm'] },
    ['selected_dexes pump_fun_required'],
  ]),
  ['copy-trade', INVERTED, ['max_trade_amount below_minimum']],
  ['copy-trade', { ...INVERTED, dev_sell_all_only: true }, ['max_trade_amount below_minimum']],
  ['copy-trade', { ...INVERTED, dev_sell_only: true }, []],
  ['copy-trade', { ...INVERTED, max_trade_amount: '' }, []],
])('a %s task with %j: %j', async (kind, changes, reasons) => {
  const config = kind === 'copy-trade' ? copyTradeConfig(changes) : sniperConfig(changes);
  expect(await reasonsOf(kind, config)).toEqual(reasons);
});

it('a template has the config of its kind', async () => {
  for (const [kind, config] of [
    ['sniper', put(sniperConfig(), 'auto_sell.enabled', undefined)],
    ['copy-trade', put(copyTradeConfig(), 'auto_sell.enabled', undefined)],
  ] as const) {
    const reply = await startService().ask('POST', `/${kind}/templates`, { body: { name: 'x', config } });
    expect(reply.fields).toEqual([{ path: 'config.auto_sell.enabled', reason: 'required' }]);
  }
});

it('takes at most 20 unique linked wallets', async () => {
  const service = startService();
  const attempt = async (linked_wallets: unknown) =>
    (
      await service.ask('POST', '/copy-trade/configs', {
        body: { ...taskBody('copy-trade'), linked_wallets },
      })
    ).fields.map(({ reason }) => reason);
  expect(await attempt(wallets(21))).toEqual(['too_many_items']);
  expect(await attempt([wallet(1), wallet(1)])).toEqual(['duplicate_items']);
  expect(await attempt(['0'.repeat(40)])).toEqual(['invalid_address']);
  expect(await attempt(wallets(21).slice(1))).toEqual([]);
});

it('stores reentry_after_flat: true as false and first_buy_only: true', async () => {
  const service = startService();
  const config = copyTradeConfig({ reentry_after_flat: true });
  const task = await service.make('copy-trade', 1, { config });
  expect(task.config).toMatchObject({ reentry_after_flat: false, first_buy_only: true });
  const plain = await service.make('copy-trade', 2);
  const reply = await service.ask('PATCH', `/copy-trade/configs/${plain.id}`, {
    body: { config },
    ifMatch: 1,
  });
  expect(reply.data.config).toMatchObject({ reentry_after_flat: false, first_buy_only: true });
});

it('keeps fields and items whose shape is not documented', async () => {
  const more: readonly [string, Json][] = [
    ['auto_sell.tab', 'any'],
    ['auto_sell.sl_orders', [{ at: '5', x: [1] }]],
    ['auto_sell.trailing_take_profit', { enabled: true, tiers: [{ a: 1 }] }],
    ['auto_strategy.anti_pvp', true],
    ['timed_strategy.orders', [{ after: '10', part: '50' }]],
  ];
  const config = more.reduce((whole, [path, value]) => put(whole, path, value), sniperConfig());
  expect((await startService().make('sniper', 1, { config })).config).toEqual(config);
});
