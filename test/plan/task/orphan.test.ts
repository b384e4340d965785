import { describe, expect, test } from 'vitest';
import type { DesiredState } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import { replacesTag } from '../../../src/core/model/marker.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
  configFor,
  copyTradeConfig,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { changeOf, operationsOf, steps } from '../../support/plans.ts';

/** What becomes of owned tasks in no manifest, by `prune.tasks`. */
function planOf(
  pruneTasks: DesiredState['pruneTasks'],
  live: readonly LiveTask[],
  over: Partial<DesiredState> = {},
): Plan {
  return makePlan(
    planInput(desiredState([], [], { pruneTasks, ...over }), liveState(live), { allowEmpty: true }),
  );
}

const owned = (index: number, mark: string, over: Partial<LiveTask> = {}) =>
  liveTask(index, { remark: `Note [git:core/${mark}]`, ...over });

/** `pause 1`: what is sent, and to which task. */
function sent(plan: Plan, address: string): readonly string[] {
  return operationsOf(plan, address).map(
    ({ verb, subject }) => `${verb} ${Number.parseInt(subject.slice(0, 4), 16)}`,
  );
}

const ADDRESSED = {
  previous_address: null,
  kind: 'sniper',
  name: 'a',
  address: 'sniper/a',
  replaces_id: null,
  reason: 'not-in-manifests',
  starts_trading: false,
  held: false,
  blocked: null,
};

describe('one task', () => {
  test('that runs is paused and deleted, with a warning', () => {
    const task = owned(1, 'a@1');
    const plan = planOf('delete', [task]);
    expect(sent(plan, 'sniper/a')).toEqual(['pause 1', 'delete 1']);
    expect(plan.changes).toEqual([
      {
        ...ADDRESSED,
        id: uuid(1),
        version: 5,
        action: 'delete',
        actions: ['delete', 'stop'],
        stops_trading: true,
        exposure: { before: '0.5025', after: '0' },
        fields: [{ path: 'state', before: 'active', sensitive: false }],
        former: { ...task },
        operations: ['sniper/a#1', 'sniper/a#2'],
        digest: expect.any(String),
        outcome: expect.any(String),
      },
    ]);
    expect(plan.diagnostics.filter(({ address }) => address === 'sniper/a')).toMatchObject([
      { severity: 'warning', code: 'delete-running' },
    ]);
  });

  test('that is paused is deleted, and nothing stops', () => {
    const task = owned(1, 'a@1', { is_active: false });
    const plan = planOf('delete', [task]);
    expect(plan.changes).toEqual([
      {
        ...ADDRESSED,
        id: uuid(1),
        version: 5,
        action: 'delete',
        actions: ['delete'],
        stops_trading: false,
        exposure: { before: '0', after: '0' },
        fields: [],
        former: { ...task },
        operations: ['sniper/a#1'],
        digest: expect.any(String),
        outcome: expect.any(String),
      },
    ]);
    expect(sent(plan, 'sniper/a')).toEqual(['delete 1']);
    expect(plan.diagnostics.filter(({ address }) => address === 'sniper/a')).toEqual([]);
  });

  test('is only stopped if prune is pause; its version and its rearm stay', () => {
    const task = owned(1, 'a@1.k3Xq00A2#b');
    const plan = planOf('pause', [task]);
    expect(sent(plan, 'sniper/a')).toEqual(['pause 1', 'patch 1']);
    expect(operationsOf(plan, 'sniper/a')[1]?.body).toEqual({
      remark: { note: 'Note', mark: 'none', version: 'k3Xq00A2', rearm: 'b', replaces: null },
    });
    expect(plan.changes).toEqual([
      {
        ...ADDRESSED,
        id: uuid(1),
        version: 5,
        action: 'stop',
        actions: ['stop'],
        stops_trading: true,
        exposure: { before: '0.5025', after: '0' },
        fields: [{ path: 'state', before: 'active', after: 'paused', sensitive: false }],
        former: { ...task },
        operations: ['sniper/a#1', 'sniper/a#2'],
        digest: expect.any(String),
        outcome: expect.any(String),
      },
    ]);
    expect(plan.diagnostics.filter(({ address }) => address === 'sniper/a')).toEqual([]);
    expect(planOf('pause', [owned(1, 'a@1', { is_active: false })]).changes).toEqual([]);
  });

  test('on a legacy config is paused, and its remark does not change', () => {
    const legacy = owned(1, 'a@1', { config: { ...sniperConfig(), buy_amount: 'much' } });
    expect(sent(planOf('pause', [legacy]), 'sniper/a')).toEqual(['pause 1']);
  });
});

describe('the two of a replacement', () => {
  const present = (over: Partial<LiveTask> = {}) => owned(1, 'a@1', { version: 7, ...over });
  const heir = (over: Partial<LiveTask> = {}) =>
    owned(2, `a@1~${replacesTag(uuid(1))}`, {
      target_wallet: wallet(1),
      version: 2,
      is_active: false,
      config: sniperConfig({ buy_amount: '2' }),
      ...over,
    });
  const RUNS = { is_active: true };
  const STANDS = { is_active: false };

  test.each<[string, LiveTask, LiveTask, string[], string]>([
    ['the present one runs', present(), heir(), ['delete 2', 'pause 1', 'delete 1'], '0.5025'],
    ['the new one runs', present(STANDS), heir(RUNS), ['pause 2', 'delete 2', 'delete 1'], '2.0025'],
    ['neither', present(STANDS), heir(), ['delete 2', 'delete 1'], '0'],
    ['both', present(), heir(RUNS), ['pause 2', 'delete 2', 'pause 1', 'delete 1'], '2.505'],
  ])('are deleted, the new one first; %s', (_which, old, next, expected, before) => {
    const plan = planOf('delete', [old, next]);
    expect(sent(plan, 'sniper/a')).toEqual(expected);
    expect(plan.changes).toMatchObject([
      {
        ...ADDRESSED,
        id: uuid(1),
        version: 7,
        actions: before === '0' ? ['delete'] : ['delete', 'stop'],
        stops_trading: before !== '0',
        exposure: { before, after: '0' },
        former: { ...old },
        successor: { ...next },
      },
    ]);
    expect(plan.observations).toEqual([]);
    expect(plan.exposure).toMatchObject({ before, after: '0', running_after: 0 });
  });

  test.each<[string, LiveTask, LiveTask, string[], (string | null)[]]>([
    ['the present one', present(), heir(), ['pause 1', 'patch 1'], [null]],
    ['the new one', present(STANDS), heir(RUNS), ['pause 2', 'patch 2'], [uuid(1)]],
    ['both', present(), heir(RUNS), ['pause 2', 'patch 2', 'pause 1', 'patch 1'], [uuid(1), null]],
  ])('where prune is pause: of the one that runs (%s) the marker says whom it replaces still', (...row) => {
    const [, old, next, expected, replaces] = row;
    const plan = planOf('pause', [old, next]);
    expect(sent(plan, 'sniper/a')).toEqual(expected);
    const remarks = operationsOf(plan, 'sniper/a').flatMap(({ body }) =>
      body === null ? [] : [(body.remark as { replaces?: string | null }).replaces],
    );
    expect(remarks).toEqual(replaces);
    expect(planOf('pause', [present(STANDS), heir()]).changes).toEqual([]);
  });

  test('are both kept if prune is never, and the running one counts', () => {
    const plan = planOf('never', [present(), heir(RUNS)]);
    expect(plan.changes).toEqual([]);
    expect(plan.observations.map(({ class: kind, id }) => [kind, id])).toEqual([
      ['kept', uuid(1)],
      ['kept', uuid(2)],
    ]);
    expect(plan.exposure).toMatchObject({ running_before: 2, running_after: 2, before: '2.505' });
  });
});

test('two of one name are a conflict, whatever prune says: nothing is done, both are named and count', () => {
  for (const prune of ['delete', 'pause', 'never'] as const) {
    const plan = planOf(prune, [owned(3, 'a@1'), owned(2, 'a@1'), owned(4, 'a@0')]);
    expect(plan.operations).toEqual([]);
    expect(plan.changes).toEqual([
      {
        ...ADDRESSED,
        id: null,
        version: null,
        action: 'none',
        actions: ['none'],
        reason: 'conflict',
        stops_trading: false,
        blocked: { text: expect.stringContaining('3 tasks'), ids: [uuid(2), uuid(3), uuid(4)] },
        exposure: { before: '0', after: '0' },
        fields: [],
        former: null,
        operations: [],
      },
    ]);
    expect(plan.exposure.running_after).toBe(3);
  }
});

describe('the copy-trade target of a deleted task', () => {
  const gone = owned(1, 'gone@1', {
    collection: 'copy-trade',
    config: configFor('copy-trade'),
    target_wallet: wallet(1),
  });
  const next = desiredTask('next', {
    collection: 'copy-trade',
    target_wallet: wallet(1),
    config: copyTradeConfig({ min_trade_amount: '3' }),
  });

  test('is free after the deletion', () => {
    const plan = planOf('delete', [gone], { tasks: [next] });
    expect(operationsOf(plan, 'copy-trade/next')[0]?.needs).toEqual(['copy-trade/gone#2']);
  });

  test.each(['pause', 'never'] as const)('stays held where prune is %s', (prune) => {
    const plan = planOf(prune, [gone], { tasks: [next] });
    expect(steps(plan, 'copy-trade/next')).toEqual([]);
    expect(changeOf(plan, 'copy-trade/next')).toMatchObject({
      reason: 'target-held',
      blocked: { ids: [uuid(1)] },
    });
  });
});
