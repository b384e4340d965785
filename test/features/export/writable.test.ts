import { describe, expect, it } from 'vitest';
import { withDefaults } from '../../../src/core/manifest/defaults.ts';
import type { JsonObject } from '../../../src/core/model/json.ts';
import { kindOf } from '../../../src/core/model/kind.ts';
import { passesWriteSchema } from '../../../src/core/model/write-schema.ts';
import { configSchema, writableConfig } from '../../../src/kit/export/pure/writable.ts';
import { copyTradeConfig, sniperConfig, wallet } from '../../support/builders.ts';

function sniper(over: JsonObject) {
  return writableConfig(kindOf('sniper'), sniperConfig(over));
}

function copy(over: JsonObject) {
  return writableConfig(kindOf('copy-trade'), copyTradeConfig(over));
}

describe('a present snapshot', () => {
  it('is written as it is, without the defaults', () => {
    const { config, dropped, unsayable } = sniper({
      buy_amount: '0.50',
      buy_once: false,
      snipe_external: true,
    });
    expect({ dropped, unsayable }).toEqual({ dropped: [], unsayable: [] });
    expect(config).toMatchObject({ buy_amount: '0.50', snipe_external: true });
    expect(config).not.toHaveProperty('buy_once');
    expect(withDefaults(config, configSchema(kindOf('sniper')))).toEqual(
      sniperConfig({ buy_amount: '0.50', buy_once: false, snipe_external: true }),
    );
  });

  it('keeps undocumented fields', () => {
    const auto_strategy = {
      migration_clear: true,
      timed_sell: false,
      sell_delay: '0',
      anti_pvp: { at: '3', n: 1 },
    };
    expect(sniper({ auto_strategy })).toMatchObject({ config: { auto_strategy }, unsayable: [] });
  });
});

describe('an older one', () => {
  it('loses fields that no longer exist, and each is reported', () => {
    const relay_mode = { tip_amount: '0', priority_fee: '0', slippage: '1', turbo: true };
    const { config, dropped, unsayable } = sniper({ since_dropped: [1], relay_mode });
    expect(dropped).toEqual([
      { path: 'relay_mode.turbo', value: true },
      { path: 'since_dropped', value: [1] },
    ]);
    expect(unsayable).toEqual([]);
    expect(config).not.toHaveProperty('since_dropped');
  });

  it('has its amounts in the present form', () => {
    expect(sniper({ buy_amount: 0.5 })).toMatchObject({ config: { buy_amount: '0.5' }, unsayable: [] });
    expect(sniper({ buy_amount: '007.10' })).toMatchObject({ config: { buy_amount: '7.1' }, unsayable: [] });
  });

  it.each<[JsonObject, readonly string[], JsonObject]>([
    [{ buy_amount: '0' }, ['config.buy_amount'], { buy_amount: '0.000000000001' }],
    [{ selected_dexes: ['pump-fun', 'gone'] }, ['config.selected_dexes'], { selected_dexes: ['pump-fun'] }],
    [{ selected_dexes: [] }, ['config.selected_dexes'], { selected_dexes: ['pump-fun'] }],
    [{ dev_min_amount: '5', dev_max_amount: '1' }, ['config.dev_max_amount'], { dev_max_amount: '' }],
    [
      { relay_mode: { tip_amount: '1' } },
      ['config.relay_mode.priority_fee', 'config.relay_mode.slippage'],
      { relay_mode: { tip_amount: '1', priority_fee: '0', slippage: '0' } },
    ],
    [
      { timed_strategy: { enabled: true, orders: [{ after: 1.5 }] } },
      ['config.timed_strategy.orders'],
      { timed_strategy: { enabled: true, orders: [{ after: '1.5' }] } },
    ],
    [
      { auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: '0', 'a.b': 0.5 } },
      ['config.auto_strategy'],
      {},
    ],
  ])('%j: what cannot be expressed is %j, and a stand-in is written', (over, unsayable, written) => {
    const result = sniper(over);
    expect(result.unsayable).toEqual(unsayable);
    expect(result.config).toMatchObject(written);
    expect(
      passesWriteSchema('sniperConfig', withDefaults(result.config, configSchema(kindOf('sniper')))),
    ).toBe(true);
  });

  it.each<[JsonObject, readonly string[]]>([
    [{ reentry_after_flat: true }, ['config.reentry_after_flat']],
    [{ dev_sell_only: true, selected_dexes: ['pump-amm'] }, ['config.dev_sell_only']],
    [{ min_trade_amount: '5', max_trade_amount: '1' }, ['config.max_trade_amount']],
    [{ dev_sell_only: true, min_trade_amount: '5', max_trade_amount: '1' }, []],
    [{ buy_config_mode: 'tiered' }, ['config.buy_config_tiers']],
    [
      { address_blacklist: { enabled: true, wallets: [wallet(1), 'x'] } },
      ['config.address_blacklist.wallets'],
    ],
  ])('of copy-trade %j: %j', (over, unsayable) => expect(copy(over).unsayable).toEqual(unsayable));
});
