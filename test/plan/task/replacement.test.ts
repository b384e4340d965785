import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import { replacesTag } from '../../../src/core/model/marker.ts';
import type { LiveState, LiveTask } from '../../../src/core/model/resource.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
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

function planOf(desired: readonly DesiredTask[], live: readonly LiveTask[], remaining = 10): Plan {
  const account = {
    ...liveState([]).account,
    quota: { max: live.length + remaining, used: live.length, remaining },
  };
  const state: Partial<LiveState> = { account };
  return makePlan(planInput(desiredState(desired), liveState(live, [], state)));
}

const MOVED = desiredTask('a', { target_wallet: wallet(1) });
const PRESENT = liveTask(1, { remark: 'Note [git:core/a@1]' });

describe('a changed target wallet', () => {
  test('creates first, retires the present task, then resumes', () => {
    const made = planOf([MOVED], [PRESENT]);
    expect(steps(made, 'sniper/a')).toEqual([
      'create(pending ~)',
      'mark(pending)',
      'pause',
      'delete',
      'resume',
    ]);
    expect(operationsOf(made, 'sniper/a')[2]).toMatchObject({ settle_ms: 60_000 });
    expect(operationsOf(made, 'sniper/a')[4]?.subject).toBe('{sniper/a}');
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      action: 'replace',
      id: null,
      replaces_id: uuid(1),
      starts_trading: false,
      stops_trading: false,
    });
  });

  test('a held task is replaced by a held one, a paused one by a paused one, a buy_once without a mark', () => {
    const held = planOf([MOVED], [{ ...PRESENT, is_active: false }]);
    expect(steps(held, 'sniper/a')).toEqual(['create(settled ~)', 'delete']);
    expect(changeOf(held, 'sniper/a').held).toBe(true);
    const paused = planOf([{ ...MOVED, state: 'paused' }], [PRESENT]);
    expect(steps(paused, 'sniper/a')).toEqual(['create(none ~)', 'mark(pending)', 'pause', 'delete']);
    const once = planOf([MOVED], [{ ...PRESENT, config: sniperConfig({ buy_once: true }) }]);
    expect(steps(once, 'sniper/a')).toEqual(['create(pending ~)', 'read+pause', 'delete', 'resume']);
  });

  test('also settles if the present task was paused a moment ago and the new one starts', () => {
    const paused = { ...PRESENT, is_active: false };
    const waits = (made: Plan) =>
      operationsOf(made, 'sniper/a').map(({ verb, settle_ms }) => [verb, settle_ms]);
    const create = ['create', undefined];
    const resume = ['resume', undefined];
    // An apply died in the middle of a config change, and the target was changed since.
    const ours = { ...paused, remark: `Note [git:core/a@${PRESENT.version}]` };
    expect(waits(planOf([MOVED], [ours]))).toEqual([create, ['delete', 60_000], resume]);
    expect(waits(planOf([MOVED], [ours], 0))).toEqual([['delete', 60_000], create, resume]);
    // Somebody stopped it, and asks for a start together with the new target.
    const rearmed = { ...MOVED, rearm: 'r2' };
    expect(waits(planOf([rearmed], [paused]))).toEqual([create, ['delete', 60_000], resume]);
    // Nothing starts.
    for (const desired of [MOVED, { ...MOVED, state: 'paused' } as const])
      expect(waits(planOf([desired], [paused]))).toEqual([create, ['delete', undefined]]);
  });

  test('without room the present task is deleted first, and a held one is blocked', () => {
    const made = planOf([MOVED], [PRESENT], 0);
    expect(steps(made, 'sniper/a')).toEqual([
      'mark(pending)',
      'pause',
      'delete',
      'create(pending)',
      'resume',
    ]);
    expect(made.diagnostics.map(({ code }) => code)).toContain('replacement-gap');
    const held = planOf([MOVED], [{ ...PRESENT, is_active: false }], 0);
    expect(changeOf(held, 'sniper/a')).toMatchObject({ reason: 'no-room', action: 'none' });
    expect(held.operations).toEqual([]);
  });
});

describe('a replacement in progress', () => {
  const successor = (over: Partial<LiveTask> = {}): LiveTask =>
    liveTask(2, {
      remark: `Note [git:core/a@1~${replacesTag(uuid(1))}]`,
      version: 1,
      is_active: false,
      target_wallet: wallet(1),
      ...over,
    });

  test('is completed: the present task still runs', () => {
    const made = planOf([MOVED], [PRESENT, successor()]);
    expect(steps(made, 'sniper/a')).toEqual(['mark(pending)', 'pause', 'delete', 'resume']);
    expect(operationsOf(made, 'sniper/a').at(-1)?.subject).toBe(uuid(2));
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      id: uuid(2),
      replaces_id: uuid(1),
      reason: 'replacement-in-progress',
    });
  });

  test('is completed: our pause of the present task is recognised by its mark, and the deletion waits until it is settled', () => {
    const ours = { ...PRESENT, is_active: false, remark: 'Note [git:core/a@5]' };
    const made = planOf([MOVED], [ours, successor()]);
    expect(steps(made, 'sniper/a')).toEqual(['delete', 'resume']);
    expect(operationsOf(made, 'sniper/a')[0]).toMatchObject({ settle_ms: 60_000 });
  });

  test('somebody stopped the present task: the stop is first recorded on the new one', () => {
    const made = planOf([MOVED], [{ ...PRESENT, is_active: false }, successor()]);
    expect(steps(made, 'sniper/a')).toEqual(['patch(settled ~)', 'delete']);
    expect(changeOf(made, 'sniper/a').held).toBe(true);
  });

  test('is undone if its target is no longer wanted', () => {
    const back = planOf([desiredTask('a')], [PRESENT, successor()]);
    expect(operationsOf(back, 'sniper/a').map(({ verb, subject }) => [verb, subject])).toEqual([
      ['delete', uuid(2)],
    ]);
    const third = planOf([desiredTask('a', { target_wallet: wallet(2) })], [PRESENT, successor()]);
    expect(steps(third, 'sniper/a')).toEqual([
      'delete',
      'create(pending ~)',
      'mark(pending)',
      'pause',
      'delete',
      'resume',
    ]);
  });

  test('the tag is ignored when the replaced task is deleted', () => {
    expect(steps(planOf([MOVED], [successor()]), 'sniper/a')).toEqual(['resume']);
    const running = successor({ is_active: true, version: 2 });
    expect(planOf([MOVED], [running]).operations).toEqual([]);
  });

  test('two that name each other, or three of one name, are a conflict', () => {
    const mutual = [
      liveTask(1, { remark: `Note [git:core/a@1~${replacesTag(uuid(2))}]` }),
      liveTask(2, { remark: `Note [git:core/a@1~${replacesTag(uuid(1))}]` }),
    ];
    expect(changeOf(planOf([desiredTask('a')], mutual), 'sniper/a').reason).toBe('conflict');
    const three = [PRESENT, successor(), liveTask(3, { remark: 'Note [git:core/a@1]' })];
    expect(changeOf(planOf([MOVED], three), 'sniper/a').reason).toBe('conflict');
  });
});

describe('room', () => {
  test('creates wait for deletes that free their place, and the rest is blocked', () => {
    const desired = ['x', 'y', 'z'].map((name, i) =>
      desiredTask(name, { target_wallet: wallet(i + 1), note: name }),
    );
    const made = planOf(desired, [PRESENT], 1);
    const creates = made.operations.filter(({ verb }) => verb === 'create');
    expect(creates.map(({ address, needs }) => [address, needs])).toEqual([
      ['sniper/x', []],
      ['sniper/y', ['sniper/a#2']],
    ]);
    expect(changeOf(made, 'sniper/z')).toMatchObject({ reason: 'no-room', action: 'none' });
  });

  const copy = (name: string, target: number, over: Partial<DesiredTask> = {}) =>
    desiredTask(name, { collection: 'copy-trade', target_wallet: wallet(target), ...over });
  const copyLive = (index: number, name: string, target: number) =>
    liveTask(index, {
      collection: 'copy-trade',
      remark: `Note [git:core/${name}@1]`,
      target_wallet: wallet(target),
    });

  test('a copy-trade target is taken only after its holder is gone', () => {
    const made = planOf([copy('new', 1)], [copyLive(1, 'gone', 1)]);
    expect(operationsOf(made, 'copy-trade/new')[0]).toMatchObject({
      verb: 'create',
      needs: ['copy-trade/gone#2'],
    });
  });

  test('of two that swap, one that the switch keeps off cannot delete first: the other does', () => {
    const off = liveTask(1, {
      ...copyLive(1, 'a', 2),
      remark: 'Note [git:core/a@!]',
      is_active: false,
    });
    const desired: DesiredTask = { ...copy('a', 1), state: 'manual' };
    const made = planOf([desired, copy('b', 2)], [off, copyLive(2, 'b', 1)]);
    expect(steps(made, 'copy-trade/b')[0]).toBe('mark(pending)');
    expect(steps(made, 'copy-trade/a')[0]).toMatch(/^create/);
    expect(made.changes.map(({ blocked }) => blocked)).toEqual([null, null]);
  });
});

describe('the document', () => {
  test('equal input in any order gives equal bytes', () => {
    const desired = ['x', 'y', 'z'].map((name, i) =>
      desiredTask(name, { target_wallet: wallet(i + 1), note: name }),
    );
    const live = [PRESENT, liveTask(2, { remark: 'hand' }), liveTask(3, { remark: '[git:other/q@1]' })];
    const forward = JSON.stringify(planOf(desired, live));
    expect(JSON.stringify(planOf([...desired].reverse(), [...live].reverse()))).toBe(forward);
  });
});
