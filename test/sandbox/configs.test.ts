import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/model/json.ts';
import { buySet, copyTradeConfig, FEES, SELL_SIDE, sniperConfig, wallet } from '../support/builders.ts';
import { type KindName, startService, taskBody } from './service.ts';

async function tryConfig(kind: KindName, config: JsonObject): Promise<string[]> {
  const reply = await startService().ask('POST', `/${kind}/configs`, { body: taskBody(kind, 1, { config }) });
  return reply.status === 201
    ? []
    : reply.fields.map(({ path, reason }) => `${path.replace('config.', '')} ${reason}`);
}

const LONG = `0.${'1'.repeat(12)}`;

/** Interface, "Sniper config". */
describe.each(['sniper', 'transfer-snipe'] as const)('config of %s', (kind) => {
  it.each(Object.keys(sniperConfig()))('requires %s', async (field) => {
    const { [field]: _gone, ...config } = sniperConfig();
    expect(await tryConfig(kind, config)).toEqual([`${field} required`]);
  });

  it.each([
    [
      'buy_amount',
      ['0.000000000001', '1000000', '1000000.0', '007', '999999.999999999999', LONG],
      [
        '0',
        '0.0',
        '',
        '1000000.1',
        '-1',
        '+1',
        '1e3',
        '.5',
        '5.',
        '0x1',
        'NaN',
        ' 1',
        '1,0',
        `0.${'1'.repeat(13)}`,
        `1${'0'.repeat(33)}`,
      ],
    ],
    ['bundle_amount', ['', '0', '12345678901234567890.5'], ['-1', 'x', '1'.repeat(33)]],
    ['dev_min_amount', ['', '0', '5'], ['x']],
    ['dev_max_amount', ['', '0', '5'], ['x']],
  ])('checks %s', async (field, good, bad) => {
    for (const value of good)
      expect([value, await tryConfig(kind, sniperConfig({ [field]: value }))]).toEqual([value, []]);
    for (const value of [...bad, null, true]) {
      expect([value, (await tryConfig(kind, sniperConfig({ [field]: value }))).length > 0]).toEqual([
        value,
        true,
      ]);
    }
    expect(await tryConfig(kind, sniperConfig({ [field]: 1 }))).toEqual([`${field} expected_string`]);
  });

  it.each(['relay_mode', 'priority_mode'])('checks %s', async (mode) => {
    for (const [field, good, bad] of [
      ['tip_amount', ['0', '1000', '1000.000'], ['1000.000000000001', '1001', '']],
      ['priority_fee', ['0', '1000'], ['1000.1', '']],
      ['slippage', ['0', '100', '100.0'], ['100.1', '101', '']],
      ['bundle_amount', ['', '0.1'], ['x']],
      ['sol_slippage_mode', [true, false], ['true']],
    ] as const) {
      for (const value of good)
        expect(await tryConfig(kind, sniperConfig({ [mode]: { ...FEES, [field]: value } }))).toEqual([]);
      for (const value of bad) {
        expect([
          field,
          value,
          (await tryConfig(kind, sniperConfig({ [mode]: { ...FEES, [field]: value } }))).length,
        ]).toEqual([field, value, 1]);
      }
    }
    for (const field of Object.keys(FEES)) {
      const { [field]: _gone, ...fees } = FEES as Record<string, string>;
      expect(await tryConfig(kind, sniperConfig({ [mode]: fees }))).toEqual([`${mode}.${field} required`]);
    }
  });

  it('takes 1 to 5 of its own DEXes', async () => {
    const all = ['pump-fun', 'launchlab', 'believe', 'bags', 'meteora-dynamic-bc'];
    expect(await tryConfig(kind, sniperConfig({ selected_dexes: all }))).toEqual([]);
    expect(await tryConfig(kind, sniperConfig({ selected_dexes: [] }))).toEqual([
      'selected_dexes too_few_items',
    ]);
    expect(await tryConfig(kind, sniperConfig({ selected_dexes: [...all, 'bags'] }))).toContain(
      'selected_dexes too_many_items',
    );
    expect(await tryConfig(kind, sniperConfig({ selected_dexes: ['raydium-amm'] }))).toEqual([
      'selected_dexes.0 invalid_enum_value',
    ]);
  });

  it('knows two DEX sources and only booleans', async () => {
    expect(await tryConfig(kind, sniperConfig({ dex_source: 'global' }))).toEqual([]);
    expect(await tryConfig(kind, sniperConfig({ dex_source: 'both' }))).toEqual([
      'dex_source invalid_enum_value',
    ]);
    for (const field of ['buy_once', 'sol_slippage_mode', 'snipe_external']) {
      expect(await tryConfig(kind, sniperConfig({ [field]: 'false' }))).toEqual([
        `${field} expected_boolean`,
      ]);
    }
  });

  it('requires dev_max_amount to be at least dev_min_amount when both are set, by exact value', async () => {
    const pair = (low: string, high: string) =>
      tryConfig(kind, sniperConfig({ dev_min_amount: low, dev_max_amount: high }));
    expect(await pair('2', '1')).toEqual(['dev_max_amount below_minimum']);
    expect(await pair('0.100000000001', '0.1')).toEqual(['dev_max_amount below_minimum']);
    for (const [low, high] of [
      ['2', '10'],
      ['1.0', '1'],
      ['5', ''],
      ['', '1'],
    ] as const)
      expect(await pair(low, high)).toEqual([]);
  });

  it('keeps the legacy bundle_amount and flags', async () => {
    expect(await tryConfig(kind, sniperConfig({ bundle_amount: '1', sol_slippage_mode: true }))).toEqual([]);
  });
});

/** Interface, "Copy-trade config". */
describe('config of copy-trade', () => {
  const check = (changes: JsonObject) => tryConfig('copy-trade', copyTradeConfig(changes));

  it.each(Object.keys(copyTradeConfig()))('requires %s', async (field) => {
    const { [field]: _gone, ...config } = copyTradeConfig();
    expect(await tryConfig('copy-trade', config)).toEqual([`${field} required`]);
  });

  it.each(Object.keys(buySet()))('requires %s in every buy parameter set, used or not', async (field) => {
    const { [field]: _gone, ...set } = buySet();
    expect(await check({ buy_config_universal: set })).toEqual([`buy_config_universal.${field} required`]);
    expect(await check({ buy_config_tiers: [buySet(), set] })).toEqual([
      `buy_config_tiers.1.${field} required`,
    ]);
  });

  it('checks the ranges of a buy parameter set', async () => {
    for (const field of ['relay_tip', 'relay_priority_fee', 'priority_fee', 'priority_tip']) {
      expect(await check({ buy_config_universal: buySet({ [field]: '1000' }) })).toEqual([]);
      expect(await check({ buy_config_universal: buySet({ [field]: '1000.5' }) })).toEqual([
        `buy_config_universal.${field} invalid_decimal`,
      ]);
    }
    for (const field of ['relay_slippage', 'priority_slippage']) {
      expect(await check({ buy_config_universal: buySet({ [field]: '100' }) })).toEqual([]);
      expect(await check({ buy_config_universal: buySet({ [field]: '100.5' }) })).toEqual([
        `buy_config_universal.${field} invalid_decimal`,
      ]);
    }
    expect(await check({ buy_config_universal: buySet({ amount_sol: '1000001' }) })).toHaveLength(1);
    const optional = {
      relay_bundle_amount: '',
      priority_bundle_amount: '2',
      selected_dexes: [],
      relay_sol_slippage_mode: true,
      priority_sol_slippage_mode: false,
    };
    expect(await check({ buy_config_universal: buySet(optional) })).toEqual([]);
    expect(await check({ buy_config_universal: buySet({ selected_dexes: ['believe'] }) })).toEqual([
      'buy_config_universal.selected_dexes.0 invalid_enum_value',
    ]);
  });

  it('requires market_cap_max to be at least market_cap_min on both sides', async () => {
    const set = buySet({ market_cap_min: '10', market_cap_max: '9.99' });
    expect(await check({ buy_config_universal: set })).toEqual([
      'buy_config_universal.market_cap_max below_minimum',
    ]);
    expect(await check({ buy_config_tiers: [set] })).toEqual([
      'buy_config_tiers.0.market_cap_max below_minimum',
    ]);
    expect(
      await check({ buy_config_universal: buySet({ market_cap_min: '10', market_cap_max: '' }) }),
    ).toEqual([]);
  });

  it('requires an amount on the active side, and allows an empty one on the other', async () => {
    const empty = buySet({ amount_sol: '' });
    expect(await check({ buy_config_universal: empty })).toEqual([
      'buy_config_universal.amount_sol amount_required',
    ]);
    expect(await check({ buy_config_tiers: [empty] })).toEqual([]);
    expect(await check({ buy_config_mode: 'tiered' })).toEqual(['buy_config_tiers tier_required']);
    expect(
      await check({ buy_config_mode: 'tiered', buy_config_universal: empty, buy_config_tiers: [buySet()] }),
    ).toEqual([]);
    expect(await check({ buy_config_mode: 'tiered', buy_config_tiers: [buySet(), empty] })).toEqual([
      'buy_config_tiers.1.amount_sol amount_required',
    ]);
  });

  it('takes at most 20 tiers and 1 to 7 DEXes', async () => {
    expect(await check({ buy_config_tiers: Array(20).fill(buySet()) })).toEqual([]);
    expect(await check({ buy_config_tiers: Array(21).fill(buySet()) })).toEqual([
      'buy_config_tiers too_many_items',
    ]);
    const all = [
      'pump-fun',
      'pump-amm',
      'launchlab',
      'meteora-dynamic-bc',
      'meteora-damm-v2',
      'raydium-amm',
      'raydium-cpmm',
    ];
    expect(await check({ selected_dexes: all })).toEqual([]);
    expect(await check({ selected_dexes: [] })).toEqual(['selected_dexes too_few_items']);
    expect(await check({ selected_dexes: ['bags'] })).toEqual(['selected_dexes.0 invalid_enum_value']);
  });

  it.each(['dev_sell_only', 'dev_sell_all_only'])('requires pump-fun for %s', async (flag) => {
    expect(await check({ [flag]: true })).toEqual([]);
    expect(await check({ [flag]: true, selected_dexes: ['pump-amm'] })).toEqual([
      'selected_dexes pump_fun_required',
    ]);
  });

  it('compares the trade bounds, unless dev_sell_only ignores them', async () => {
    const inverted = { min_trade_amount: '5', max_trade_amount: '4.9' };
    expect(await check(inverted)).toEqual(['max_trade_amount below_minimum']);
    expect(await check({ ...inverted, dev_sell_all_only: true })).toEqual(['max_trade_amount below_minimum']);
    expect(await check({ ...inverted, dev_sell_only: true })).toEqual([]);
    expect(await check({ ...inverted, max_trade_amount: '' })).toEqual([]);
  });

  it('takes at most 50 unique blacklisted wallets', async () => {
    const wallets = Array.from({ length: 51 }, (_, n) => wallet(n));
    expect(await check({ address_blacklist: { enabled: true, wallets: wallets.slice(1) } })).toEqual([]);
    expect(await check({ address_blacklist: { enabled: true, wallets } })).toEqual([
      'address_blacklist.wallets too_many_items',
    ]);
    expect(await check({ address_blacklist: { enabled: true, wallets: [wallet(1), wallet(1)] } })).toEqual([
      'address_blacklist.wallets duplicate_items',
    ]);
    expect(await check({ address_blacklist: { enabled: true, wallets: ['short'] } })).toContain(
      'address_blacklist.wallets.0 too_short',
    );
    expect(await check({ address_blacklist: { wallets: [] } })).toEqual([
      'address_blacklist.enabled required',
    ]);
  });

  it('takes at most 20 unique linked wallets', async () => {
    const service = startService();
    const wallets = Array.from({ length: 21 }, (_, n) => wallet(n + 10));
    const attempt = async (linked_wallets: unknown) =>
      (
        await service.ask('POST', '/copy-trade/configs', {
          body: { ...taskBody('copy-trade'), linked_wallets },
        })
      ).fields.map(({ reason }) => reason);
    expect(await attempt(wallets)).toEqual(['too_many_items']);
    expect(await attempt([wallet(1), wallet(1)])).toEqual(['duplicate_items']);
    expect(await attempt(['0'.repeat(40)])).toEqual(['invalid_address']);
    expect(await attempt(wallets.slice(1))).toEqual([]);
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
});

/** Interface, "Sell-side objects". */
describe('sell-side objects', () => {
  const change = (name: string, changes: JsonObject) => ({
    [name]: { ...(SELL_SIDE[name] as JsonObject), ...changes },
  });

  it.each([
    ['auto_sell', ['enabled', 'expiry_time', 'tp_orders', 'sl_orders', 'follow_sell', 'proportional_sell']],
    ['auto_strategy', ['migration_clear', 'timed_sell', 'sell_delay']],
    ['timed_strategy', ['enabled', 'orders']],
  ])('requires the minimum shape of %s in tasks and templates of every kind', async (name, fields) => {
    for (const field of fields) {
      const { [field]: _gone, ...part } = SELL_SIDE[name] as JsonObject;
      for (const [kind, config] of [
        ['sniper', sniperConfig({ [name]: part })],
        ['copy-trade', copyTradeConfig({ [name]: part })],
      ] as const) {
        expect(await tryConfig(kind, config)).toEqual([`${name}.${field} required`]);
        const reply = await startService().ask('POST', `/${kind}/templates`, { body: { name: 'x', config } });
        expect(reply.fields).toEqual([{ path: `config.${name}.${field}`, reason: 'required' }]);
      }
    }
  });

  it('keeps fields and items whose shape is not documented', async () => {
    const config = sniperConfig({
      ...change('auto_sell', {
        tab: 'any',
        sl_orders: [{ at: '5', x: [1] }],
        trailing_take_profit: { enabled: true, tiers: [{ a: 1 }] },
      }),
      ...change('auto_strategy', { anti_pvp: true }),
      ...change('timed_strategy', { orders: [{ after: '10', part: '50' }] }),
    });
    const task = await startService().make('sniper', 1, { config });
    expect(task.config).toEqual(config);
  });

  it('takes decimals in take-profit orders and at most 20 timed orders', async () => {
    expect(
      await tryConfig(
        'sniper',
        sniperConfig(change('auto_sell', { tp_orders: [{ trigger: 5, sell: '1' }] })),
      ),
    ).toEqual(['auto_sell.tp_orders.0.trigger expected_string']);
    expect(
      await tryConfig('sniper', sniperConfig(change('auto_sell', { tp_orders: [{ trigger: '5' }] }))),
    ).toEqual(['auto_sell.tp_orders.0.sell required']);
    expect(
      await tryConfig('sniper', sniperConfig(change('timed_strategy', { orders: Array(21).fill({}) }))),
    ).toEqual(['timed_strategy.orders too_many_items']);
    expect(await tryConfig('sniper', sniperConfig(change('auto_sell', { expiry_time: '' })))).toEqual([
      'auto_sell.expiry_time invalid_decimal',
    ]);
  });
});
