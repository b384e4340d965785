import { describe, expect, test } from 'vitest';
import type { DesiredState, DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import { replacesTag } from '../../../src/core/model/marker.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
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
import { changeOf, planWithRoom, steps } from '../../support/plans.ts';

/** The project was called `was` before: `Project.metadata.previous_name`. */

const RENAMED: Partial<DesiredState> = { previousProject: 'was' };

function planOf(
  desired: readonly DesiredTask[],
  live: readonly LiveTask[],
  over: Partial<DesiredState> = {},
): Plan {
  return planWithRoom(desiredState(desired, [], { ...RENAMED, ...over }), live);
}

const earlier = (index: number, mark: string, over: Partial<LiveTask> = {}) =>
  liveTask(index, { remark: `Note [git:was/${mark}]`, ...over });
const now = (index: number, mark: string, over: Partial<LiveTask> = {}) =>
  liveTask(index, { remark: `Note [git:core/${mark}]`, ...over });

const codes = (plan: Plan) => plan.diagnostics.map(({ code }) => code);
const seen = (plan: Plan) => plan.observations.map((item) => [item.class, item.id]);

describe('a task with the former name of the project', () => {
  test('runs: one patch of the remark, nothing is paused', () => {
    const made = planOf([desiredTask('a')], [earlier(1, 'a@1')]);
    expect(steps(made, 'sniper/a')).toEqual(['patch(settled)']);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      action: 'rename',
      actions: ['rename'],
      reason: 'project-renamed',
      previous_address: null,
      id: uuid(1),
      starts_trading: false,
      stops_trading: false,
      fields: [{ path: 'project', before: 'was', after: 'core' }],
    });
    expect(made).toMatchObject({ previous_project: 'was', summary: { rename: 1, update: 0 } });
    expect(made.observations).toEqual([]);
    expect(codes(made)).not.toContain('first-apply');
  });

  const row = (state: DesiredTask['state'], mark: string, over: Partial<LiveTask> = {}) =>
    steps(planOf([desiredTask('a', { state, rearm: 'b' })], [earlier(1, mark, over)]), 'sniper/a');
  const paused = { is_active: false };

  test('every row of the switch table, with the marker rewritten on the way', () => {
    expect(row('active', 'a@5#b')).toEqual(['patch(settled)']);
    expect(row('active', 'a', paused)).toEqual(['patch(pending)', 'resume']);
    expect(row('active', 'a@0#c', paused)).toEqual(['patch(pending)', 'resume']);
    expect(row('active', 'a@5#b', paused)).toEqual(['patch(pending)', 'resume']);
    expect(row('active', 'a@0#b', paused)).toEqual(['patch(settled)']);
    expect(row('active', 'a@!#b', paused)).toEqual(['patch(off)']);
    expect(row('paused', 'a@0#b')).toEqual(['pause', 'patch(none)']);
    expect(row('paused', 'a', paused)).toEqual(['patch(none)']);
    expect(row('manual', 'a#b')).toEqual(['patch(none)']);
    expect(row('manual', 'a@5#b', paused)).toEqual(['patch(pending)', 'resume', 'patch(none)']);
  });

  test('a pending start is finished, a held one stays held', () => {
    const finished = planOf([desiredTask('a')], [earlier(1, 'a@5', paused)]);
    expect(changeOf(finished, 'sniper/a')).toMatchObject({ actions: ['rename', 'finish'], held: false });
    const held = planOf([desiredTask('a')], [earlier(1, 'a@1', paused)]);
    expect(changeOf(held, 'sniper/a')).toMatchObject({ action: 'rename', held: true, starts_trading: false });
  });

  test('with another config: mark, pause, patch, resume as usual; buy_once without the mark', () => {
    const config = sniperConfig({ buy_amount: '2' });
    const made = planOf([desiredTask('a', { config })], [earlier(1, 'a@1')]);
    expect(steps(made, 'sniper/a')).toEqual(['mark(pending)', 'pause', 'patch(pending)', 'resume']);
    expect(changeOf(made, 'sniper/a').fields.map(({ path }) => path)).toEqual([
      'project',
      'config.buy_amount',
    ]);
    const once = sniperConfig({ buy_once: true, buy_amount: '2' });
    const live = earlier(1, 'a@1', { config: sniperConfig({ buy_once: true }) });
    expect(steps(planOf([desiredTask('a', { config: once })], [live]), 'sniper/a')).toEqual([
      'read+pause',
      'patch(pending)',
      'resume',
    ]);
  });

  test('on a legacy config: only the remark; if that is refused and the task is paused, the whole config', () => {
    const config = { ...sniperConfig(), since_dropped: '1' };
    const patches = (over: Partial<LiveTask>) =>
      planOf([desiredTask('a')], [earlier(1, 'a@0', { config, ...over })]).operations.map(
        ({ body, body_if_refused: other }) => [Object.keys(body ?? {}), Object.keys(other ?? {})],
      );
    expect(patches({})).toEqual([[['remark'], []]]);
    expect(patches({ is_active: false })).toEqual([[['remark'], ['remark', 'config']]]);
  });

  test('by metadata.id, and by previous_name of the task: both names are shown', () => {
    for (const over of [{ id: uuid(1) }, { previousName: 'a' }]) {
      const made = planOf([desiredTask('b', over)], [earlier(1, 'a@1')]);
      expect(changeOf(made, 'sniper/b')).toMatchObject({
        action: 'rename',
        reason: 'renamed',
        previous_address: 'sniper/a',
        fields: [
          { path: 'project', before: 'was', after: 'core' },
          { path: 'name', before: 'a', after: 'b' },
        ],
      });
      expect(made.changes).toHaveLength(1);
    }
  });

  test('with another target wallet it is replaced, and the change shows both', () => {
    const made = planOf([desiredTask('a', { target_wallet: wallet(2) })], [earlier(1, 'a@1')]);
    expect(steps(made, 'sniper/a')).toEqual([
      'create(pending ~)',
      'mark(pending)',
      'pause',
      'delete',
      'resume',
    ]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({ actions: ['replace', 'rename'] });
    expect(changeOf(made, 'sniper/a').fields.map(({ path }) => path)).toEqual(['target_wallet', 'project']);
  });

  test('the digest covers the former name', () => {
    const digest = (remark: string, previousProject: string) =>
      planOf([desiredTask('a')], [liveTask(1, { remark })], { previousProject }).digest;
    expect(digest('Note [git:was/a@1]', 'was')).not.toBe(digest('Note [git:old/a@1]', 'old'));
    expect(digest('Note [git:was/a@1]', 'was')).toBe(digest('Note [git:was/a@0]', 'was'));
  });
});

describe('what no manifest names', () => {
  test.each(['delete', 'pause', 'never'] as const)('prune %s: neither deleted nor paused', (pruneTasks) => {
    const live = [earlier(1, 'a@1'), earlier(2, 'gone@1'), earlier(3, 'off@0', { is_active: false })];
    const made = planOf([desiredTask('a')], live, { pruneTasks });
    expect(made.changes.map(({ address }) => address)).toEqual(['sniper/a']);
    expect(seen(made)).toEqual([
      ['foreign', uuid(2)],
      ['foreign', uuid(3)],
    ]);
    expect(made.observations[0]?.text).toContain('marker of was, the former name of this project');
    expect(made.diagnostics.find(({ code }) => code === 'project-rename-left')?.message).toContain(
      '2 tasks have the marker of was',
    );
  });

  test('nor if the manifests contain no task at all', () => {
    const made = makePlan(
      planInput(desiredState([], [], RENAMED), liveState([earlier(1, 'a@1')]), { allowEmpty: true }),
    );
    expect(made.operations).toEqual([]);
  });

  test('tasks with the current name are pruned as usual', () => {
    const made = planOf([desiredTask('a')], [earlier(1, 'a@1'), now(2, 'gone@1')]);
    expect(made.changes.map(({ address, action }) => [address, action])).toEqual([
      ['sniper/a', 'rename'],
      ['sniper/gone', 'delete'],
    ]);
  });

  test('one whose name a task with the current project name has, in no manifest either, waits until that is deleted', () => {
    const made = planOf([], [now(1, 'gone@1'), earlier(2, 'gone@1')], { pruneTasks: 'never' });
    expect(seen(made)).toEqual([
      ['foreign', uuid(2)],
      ['kept', uuid(1)],
    ]);
    expect(made.observations[0]?.text).toContain('another task has its name now');
    expect(codes(made)).toEqual([]);
  });

  test('one that looks like a desired task without an owner blocks it: its own rename was not declared', () => {
    const made = planOf([desiredTask('b')], [earlier(1, 'a@1')]);
    expect(changeOf(made, 'sniper/b')).toMatchObject({
      reason: 'uncertain',
      blocked: { text: expect.stringContaining('metadata.previous_name: a'), ids: [uuid(1)] },
    });
    expect(made.operations).toEqual([]);
  });

  test('a copy-trade target that one holds is not free', () => {
    const task = desiredTask('b', { collection: 'copy-trade', note: 'Else' });
    const made = planOf([task], [earlier(1, 'a@1', { collection: 'copy-trade' })]);
    expect(changeOf(made, 'copy-trade/b').blocked?.text).toContain('metadata.previous_name: a');
  });

  test('previous_name can be removed when none is left', () => {
    expect(codes(planOf([desiredTask('a')], [now(1, 'a@1')]))).toEqual(['project-rename-done']);
    expect(codes(planOf([desiredTask('a')], [earlier(1, 'a@1')]))).toEqual([]);
  });
});

describe('a task of each name', () => {
  test('the one with the current name counts, the other is left alone', () => {
    for (const mark of ['a@1', 'a@5']) {
      const made = planOf([desiredTask('a')], [now(1, 'a@1'), earlier(2, mark)]);
      expect(made.operations).toEqual([]);
      expect(seen(made)).toEqual([['foreign', uuid(2)]]);
      expect(made.observations[0]?.text).toContain('another task has its name now');
    }
  });

  test('an interrupted replacement is still recognised', () => {
    const desired = desiredTask('a', { target_wallet: wallet(1) });
    const heir = `a@1~${replacesTag(uuid(1))}`;
    const next = { target_wallet: wallet(1), version: 1, is_active: false };
    for (const [present, successor] of [
      [earlier(1, 'a@1'), now(2, heir, next)],
      [now(1, 'a@7'), earlier(2, heir, next)],
      [earlier(1, 'a@1'), earlier(2, heir, next)],
    ] as const) {
      const made = planOf([desired], [present, successor]);
      expect(changeOf(made, 'sniper/a')).toMatchObject({
        reason: 'replacement-in-progress',
        actions: ['replace', 'rename'],
      });
      expect(changeOf(made, 'sniper/a').fields).toMatchObject([
        { path: 'target_wallet' },
        { path: 'project', before: 'was', after: 'core' },
      ]);
      expect(steps(made, 'sniper/a').slice(0, 3)).toEqual(['mark(pending)', 'pause', 'delete']);
      expect(steps(made, 'sniper/a').at(-1)).toBe('resume');
      expect(made.observations).toEqual([]);
    }
    // With a clone of the present one beside it the halves still find each other.
    const cloned = planOf([desired], [earlier(1, 'a@1'), now(2, heir, next), earlier(3, 'a@1')]);
    expect(changeOf(cloned, 'sniper/a')).toMatchObject({ replaces_id: uuid(1), id: uuid(2) });
    expect(seen(cloned)).toEqual([['foreign', uuid(3)]]);
    // Of two that say so nobody knows which: both are left alone, and the present one is replaced anew.
    const heirs = planOf([desired], [now(1, 'a@7'), earlier(2, heir, next), earlier(3, heir, next)]);
    expect(changeOf(heirs, 'sniper/a')).toMatchObject({ reason: 'target-changed', replaces_id: uuid(1) });
    expect(seen(heirs)).toEqual([
      ['foreign', uuid(2)],
      ['foreign', uuid(3)],
    ]);
  });

  test('two with the former name and none with the current one are a conflict, and nothing is deleted', () => {
    const made = planOf([desiredTask('a')], [earlier(1, 'a@1'), earlier(2, 'a@1')]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({ reason: 'conflict', action: 'none' });
    expect(seen(made)).toEqual([
      ['conflict', uuid(1)],
      ['conflict', uuid(2)],
    ]);
    const settled = planOf([desiredTask('a', { id: uuid(2) })], [earlier(1, 'a@1'), earlier(2, 'a@1')]);
    expect(changeOf(settled, 'sniper/a')).toMatchObject({ id: uuid(2), action: 'rename' });
    expect(seen(settled)).toEqual([['foreign', uuid(1)]]);
  });
});

describe('the new name already belongs to another project', () => {
  test('prune works again when no marker is rewritten', () => {
    const made = planOf([desiredTask('a')], [now(1, 'a@0'), now(2, 'b@0')]);
    expect(codes(made)).not.toContain('project-name-taken');
    expect(changeOf(made, 'sniper/b').action).toBe('delete');
  });
});

describe('a former name that no task has', () => {
  test('is reported, with a suggestion', () => {
    const other = liveTask(1, { remark: 'Note [git:wass/a@0]' });
    expect(planOf([desiredTask('b')], [other]).diagnostics).toContainEqual(
      expect.objectContaining({ code: 'project-rename-nothing', hint: 'did you mean wass?' }),
    );
    expect(codes(planOf([desiredTask('b')], [now(1, 'b@0')]))).not.toContain('project-rename-nothing');
    expect(codes(planOf([desiredTask('b')], []))).not.toContain('project-rename-nothing');
  });
});

describe('half of a replacement, with the former name removed', () => {
  const half = now(2, `a@1~${replacesTag(uuid(1))}`, {
    is_active: false,
    version: 1,
    target_wallet: wallet(2),
  });
  const desired = desiredTask('a', { target_wallet: wallet(2) });
  const without = (live: readonly LiveTask[]) => planWithRoom(desiredState([desired], []), live);

  test('is not started beside the task that it should replace', () => {
    const made = without([earlier(1, 'a@0', { target_wallet: wallet(1) }), half]);
    expect(made.operations).toEqual([]);
    expect(changeOf(made, 'sniper/a').blocked?.text).toContain('metadata.previous_name: was');
  });

  test('is started if that task is deleted, or is something else', () => {
    const starts = (live: readonly LiveTask[]) => changeOf(without(live), 'sniper/a').starts_trading;
    expect(starts([half])).toBe(true);
    expect(starts([earlier(1, 'b@0', { target_wallet: wallet(1) }), half])).toBe(true);
    expect(starts([earlier(3, 'a@0', { target_wallet: wallet(1) }), half])).toBe(true);
  });

  test('keeps running if it already runs', () => {
    const made = without([
      earlier(1, 'a@0', { target_wallet: wallet(1) }),
      { ...half, is_active: true, version: 3 },
    ]);
    expect(made.changes).toEqual([]);
    expect(made.exposure.running_after).toBe(1);
  });
});
