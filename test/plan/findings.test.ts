import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../src/core/desired/state.ts';
import type { LiveTask } from '../../src/core/model/resource.ts';
import { makePlan } from '../../src/core/plan/plan.ts';
import {
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';
import { changeOf, operationsOf } from '../support/plans.ts';

/** What people found by trying to make a plan do harm: each was wrong once. */

function planOf(desired: readonly DesiredTask[], live: readonly LiveTask[], remaining = 10) {
  const account = {
    ...liveState([]).account,
    quota: { max: live.length + remaining, used: live.length, remaining },
  };
  return makePlan(planInput(desiredState(desired), liveState(live, [], { account })));
}

describe('a replacement is not recognised by four hex digits alone', () => {
  const present = liveTask(1, { remark: 'Note [git:core/a@1]' });
  const tagged = { remark: `Note [git:core/a@1~${uuid(1).slice(0, 4)}]`, is_active: false, version: 1 };

  test('a clone with the same target is a conflict, and nothing is deleted', () => {
    const made = planOf([desiredTask('a')], [present, liveTask(2, tagged)]);
    expect(changeOf(made, 'sniper/a').reason).toBe('conflict');
    expect(made.operations).toEqual([]);
  });

  test('nor is a task that is older than the one it seems to replace', () => {
    const older = { ...tagged, target_wallet: wallet(1), created_at: '2025-01-01T00:00:00Z' };
    const made = planOf([desiredTask('a', { target_wallet: wallet(1) })], [present, liveTask(2, older)]);
    expect(changeOf(made, 'sniper/a').reason).toBe('conflict');
  });
});

describe('ignore_changes', () => {
  const sell = sniperConfig().auto_sell as object;
  const ignoreChanges = ['config.auto_sell.trailing_take_profit.enabled'];
  const owned = (config: LiveTask['config']) => [liveTask(1, { remark: 'Note [git:core/a@1]', config })];

  test('of one field keeps the rest of its object the manifest’s, whichever side lacks it', () => {
    const withTiers = sniperConfig({
      auto_sell: { ...sell, trailing_take_profit: { enabled: true, tiers: ['x'] } },
    });
    const gitHas = planOf([desiredTask('a', { ignoreChanges, config: withTiers })], owned(sniperConfig()));
    expect(operationsOf(gitHas, 'sniper/a')[2]?.body).toMatchObject({
      config: { auto_sell: { trailing_take_profit: { tiers: ['x'] } } },
    });
    const liveHas = planOf([desiredTask('a', { ignoreChanges })], owned(withTiers));
    expect(operationsOf(liveHas, 'sniper/a')[2]?.body).toMatchObject({
      config: { auto_sell: { trailing_take_profit: { enabled: true } } },
    });
    expect(planOf([desiredTask('a', { ignoreChanges })], owned(sniperConfig())).operations).toEqual([]);
  });
});
