import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../src/core/desired/state.ts';
import type { LiveLabel, LiveTask } from '../../src/core/model/resource.ts';
import { makePlan } from '../../src/core/plan/plan.ts';
import {
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';
import { changeOf, operationsOf, steps } from '../support/plans.ts';

/** What people found by trying to make a plan do harm: each was wrong once. */

function planOf(desired: readonly DesiredTask[], live: readonly LiveTask[], remaining = 10) {
  const account = {
    ...liveState([]).account,
    quota: { max: live.length + remaining, used: live.length, remaining },
  };
  return makePlan(planInput(desiredState(desired), liveState(live, [], { account })));
}

function copy(name: string, target: number): DesiredTask {
  return desiredTask(name, { collection: 'copy-trade', target_wallet: wallet(target) });
}

function copyLive(index: number, name: string, target: number, over: Partial<LiveTask> = {}): LiveTask {
  const remark = `Note [git:core/${name}@1]`;
  return liveTask(index, { collection: 'copy-trade', remark, target_wallet: wallet(target), ...over });
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

test('a project under another name does not double its tasks', () => {
  const theirs = liveTask(1, { remark: 'Note [git:former/a@1]' });
  const made = planOf([desiredTask('a')], [theirs]);
  expect(changeOf(made, 'sniper/a')).toMatchObject({ reason: 'uncertain', action: 'none' });
  const beside = planOf([desiredTask('a', { adopt: 'never' })], [theirs]);
  expect(steps(beside, 'sniper/a')).toEqual(['create(pending)', 'resume']);
  const else_ = { note: 'Else', config: sniperConfig({ buy_amount: '3' }) };
  // Renamed and changed in one commit, and this is a plan of the commit before.
  expect(changeOf(planOf([desiredTask('a', else_)], [theirs]), 'sniper/a').reason).toBe('uncertain');
  expect(steps(planOf([desiredTask('b', else_)], [theirs]), 'sniper/b')).toEqual([
    'create(pending)',
    'resume',
  ]);
});

describe('cycles of places and targets', () => {
  const held = { is_active: false };

  test('if two held tasks wait for each other, one is blocked and the other is done', () => {
    const made = planOf(
      [copy('a', 1), copy('b', 3)],
      [copyLive(1, 'a', 2, held), copyLive(2, 'b', 1, held)],
      1,
    );
    const done = ['copy-trade/a', 'copy-trade/b'].filter((address) => steps(made, address).length > 0);
    expect(done.length).toBeGreaterThan(0);
    expect(isAcyclic(made)).toBe(true);
  });

  test('in a swap with one held task, the other one deletes first', () => {
    const made = planOf([copy('a', 1), copy('b', 2)], [copyLive(1, 'a', 2, held), copyLive(2, 'b', 1)], 2);
    expect(steps(made, 'copy-trade/a')).toEqual(['create(settled ~)', 'delete']);
    expect(steps(made, 'copy-trade/b')[0]).toBe('mark(pending)');
    expect(made.summary.blocked).toBe(0);
    expect(isAcyclic(made)).toBe(true);
  });
});

/** No operation waits, over the order of its own chain and its needs, for itself. */
function isAcyclic({ operations }: ReturnType<typeof planOf>): boolean {
  const done = new Set<string>();
  for (let before = -1; before < done.size; ) {
    before = done.size;
    for (const { id, address, needs } of operations) {
      const earlier = operations.filter((other) => other.address === address);
      const place = earlier.findIndex((other) => other.id === id);
      const chain = earlier.slice(0, place).every((other) => done.has(other.id));
      if (chain && needs.every((need) => done.has(need))) done.add(id);
    }
  }
  return done.size === operations.length;
}

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

  test('of the remark: spaces are not a difference, and a note that leaves no room blocks before anything is paused', () => {
    const remark = ['remark'];
    const spaced = [liveTask(1, { remark: 'hello  [git:core/a@0]' })];
    expect(planOf([desiredTask('a', { ignoreChanges: remark })], spaced).operations).toEqual([]);
    const long = [liveTask(1, { remark: `${'n'.repeat(45)} [git:core/a@9]`, version: 10 })];
    const made = planOf(
      [desiredTask('a', { ignoreChanges: remark, config: sniperConfig({ buy_amount: '2' }) })],
      long,
    );
    expect(changeOf(made, 'sniper/a').blocked?.text).toContain('no room for the marker');
    expect(made.operations).toEqual([]);
  });
});

describe('labels by id', () => {
  const label = (index: number, name: string): LiveLabel => ({
    collection: 'label',
    id: uuid(index),
    name,
    sort_order: 0,
  });
  const planLabels = (
    desired: ReturnType<typeof desiredLabel>[],
    live: LiveLabel[],
    tasks: DesiredTask[] = [],
  ) => makePlan(planInput(desiredState(tasks, desired), liveState([], live)));

  test('one label claimed by two manifests: the second is blocked, and so are its tasks', () => {
    const made = planLabels(
      [desiredLabel('y', { id: uuid(1), shownName: 'C' }), desiredLabel('z', { shownName: 'B' })],
      [label(1, 'B')],
      [desiredTask('a', { label: 'z' })],
    );
    expect(changeOf(made, 'label/z').reason).toBe('conflict');
    expect(changeOf(made, 'sniper/a').blocked).not.toBeNull();
    expect(operationsOf(made, 'sniper/a')).toEqual([]);
  });

  test('a chain of renames waits for the name it takes, a swap is blocked', () => {
    const live = [label(1, 'A'), label(2, 'B')];
    const chain = planLabels(
      [
        desiredLabel('x', { id: uuid(1), shownName: 'B' }),
        desiredLabel('y', { id: uuid(2), shownName: 'C' }),
      ],
      live,
    );
    expect(operationsOf(chain, 'label/x')[0]?.needs).toEqual(['label/y#1']);
    const swap = planLabels(
      [
        desiredLabel('x', { id: uuid(1), shownName: 'B' }),
        desiredLabel('y', { id: uuid(2), shownName: 'A' }),
      ],
      live,
    );
    expect(swap.operations).toEqual([]);
    expect(swap.summary.blocked).toBe(2);
  });
});

test('replacing a task that runs on a legacy config says that its pause is one-way', () => {
  const legacy = liveTask(1, { remark: 'Note [git:core/a@1]', config: sniperConfig({ old_field: true }) });
  const made = planOf([desiredTask('a', { target_wallet: wallet(1) })], [legacy]);
  expect(made.diagnostics.map(({ code }) => code)).toContain('one-way-pause');
});
