import { describe, expect, test } from 'vitest';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { LiveState, LiveTask } from '../../src/core/model/resource.ts';
import type { PlanOptions } from '../../src/core/plan/input.ts';
import { isEmptyPlan, makePlan } from '../../src/core/plan/plan.ts';
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
} from '../support/builders.ts';
import { changeOf, operationsOf, steps } from '../support/plans.ts';

/** What is said of a plan as a whole, and what refuses all of it. */
interface Given {
  readonly desired?: Partial<DesiredState>;
  readonly tasks?: readonly LiveTask[];
  readonly live?: Partial<LiveState>;
  readonly options?: Partial<PlanOptions>;
}

function planOf({ desired = {}, tasks = [], live = {}, options = {} }: Given): Plan {
  return makePlan(planInput(desiredState([], [], desired), liveState(tasks, [], live), options));
}

const owned = (index: number, mark: string, over: Partial<LiveTask> = {}) =>
  liveTask(index, { remark: `Note [git:core/${mark}]`, target_wallet: wallet(index), ...over });
const kept = (index: number, name: string, over: object = {}) =>
  desiredTask(name, { target_wallet: wallet(index), ...over });
const errors = (plan: Plan) =>
  plan.diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
const said = (plan: Plan, wanted: string) => plan.diagnostics.find(({ code }) => code === wanted);

test('the summary counts each thing once, where it belongs', () => {
  const plan = planOf({
    desired: {
      tasks: [kept(1, 'held'), kept(2, 'same'), kept(3, 'stopped', { state: 'paused' }), kept(4, 'new')],
    },
    tasks: [
      owned(1, 'held@0', { is_active: false }),
      owned(2, 'same@0'),
      owned(3, 'stopped@0'),
      liveTask(5, { remark: 'Hand', target_wallet: wallet(5) }),
      liveTask(6, { remark: 'Hand', target_wallet: wallet(5), is_active: false }),
      liveTask(7, { remark: 'Hand [git:desk/a@0]', target_wallet: wallet(5) }),
      liveTask(8, { remark: 'Hand [git:', target_wallet: wallet(5) }),
      owned(9, 'gone@0'),
    ],
  });
  expect(plan.summary).toEqual({
    create: 1,
    update: 0,
    replace: 0,
    delete: 1,
    adopt: 0,
    rename: 0,
    release: 0,
    start: 1,
    stop: 2,
    finish: 0,
    held: 1,
    blocked: 0,
    unmanaged: 2,
    foreign: 1,
    unchanged: 1,
  });
  expect(said(plan, 'unmanaged-running')?.message).toBe(
    '1 unmanaged task is running: no manifest describes it.',
  );
  expect(isEmptyPlan(plan)).toBe(false);
  expect(isEmptyPlan(planOf({ desired: { tasks: [kept(2, 'same')] }, tasks: [owned(2, 'same@0')] }))).toBe(
    true,
  );
});

test('running unmanaged tasks are counted', () => {
  const tasks = [1, 2].map((index) => liveTask(index, { remark: 'Hand' }));
  expect(said(planOf({ tasks }), 'unmanaged-running')?.message).toBe(
    '2 unmanaged tasks are running: no manifest describes them.',
  );
});

describe('a kind that cannot be seen', () => {
  const blind = { visible: new Set(['sniper', 'label'] as const) };

  test('is not taken for empty: nothing is created in it, and no Removal of it counts as misspelt', () => {
    const copy = desiredTask('c', { collection: 'copy-trade' });
    const plan = planOf({ desired: { tasks: [copy, kept(1, 'a')] }, live: blind });
    expect(operationsOf(plan, 'copy-trade/c')).toEqual([]);
    expect(steps(plan, 'sniper/a')).toEqual(['create(pending)', 'resume']);
  });

  test('may contain tasks with the former name: it is not reported that none is left', () => {
    const desired = { tasks: [kept(1, 'a')], previousProject: 'was' };
    const plan = (live: Partial<LiveState>) => planOf({ desired, tasks: [owned(1, 'a@0')], live });
    expect(said(plan(blind), 'project-rename-done')).toBeUndefined();
    expect(said(plan({}), 'project-rename-done')?.severity).toBe('info');
  });
});

describe('--target, --exclude and --resume-stopped', () => {
  const given: Given = {
    desired: {
      tasks: [kept(1, 'a')],
      labels: [desiredLabel('hot')],
      removals: [removal('label/Old')],
    },
    tasks: [owned(1, 'a@0'), owned(2, 'gone@0')],
  };

  test('are recorded in the plan', () => {
    expect(planOf(given)).not.toHaveProperty('selection');
    const options = { targets: ['sniper/*'], excludes: ['label/hot'] };
    expect(planOf({ ...given, options }).selection).toEqual({ ...options, left_out: 1 });
    expect(planOf({ ...given, options: { excludes: ['label/hot'] } }).selection).toEqual({
      targets: [],
      excludes: ['label/hot'],
      left_out: 1,
    });
  });

  test.each<[string, Partial<PlanOptions>]>([
    ['an unchanged task', { targets: ['sniper/a'] }],
    ['a task that is in no manifest', { excludes: ['sniper/gone'] }],
    ['a label', { targets: ['label/h*'] }],
    ['a Removal that is done', { excludes: ['label/Old'] }],
    ['a task to start', { resumeStopped: ['sniper/a'] }],
    ['all that is held', { resumeStopped: 'all' }],
  ])('may name %s', (_what, options) => {
    expect(errors(planOf({ ...given, options }))).toEqual([]);
  });

  test.each<[string, Partial<PlanOptions>]>([
    ['--target', { targets: ['sniper/a', 'sniper/b'] }],
    ['--exclude', { excludes: ['sniper/b'] }],
    ['--resume-stopped', { resumeStopped: ['sniper/b'] }],
  ])('%s of what is nowhere refuses the plan', (_option, options) => {
    const plan = planOf({ ...given, options });
    expect(errors(plan)).toEqual(['target-unknown']);
    expect(said(plan, 'target-unknown')?.message).toContain('sniper/b matches nothing');
  });

  test.each(['a', 'sniper/aa'])('%s: the address that was meant is named', (target) => {
    const plan = planOf({ ...given, options: { targets: [target] } });
    expect(said(plan, 'target-unknown')?.hint).toContain('Did you mean sniper/a?');
  });
});

describe('a plan that deletes every task', () => {
  test('says how many, and counts no label', () => {
    const tasks = [owned(1, 'a@0'), owned(2, 'b@0')];
    const labels = [{ collection: 'label', id: uuid(70), name: 'Old', sort_order: 0 } as const];
    const removals = [removal('label/Old')];
    const all = planOf({ desired: { removals }, tasks, live: { labels } });
    expect(said(all, 'all-owned-gone')?.message).toContain('delete all 2 tasks of project core');
    const only = planOf({ desired: { removals }, live: { labels } });
    expect(steps(only, 'label/Old')).toEqual(['delete']);
    expect(errors(only)).toEqual([]);
    const paused = planOf({ desired: { pruneTasks: 'pause' }, tasks: tasks.slice(1) });
    expect(said(paused, 'all-owned-gone')?.message).toContain('pause the only task of project core');
  });

  test('is refused as well if the manifests describe others: another repository may use the name', () => {
    const desired = { tasks: [kept(1, 'c')] };
    const [a, b, c] = [owned(1, 'a@0'), owned(2, 'b@0'), owned(3, 'c@0')];
    expect(said(planOf({ desired, tasks: [a, b] }), 'all-owned-gone')?.message).toBe(
      '2 tasks carry the marker of project core, but none of them is in these manifests; another repository may use the name. The plan would delete all 2.',
    );
    expect(said(planOf({ desired, tasks: [a] }), 'all-owned-gone')?.message).toContain(
      '1 task carries the marker of project core, but it is not in these manifests; another',
    );
    const passed: Parameters<typeof planOf>[0][] = [
      { desired, tasks: [a, c] },
      { desired, tasks: [a], options: { allowEmpty: true } },
      { desired, tasks: [a, b], options: { excludes: ['sniper/a', 'sniper/b'] } },
      { desired: { ...desired, pruneTasks: 'never' }, tasks: [a, b] },
    ];
    for (const given of passed) expect(errors(planOf(given))).toEqual([]);
    expect(errors(planOf({ desired, tasks: [a, b], options: { excludes: ['sniper/a'] } }))).toEqual([
      'all-owned-gone',
    ]);
  });
});

describe('a project that takes another name', () => {
  const was = (index: number, name: string, over: Partial<LiveTask> = {}) =>
    liveTask(index, { remark: `Note [git:was/${name}@0]`, target_wallet: wallet(index), ...over });
  const desired = { tasks: [kept(1, 'a')], previousProject: 'was' };

  test.each<[string, readonly LiveTask[], string, string]>([
    ['one task', [owned(2, 'b@0')], '1 task has the marker', 'sniper/b.'],
    ['two tasks', [owned(2, 'b@0'), owned(3, 'c@0')], '2 tasks have the marker', 'sniper/b, sniper/c.'],
  ])('%s with it already, in no manifest', (_how, others, count, names) => {
    const message = said(planOf({ desired, tasks: [was(1, 'a'), ...others] }), 'project-name-taken')?.message;
    expect(message).toContain(count);
    expect(message).toContain(names);
  });

  test('taking tasks over from another project is no rename', () => {
    const theirs = liveTask(1, { remark: 'Note [git:desk/a@0]', target_wallet: wallet(1) });
    const tasks = [owned(2, 'b@0'), owned(3, 'c@0'), theirs];
    const plan = planOf({
      desired: { tasks: [kept(1, 'a'), kept(3, 'c')] },
      tasks,
      options: { takeOver: ['desk'] },
    });
    expect(changeOf(plan, 'sniper/a').action).toBe('take-over');
    expect(changeOf(plan, 'sniper/b').action).toBe('delete');
    expect(errors(plan)).toEqual([]);
  });

  test.each<[string, readonly LiveTask[], string, string]>([
    ['one that runs', [was(2, 'b')], '1 task has', 'no manifest names it; 1 of 1 running'],
    ['one that stands', [was(2, 'b', { is_active: false })], '1 task has', 'it; 0 of 1 running'],
    [
      'the two of a replacement',
      [was(2, 'b'), was(3, 'b', { remark: `Note [git:was/b@1~${uuid(2).slice(0, 4)}]`, is_active: false })],
      '2 tasks have',
      'them; 1 of 2 running',
    ],
  ])('what is left with the name before: %s', (_what, left, count, running) => {
    const plan = planOf({ desired, tasks: [was(1, 'a'), ...left] });
    const found = said(plan, 'project-rename-left');
    expect(found?.message).toContain(count);
    expect(found?.message).toContain(running);
    expect(found?.hint).toContain(left.length === 1 ? 'for it with' : 'for them with');
    expect(plan.changes.map(({ address }) => address)).toEqual(['sniper/a']);
  });

  test('a former name that no task has is reported with the existing names', () => {
    const tasks = [
      liveTask(3, { remark: 'Hand' }),
      liveTask(2, { remark: 'x [git:zoo/a]', target_wallet: wallet(2) }),
      liveTask(4, { remark: 'x [git:desk/a]', target_wallet: wallet(2) }),
    ];
    const plan = planOf({ desired: { ...desired, tasks: [] }, tasks });
    expect(plan.diagnostics).toContainEqual({
      severity: 'warning',
      code: 'project-rename-nothing',
      message: expect.stringMatching(/are of desk, zoo\.$/),
    });
    const empty = planOf({ desired: { ...desired, tasks: [] }, tasks: [liveTask(3, { remark: 'Hand' })] });
    expect(empty.diagnostics.map(({ code }) => code)).toEqual(['unmanaged-running']);
  });
});

test('a stale metadata.id is reported at its place', () => {
  const place = { file: 'a.yaml', line: 3, column: 5 };
  const diagnostic = (origin: () => typeof place | undefined) =>
    said(
      planOf({ desired: { tasks: [kept(1, 'a', { id: uuid(9), origin })] }, tasks: [owned(1, 'a@0')] }),
      'id-stale',
    );
  expect(diagnostic(() => place)).toMatchObject({ address: 'sniper/a', location: place });
  expect(diagnostic(() => undefined)).not.toHaveProperty('location');
});
