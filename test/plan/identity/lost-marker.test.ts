import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { configFor, desiredState, desiredTask, liveTask, uuid, wallet } from '../../support/builders.ts';
import { changeOf, planWithRoom, steps } from '../../support/plans.ts';

/** A desired task without an owner: what makes its creation a doubt, and what does not. */
function planOf(desired: DesiredTask, live: readonly LiveTask[]): Plan {
  return planWithRoom(desiredState([desired]), live);
}

/** Nothing of it is like the manifest but its target. */
const other = (index: number, remark: string, over: Partial<LiveTask> = {}) =>
  liveTask(index, { remark, config: { ...configFor('sniper'), buy_amount: '3' }, ...over });

const CREATES = ['create(pending)', 'resume'];

describe('a sniper whose target other tasks have', () => {
  test.each<[string, LiveTask, string | undefined]>([
    ['an unmanaged one that is otherwise different', other(1, 'Hand'), undefined],
    ['an unmanaged one with its note', other(1, 'Note'), 'uncertain'],
    ['an unmanaged one with its config', liveTask(1, { remark: 'Hand' }), 'uncertain'],
    ['one of a project that is otherwise different', other(1, 'Hand [git:desk/x@0]'), undefined],
    ['one of a project with its note', other(1, 'Note [git:desk/x@0]'), 'uncertain'],
    ['one of a project with its name', other(1, 'Hand [git:desk/a@0]'), 'uncertain'],
    ['one of a project with its config', liveTask(1, { remark: 'Hand [git:desk/x@0]' }), 'uncertain'],
    ['a damaged one, however different', other(1, 'Hand [git:desk/x@0'), 'damaged'],
    ['a damaged one of another target', other(1, 'x [git:', { target_wallet: wallet(1) }), undefined],
  ])('%s', (_which, live, reason) => {
    const plan = planOf(desiredTask('a'), [live]);
    if (reason === undefined) {
      expect(steps(plan, 'sniper/a')).toEqual(CREATES);
      return;
    }
    expect(plan.operations).toEqual([]);
    expect(changeOf(plan, 'sniper/a')).toMatchObject({ reason, action: 'none', blocked: { ids: [uuid(1)] } });
  });

  test('two empty notes do not count as alike', () => {
    expect(steps(planOf(desiredTask('a', { note: '' }), [other(1, '')]), 'sniper/a')).toEqual(CREATES);
    const theirs = other(1, '[git:desk/x@0]');
    expect(steps(planOf(desiredTask('a', { note: '' }), [theirs]), 'sniper/a')).toEqual(CREATES);
  });

  test('tasks that look alike are counted, and named in order', () => {
    const text = (...live: readonly LiveTask[]) =>
      changeOf(planOf(desiredTask('a'), live), 'sniper/a').blocked;
    expect(text(other(1, 'Note'))?.text).toMatch(
      /^An unmanaged task with the same target looks like this one/,
    );
    const two = text(other(2, 'Note'), other(1, 'Note'), other(3, 'Hand'));
    expect(two?.text).toMatch(/^2 unmanaged tasks with/);
    expect(two?.ids).toEqual([uuid(1), uuid(2)]);
  });
});

describe('lifecycle.adopt: never', () => {
  const copy = (index: number, remark: string, target = 0) =>
    liveTask(index, { collection: 'copy-trade', remark, target_wallet: wallet(target) });
  const wanted = desiredTask('a', { collection: 'copy-trade', adopt: 'never' });

  test('creates if the copy-trade target is free', () => {
    expect(steps(planOf(wanted, []), 'copy-trade/a')).toEqual(CREATES);
    expect(steps(planOf(wanted, [copy(1, 'Hand', 1)]), 'copy-trade/a')).toEqual(CREATES);
  });

  test.each(['Hand', 'Note', 'x [git:desk/a@0]', 'x [git:'])('is blocked by who holds it: %s', (remark) => {
    const plan = planOf(wanted, [copy(1, remark)]);
    expect(plan.operations).toEqual([]);
    expect(changeOf(plan, 'copy-trade/a')).toMatchObject({
      reason: 'target-held',
      blocked: { text: expect.stringContaining('metadata.id to adopt that task'), ids: [uuid(1)] },
    });
  });

  test('creates a sniper beside any task with its target', () => {
    const live = [liveTask(1), liveTask(2, { remark: 'x [git:' }), liveTask(3, { remark: 'x [git:desk/a]' })];
    expect(steps(planOf(desiredTask('a', { adopt: 'never' }), live), 'sniper/a')).toEqual(CREATES);
  });
});

describe('ids that a block names are in order', () => {
  test.each<[string, Partial<DesiredTask>, readonly LiveTask[], readonly string[]]>([
    [
      'two with the marker',
      {},
      [liveTask(2, { remark: 'x [git:core/a@0]' }), liveTask(1, { remark: 'y [git:core/a@0]' })],
      [uuid(1), uuid(2)],
    ],
    ['an id that is nowhere', { id: uuid(9) }, [], [uuid(9)]],
  ])('%s', (_what, over, live, ids) => {
    expect(changeOf(planOf(desiredTask('a', over), live), 'sniper/a').blocked?.ids).toEqual(ids);
  });
});
