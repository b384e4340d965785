import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/model/json.ts';
import { type ConfigDefinition, TASK_KINDS } from '../../../src/core/model/kind.ts';
import { definition, resolveShape, type SchemaNode } from '../../../src/core/model/shape.ts';
import { spotsOf } from '../../../src/core/plan/stakes/amounts.ts';

/** A config with an amount in every field that takes one, and the paths of these fields. */
function filled(shape: SchemaNode, path: string, found: string[]): JsonObject[string] {
  const { properties, items, ...own } = resolveShape(shape);
  if ('x-decimal' in own) {
    found.push(path);
    return '1';
  }
  if (items !== undefined) return [filled(items, `${path}[0]`, found)];
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, child]) => [name, filled(child, `${path}.${name}`, found)]),
  );
}

/** Amounts of others, bounds of what is bought, times, and what is sold. */
const UNLIMITED = [
  'config.auto_sell.expiry_time',
  'config.auto_sell.tp_orders[0].sell',
  'config.auto_sell.tp_orders[0].trigger',
  'config.auto_strategy.sell_delay',
  'config.buy_config_tiers[0].market_cap_max',
  'config.buy_config_tiers[0].market_cap_min',
  'config.buy_config_universal.market_cap_max',
  'config.buy_config_universal.market_cap_min',
  'config.dev_max_amount',
  'config.dev_min_amount',
  'config.max_trade_amount',
  'config.min_trade_amount',
];

// A new amount of the service is in no limit until somebody has decided that it needs none, and has put it here.
it('the limits know every amount that a task spends', () => {
  const unlimited = [...new Set<ConfigDefinition>(TASK_KINDS.map(({ config }) => config))].flatMap((name) => {
    const paths: string[] = [];
    const config = filled(definition(name), 'config', paths) as JsonObject;
    const limited = new Set(spotsOf(name, config).map(({ path }) => path));
    expect(limited.size).toBeGreaterThan(5);
    return paths.filter((path) => !limited.has(path));
  });
  expect([...new Set(unlimited)].sort()).toEqual(UNLIMITED);
});
