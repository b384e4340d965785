import { describe, expect, it } from 'vitest';
import { type ConfigDefinition, TASK_KINDS } from '../../../src/core/model/kind.ts';
import { definition, resolveShape, type SchemaNode } from '../../../src/core/model/shape.ts';
import {
  COSTS,
  changeRank,
  costOf,
  dearestFirst,
  fieldRank,
  isRaised,
} from '../../../src/core/plan/stakes/cost.ts';
import { change, emptyPlan, field } from '../../render/rich-plan.ts';

/** Every path of a config, objects and elements of lists as well. */
function pathsOf(shape: SchemaNode, prefix: string): string[] {
  const { properties = {}, items } = resolveShape(shape);
  return [
    prefix,
    ...Object.entries(properties).flatMap(([key, child]) => pathsOf(child, `${prefix}.${key}`)),
    ...(items === undefined ? [] : pathsOf(items, `${prefix}[0]`)),
  ];
}

const CONFIGS = new Set<ConfigDefinition>(TASK_KINDS.map(({ config }) => config));
const PATHS = [...new Set([...CONFIGS].flatMap((name) => pathsOf(definition(name), 'config')))];

describe('the class of a field', () => {
  it('no field of a config is a note, and fields without a money class are listed', () => {
    expect(PATHS.length).toBeGreaterThan(50);
    const of = (cost: string) => PATHS.filter((path) => costOf(path) === cost);
    expect([...of('note'), ...of('label')]).toEqual([]);
    // A new field of the service stands here until somebody has thought of what it can cost.
    expect(of('other')).toEqual([]);
  });

  it.each([
    ['state', 'switch'],
    ['target_wallet', 'wallets'],
    ['linked_wallets', 'wallets'],
    ['config', 'amounts'],
    ['config.buy_amount', 'amounts'],
    ['config.buy_once', 'amounts'],
    ['config.buy_config_mode', 'amounts'],
    ['config.buy_config_tiers', 'amounts'],
    ['config.buy_config_tiers[3]', 'amounts'],
    ['config.buy_config_tiers[3].amount_sol', 'amounts'],
    ['config.skip_dev_launch', 'amounts'],
    ['config.min_trade_amount', 'amounts'],
    ['config.dev_sell_only', 'amounts'],
    ['config.buy_config_tiers[0].market_cap_max', 'amounts'],
    ['config.relay_mode', 'slippage'],
    ['config.relay_mode.slippage', 'slippage'],
    ['config.buy_config_universal.relay_sol_slippage_mode', 'slippage'],
    ['config.relay_mode.tip_amount', 'tips'],
    ['config.buy_config_tiers[0].priority_fee', 'tips'],
    ['config.bundle_amount', 'tips'],
    ['config.buy_config_tiers[1].selected_dexes', 'dexes'],
    ['config.dex_source', 'dexes'],
    ['config.auto_sell.tp_orders[2].sell', 'selling'],
    ['config.auto_strategy.a_field_that_is_not_shown', 'selling'],
    ['config.auto_strategy.stop_slippage', 'selling'],
    ['config.timed_strategy', 'selling'],
    ['config.address_blacklist.wallets', 'blacklists'],
    ['config.a_field_of_tomorrow', 'other'],
    ['label', 'label'],
    ['remark', 'note'],
    ['name', 'note'],
    ['sort_order', 'note'],
  ])('%s: %s', (path, cost) => expect(costOf(path)).toBe(cost));

  it('money goes before settings, and settings before labels and notes, whatever runs', () => {
    const of = (running: boolean) =>
      COSTS.map(
        (cost) =>
          PATHS.concat('state', 'target_wallet', 'config.not_thought_of', 'label', 'remark').find(
            (path) => costOf(path) === cost,
          ) ?? '',
      ).map((path) => fieldRank(path, running));
    const [running, paused] = [of(true), of(false)];
    expect(running).toEqual(running.toSorted((a, b) => a - b));
    expect(paused).toEqual(paused.toSorted((a, b) => a - b));
    for (const [index, rank] of running.entries()) expect(rank).toBeLessThan(paused[index] ?? 0);
    expect(fieldRank('config.auto_sell.enabled', false)).toBeLessThan(fieldRank('remark', true));
    expect(fieldRank('config.auto_sell.enabled', true)).toBeLessThan(fieldRank('config.buy_amount', false));
  });
});

describe('the order of changes', () => {
  const runs = { former: { is_active: true } };
  const ordered = [
    change('sniper/stops', { stops_trading: true, action: 'delete', ...runs }),
    change('sniper/starts', { starts_trading: true }),
    change('sniper/wallets', { ...runs, fields: [field('target_wallet', 'a', 'b')] }),
    change('sniper/amount', {
      ...runs,
      fields: [field('remark', 'a', 'b'), field('config.buy_amount', '1', '2')],
    }),
    change('sniper/more', {
      ...runs,
      exposure: { before: '1', after: '9' },
      fields: [field('config.dex_source', 'config', 'global')],
    }),
    change('sniper/less', {
      ...runs,
      exposure: { before: '10', after: '1', secret: true },
      fields: [field('config.dex_source', 'config', 'global')],
    }),
    change('sniper/goes', { action: 'delete' }),
    change('sniper/paused', { fields: [field('config.buy_amount', '1', '2')] }),
    change('sniper/other', { ...runs, fields: [field('config.not_thought_of', '1', '2')] }),
    change('sniper/note', { ...runs, fields: [field('remark', 'a', 'b')] }),
    change('sniper/nothing', runs),
  ];
  const plan = { ...emptyPlan(), changes: ordered.toReversed() };

  it('is by cost, and does not change the given plan', () => {
    const before = structuredClone(plan);
    expect(dearestFirst(plan).changes.map(({ address }) => address)).toEqual(
      ordered.map(({ address }) => address),
    );
    expect(dearestFirst(plan).changes[3]?.fields.map(({ path }) => path)).toEqual([
      'config.buy_amount',
      'remark',
    ]);
    expect(plan).toEqual(before);
  });

  it('is the order of addresses for equal cost', () => {
    const same = ['a', 'b', 'c', 'd'].map((name) => change(`sniper/${name}`));
    expect(dearestFirst({ ...emptyPlan(), changes: same }).changes).toEqual(same);
    expect(new Set(same.map(changeRank)).size).toBe(1);
  });

  it('diagnostics follow their changes; those of the whole plan are first', () => {
    const of = (address?: string) => ({
      severity: 'warning' as const,
      code: 'x',
      message: 'x',
      ...(address === undefined ? {} : { address }),
    });
    const diagnostics = [of('sniper/unknown'), of('sniper/note'), of('sniper/starts'), of()];
    const sorted = dearestFirst({ ...plan, diagnostics }).diagnostics.map(({ address }) => address);
    expect(sorted).toEqual([undefined, 'sniper/starts', 'sniper/note', 'sniper/unknown']);
  });
});

it('a field counts as raised by its value; secrets do not count', () => {
  const raised = (before: unknown, after: unknown, sensitive = false) =>
    isRaised(field('config.buy_amount', before, after, { sensitive }));
  expect(raised('0.9', '0.10')).toBe(false);
  expect(raised('9', '10')).toBe(true);
  expect(raised('', '0.1')).toBe(true);
  expect(raised(undefined, '0.1')).toBe(true);
  expect(raised('0.1', undefined)).toBe(false);
  expect(raised('1', '2', true)).toBe(false);
  expect(raised(['1'], ['2'])).toBe(false);
});
