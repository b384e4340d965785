import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import { replacesTag } from '../../../src/core/model/marker.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  removal,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { changeOf, operationsOf, planWithRoom, steps } from '../../support/plans.ts';

function planOf(desired: readonly DesiredTask[], live: readonly LiveTask[], remaining: number): Plan {
  return planWithRoom(desiredState(desired), live, remaining);
}

/** A sniper that git wants at another target than it has. */
const moved = (name: string) => desiredTask(name, { target_wallet: wallet(1), note: name });
const present = (index: number, name: string, over: Partial<LiveTask> = {}) =>
  liveTask(index, { remark: `${name} [git:core/${name}@1]`, ...over });
const wanted = (name: string) => desiredTask(name, { target_wallet: wallet(3), note: name });

/** What the creation of an address waits for. */
function waits(plan: Plan, address: string): readonly string[] | undefined {
  return operationsOf(plan, address).find(({ verb }) => verb === 'create')?.needs;
}

const FIRST_CREATE = ['create(pending ~)', 'mark(pending)', 'pause', 'delete', 'resume'];
const FIRST_DELETE = ['mark(pending)', 'pause', 'delete', 'create(pending)', 'resume'];
const HELD = ['create(settled ~)', 'delete'];

describe('places of the quota', () => {
  test('a deletion elsewhere is room enough for a replacement to create first', () => {
    const made = planOf([moved('a')], [present(1, 'a'), present(2, 'gone')], 0);
    expect(steps(made, 'sniper/a')).toEqual(FIRST_CREATE);
    expect(waits(made, 'sniper/a')).toEqual(['sniper/gone#2']);
  });

  test.each([
    ['held', moved('b'), '@1', HELD],
    [
      'switched off',
      { ...moved('b'), state: 'manual' } as const,
      '@!',
      [HELD[0]?.replace('settled', 'off'), 'delete'],
    ],
  ])('the one free place goes to the %s task, which needs it; the other deletes first', (_, b, mark, how) => {
    const held = present(2, 'b', { is_active: false, remark: `b [git:core/b${mark}]` });
    for (const desired of [
      [moved('a'), b],
      [b, moved('a')],
    ]) {
      const made = planOf(desired, [present(1, 'a'), held], 1);
      expect(steps(made, 'sniper/b')).toEqual(how);
      expect(waits(made, 'sniper/b')).toEqual([]);
      expect(steps(made, 'sniper/a')).toEqual(FIRST_DELETE);
    }
  });

  test('two held tasks take turns in one place', () => {
    const stopped = { is_active: false };
    const made = planOf([moved('a'), moved('b')], [present(1, 'a', stopped), present(2, 'b', stopped)], 1);
    expect([steps(made, 'sniper/a'), steps(made, 'sniper/b')]).toEqual([HELD, HELD]);
    expect([waits(made, 'sniper/a'), waits(made, 'sniper/b')]).toEqual([[], ['sniper/a#2']]);
  });

  test('a new task waits for the place that a replacement frees', () => {
    const made = planOf([moved('a'), wanted('x')], [present(1, 'a')], 1);
    expect(steps(made, 'sniper/a')).toEqual(FIRST_CREATE);
    expect(waits(made, 'sniper/x')).toEqual(['sniper/a#4']);
    const none = planOf([moved('a'), wanted('x'), wanted('y')], [present(1, 'a')], 1);
    expect(changeOf(none, 'sniper/y').reason).toBe('no-room');
  });

  test('a replacement that deletes first leaves no place for others', () => {
    const made = planOf([moved('a'), wanted('x')], [present(1, 'a')], 0);
    expect(steps(made, 'sniper/a')).toEqual(FIRST_DELETE);
    expect(changeOf(made, 'sniper/x')).toMatchObject({
      reason: 'no-room',
      action: 'none',
      actions: ['none'],
      starts_trading: false,
      stops_trading: false,
      blocked: { ids: [] },
      exposure: { before: '0', after: '0' },
      operations: [],
    });
  });

  test('of two deletions in one chain, the first is for its own create, the second for others', () => {
    const successor = present(2, 'a', {
      remark: `a [git:core/a@1~${replacesTag(uuid(1))}]`,
      version: 1,
      is_active: false,
      target_wallet: wallet(2),
    });
    const made = planOf([moved('a'), wanted('x')], [present(1, 'a'), successor], 0);
    expect(steps(made, 'sniper/a')).toEqual(['delete', ...FIRST_CREATE]);
    expect(waits(made, 'sniper/a')).toEqual([]);
    expect(waits(made, 'sniper/x')).toEqual(['sniper/a#5']);
  });

  test('a chain that begins by pausing a task that it deletes needs no other place', () => {
    const successor = present(2, 'a', {
      remark: `a [git:core/a@1~${replacesTag(uuid(1))}]`,
      version: 2,
      target_wallet: wallet(2),
    });
    const made = planOf([moved('a'), wanted('x')], [present(1, 'a'), successor], 1);
    expect(steps(made, 'sniper/a').slice(0, 3)).toEqual(['pause', 'delete', 'create(pending ~)']);
    expect(waits(made, 'sniper/a')).toEqual([]);
    expect(waits(made, 'sniper/x')).toEqual([]);
  });

  test('a task that is only stopped, or released, frees no place, and a Removal of a label neither', () => {
    const tasks = [present(1, 'off'), present(2, 'free')];
    const label = { collection: 'label', id: uuid(70), name: 'Old', sort_order: 0 } as const;
    const desired = desiredState([wanted('x')], [], {
      pruneTasks: 'pause',
      removals: [removal('label/Old'), removal('sniper/free')],
    });
    const account = { ...liveState([]).account, quota: { max: 2, used: 2, remaining: 0 } };
    const plan = makePlan(planInput(desired, liveState(tasks, [label], { account })));
    expect(steps(plan, 'label/Old')).toEqual(['delete']);
    expect(steps(plan, 'sniper/off')).toEqual(['pause', 'patch(none)']);
    expect(steps(plan, 'sniper/free')).toEqual(['patch']);
    expect(changeOf(plan, 'sniper/x').reason).toBe('no-room');
  });

  test('an account above its quota has no place, and reports none', () => {
    const made = planOf([wanted('x')], [present(1, 'gone'), present(2, 'more')], -1);
    expect(waits(made, 'sniper/x')).toEqual(['sniper/gone#2']);
    const blocked = planOf([wanted('x')], [liveTask(1, { remark: 'by hand' })], -1);
    expect(changeOf(blocked, 'sniper/x').blocked?.text).toContain('(0 remaining)');
  });

  test('a deleted or created label neither frees nor takes a place', () => {
    const label = desiredLabel('high', { shownName: 'High' });
    const plan = planWithRoom(desiredState([wanted('x')], [label]), [], 1);
    expect(steps(plan, 'sniper/x')).toEqual(['create(pending)', 'resume']);
    expect(steps(plan, 'label/high')).toEqual(['create']);
  });
});

test.each([1, 2, 9])(
  'two held snipers swap targets with %i free places: one create is tried beside the other task, and nothing is blocked',
  (places) => {
    const stopped = { is_active: false };
    const [a, b] = [
      present(1, 'a', { ...stopped, target_wallet: wallet(1) }),
      present(2, 'b', { ...stopped, target_wallet: wallet(2) }),
    ];
    const swapped = [
      { ...moved('a'), target_wallet: wallet(2) },
      { ...moved('b'), target_wallet: wallet(1) },
    ];
    const made = planOf(swapped, [a, b], places);
    expect(made.changes.map(({ blocked }) => blocked)).toEqual([null, null]);
    expect([steps(made, 'sniper/a'), steps(made, 'sniper/b')]).toEqual([HELD, HELD]);
  },
);

describe('unique targets', () => {
  const copy = (name: string, target: number) =>
    desiredTask(name, { collection: 'copy-trade', target_wallet: wallet(target), note: name });
  const live = (index: number, name: string, target: number, over: Partial<LiveTask> = {}) =>
    present(index, name, { collection: 'copy-trade', target_wallet: wallet(target), ...over });
  const byHand = (index: number, target: number) =>
    liveTask(index, { collection: 'copy-trade', remark: 'hand', target_wallet: wallet(target) });

  test('the place of a blocked task goes to the next one', () => {
    const made = planOf([copy('a', 1), wanted('x')], [live(1, 'a', 2), byHand(2, 1)], 1);
    expect(changeOf(made, 'copy-trade/a').reason).toBe('target-held');
    expect(waits(made, 'sniper/x')).toEqual([]);
  });

  test('changes that waited for the target of a blocked task are blocked, too', () => {
    const made = planOf([copy('a', 1), copy('b', 2)], [live(1, 'a', 2), byHand(2, 1)], 10);
    expect(changeOf(made, 'copy-trade/a').reason).toBe('target-held');
    expect(changeOf(made, 'copy-trade/b')).toMatchObject({ reason: 'target-held', action: 'none' });
    expect(changeOf(made, 'copy-trade/b').blocked?.ids).toEqual([uuid(1)]);
  });

  test('three in a cycle: one deletes first, the others create as soon as their target is free', () => {
    const ring = [live(1, 'a', 1), live(2, 'b', 2), live(3, 'c', 0)];
    const made = planOf([copy('a', 2), copy('b', 0), copy('c', 1)], ring, 10);
    const first = ['copy-trade/a', 'copy-trade/b', 'copy-trade/c'].filter((address) =>
      steps(made, address)[0]?.startsWith('mark'),
    );
    expect(first).toEqual(['copy-trade/a']);
    expect(waits(made, 'copy-trade/a')).toEqual(['copy-trade/b#4']);
    expect(waits(made, 'copy-trade/b')).toEqual(['copy-trade/c#4']);
    expect(waits(made, 'copy-trade/c')).toEqual(['copy-trade/a#3']);
  });

  test('without a cycle, all of them create first', () => {
    const made = planOf([copy('a', 2), copy('b', 3)], [live(1, 'a', 1), live(2, 'b', 2)], 10);
    expect(steps(made, 'copy-trade/a')).toEqual(FIRST_CREATE);
    expect(steps(made, 'copy-trade/b')).toEqual(FIRST_CREATE);
    expect(waits(made, 'copy-trade/a')).toEqual(['copy-trade/b#4']);
    expect(waits(made, 'copy-trade/b')).toEqual([]);
  });

  test('a create may wait for a place and for a target', () => {
    const made = planOf([copy('a', 1), wanted('x')], [live(1, 'gone', 1), present(2, 'also')], 0);
    expect(waits(made, 'copy-trade/a')).toEqual(['copy-trade/gone#2']);
    expect(waits(made, 'sniper/x')).toEqual(['sniper/also#2']);
    const crossed = planOf([copy('b', 1)], [live(1, 'gone', 1), present(2, 'also')], 0);
    expect(waits(crossed, 'copy-trade/b')).toEqual(['copy-trade/gone#2', 'sniper/also#2']);
  });
});
