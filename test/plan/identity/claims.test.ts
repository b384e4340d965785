import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import { replacesTag } from '../../../src/core/model/marker.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { desiredState, desiredTask, liveTask, uuid, wallet } from '../../support/builders.ts';
import { changeOf, planWithRoom, steps } from '../../support/plans.ts';

/** Which live task a manifest means, where several answers are thinkable. */

function planOf(desired: readonly DesiredTask[], live: readonly LiveTask[]): Plan {
  return planWithRoom(desiredState(desired), live);
}

const marked = (index: number, name: string, over: Partial<LiveTask> = {}) =>
  liveTask(index, { remark: `Note [git:core/${name}@1]`, ...over });

const observed = (plan: Plan) => plan.observations.map((item) => [item.class, item.id]);

describe('metadata.id of an owned task', () => {
  test('under a name that git does not have: it is renamed, not created', () => {
    const made = planOf([desiredTask('a', { id: uuid(1) })], [marked(1, 'former')]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({ id: uuid(1), previous_address: 'sniper/former' });
    expect(steps(made, 'sniper/a')).toEqual(['patch(settled)']);
    expect(made.changes).toHaveLength(1);
  });

  test('under the name of another manifest: blocked, and that one keeps it', () => {
    const made = planOf([desiredTask('a', { id: uuid(1) }), desiredTask('b')], [marked(1, 'b')]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      reason: 'conflict',
      blocked: { text: expect.stringContaining('carries the marker of b'), ids: [uuid(1)] },
    });
    expect(made.operations).toEqual([]);
  });

  test('under another name, while the name has an owner: blocked', () => {
    const made = planOf([desiredTask('a', { id: uuid(1) })], [marked(1, 'former'), marked(2, 'a')]);
    expect(changeOf(made, 'sniper/a').blocked?.text).toContain('carries the marker of former');
  });

  test('of either half of a replacement in progress: it is completed anyway', () => {
    const successor = liveTask(2, {
      remark: `Note [git:core/a@1~${replacesTag(uuid(1))}]`,
      target_wallet: wallet(1),
      is_active: false,
      version: 1,
    });
    for (const id of [uuid(1), uuid(2)]) {
      const made = planOf([desiredTask('a', { id, target_wallet: wallet(1) })], [marked(1, 'a'), successor]);
      expect(changeOf(made, 'sniper/a').reason).toBe('replacement-in-progress');
    }
  });

  test('that a second manifest names as well: both are blocked, and nothing is done', () => {
    const both = [desiredTask('a', { id: uuid(1) }), desiredTask('b', { id: uuid(1) })];
    const made = planOf(both, [liveTask(1, { remark: 'by hand' })]);
    expect(changeOf(made, 'sniper/a').blocked?.text).toBe(
      `sniper/b claims the task ${uuid(1)} as well. Remove metadata.id or previous_name from one of the two.`,
    );
    expect(changeOf(made, 'sniper/b').blocked?.text).toContain('sniper/a claims the task');
    expect(made.operations).toEqual([]);
  });
});

describe('previous_name', () => {
  const renamed = desiredTask('b', { previousName: 'a' });

  test('counts only if no manifest has that name', () => {
    const made = planOf([desiredTask('a'), { ...renamed, adopt: 'never' }], [marked(1, 'a')]);
    expect(changeOf(made, 'sniper/b').action).toBe('create');
    expect(made.changes.map(({ address }) => address)).toEqual(['sniper/b']);
  });

  test('of a name that two tasks carry is a conflict', () => {
    const made = planOf([renamed], [marked(1, 'a'), marked(2, 'a')]);
    expect(changeOf(made, 'sniper/b')).toMatchObject({
      reason: 'conflict',
      blocked: { ids: [uuid(1), uuid(2)] },
    });
    expect(made.operations).toEqual([]);
  });

  test('with a new target: the replacement of the former one is completed under the new name', () => {
    const next = liveTask(2, {
      remark: `Note [git:core/b@1~${replacesTag(uuid(1))}]`,
      is_active: false,
      version: 1,
      target_wallet: wallet(1),
    });
    const made = planOf([{ ...renamed, target_wallet: wallet(1) }], [marked(1, 'a'), next]);
    expect(changeOf(made, 'sniper/b')).toMatchObject({ id: uuid(2), replaces_id: uuid(1) });
    expect(steps(made, 'sniper/b')).toEqual(['mark(pending)', 'pause', 'delete', 'resume']);
    expect(made.changes).toHaveLength(1);
  });

  test('with an owner of the new name that replaces nothing: the former one is deleted', () => {
    const made = planOf(
      [renamed],
      [marked(1, 'a', { is_active: false }), marked(2, 'b', { target_wallet: wallet(0) })],
    );
    expect(made.changes.map(({ address, action }) => [address, action])).toEqual([['sniper/a', 'delete']]);
  });
});

describe('what no manifest names', () => {
  test('a clone of a task that metadata.id moved to another name is reported, and not deleted', () => {
    const made = planOf([desiredTask('b', { id: uuid(1) })], [marked(1, 'a'), marked(2, 'a')]);
    expect(changeOf(made, 'sniper/b').id).toBe(uuid(1));
    expect(made.changes.map(({ address }) => address)).toEqual(['sniper/b']);
    expect(observed(made)).toEqual([['conflict', uuid(2)]]);
  });

  test('an orphan that is deleted, and a task that is matched, are not observed as well', () => {
    const made = planOf(
      [desiredTask('a')],
      [
        marked(1, 'a'),
        marked(2, 'gone'),
        liveTask(4, { remark: 'x' }),
        liveTask(3, { remark: 'y [git:other/a@1]' }),
      ],
    );
    expect(changeOf(made, 'sniper/gone').action).toBe('delete');
    expect(observed(made)).toEqual([
      ['unmanaged', uuid(4)],
      ['foreign', uuid(3)],
    ]);
  });

  test('a task that blocks a manifest is observed', () => {
    const made = planOf([desiredTask('a', { id: uuid(1) })], [liveTask(1, { remark: '[git:other/a@1]' })]);
    expect(changeOf(made, 'sniper/a').reason).toBe('foreign');
    expect(observed(made)).toEqual([['foreign', uuid(1)]]);
  });
});

test('a pair created in the same second is a pair', () => {
  const created_at = '2026-01-01T00:00:00Z';
  const next = liveTask(2, {
    remark: `Note [git:core/a@1~${replacesTag(uuid(1))}]`,
    is_active: false,
    version: 1,
    target_wallet: wallet(1),
    created_at,
  });
  const made = planOf(
    [desiredTask('a', { target_wallet: wallet(1) })],
    [marked(1, 'a', { created_at }), next],
  );
  expect(changeOf(made, 'sniper/a').reason).toBe('replacement-in-progress');
});
