import { describe, expect, test } from 'vitest';
import { desiredState, desiredTask, seedTask, sniperConfig, uuid, wallet } from '../support/builders.ts';
import { planAndCarryOut } from './ending.ts';
import { createStage, heal } from './stage.ts';

/** Two applies of different revisions on one replacement pair: never does each delete the other's half. */

const OLD = uuid(1);
const desired = (target: number) =>
  desiredState([desiredTask('alpha', { target_wallet: wallet(target) })], [], {
    settle: { update: 0, replace: 0 },
  });
const stageOf = (mark: string, is_active: boolean) =>
  createStage({
    tasks: [seedTask(1, { id: OLD, remark: `Note [git:core/alpha${mark}]`, is_active })],
  });

describe.each([
  ['held', '@0', false],
  ['running', '@0', true],
  ['switched off', '@!', false],
] as const)('the former task is %s', (_how, mark, runs) => {
  test('the new task is deleted before the former one: the former one stays as it was', async () => {
    const stage = stageOf(mark, runs);
    const plan = await stage.plan(desired(2));
    await stage.apply(plan, () => {
      const [added] = stage.owned('alpha').filter(({ id }) => id !== OLD);
      if (added !== undefined) stage.sandbox.apply([{ type: 'task-removed', id: added.id }]);
      return undefined;
    });
    expect(stage.owned('alpha').map(({ id, is_active }) => ({ id, is_active }))).toEqual([
      { id: OLD, is_active: runs },
    ]);
    const report = await stage.apply(await stage.plan(desired(2)));
    expect(report).toMatchObject({ left_paused: [] });
    expect(stage.owned('alpha').map(({ is_active }) => is_active)).toEqual([runs]);
  });

  test('nobody knows whether the new task still exists: the former one stays', async () => {
    const stage = stageOf(mark, runs);
    const { faults } = stage.sandbox;
    let unreadable: string | undefined;
    await stage.apply(await stage.plan(desired(2)), () => {
      const [added] = stage.owned('alpha').filter(({ id }) => id !== OLD);
      if (added === undefined || unreadable !== undefined) return undefined;
      unreadable = `/sniper/configs/${added.id}`;
      const fault = { type: 'error', code: 'internal_error' } as const;
      faults.add({ fault, times: 0, method: 'GET', path: unreadable });
      return undefined;
    });
    expect([unreadable, stage.task(OLD)]).not.toContain(undefined);
    faults.clear();
    await heal(stage, desired(2));
    expect(stage.owned('alpha').map(({ is_active }) => is_active)).toEqual([runs]);
  });

  test('the former task is deleted before the new one, which is no longer wanted', async () => {
    const stage = stageOf(mark, runs);
    await stage.apply(await stage.plan(desired(2)), (_index, { method }) =>
      method === 'POST' ? 'crash-after' : undefined,
    );
    expect(stage.owned('alpha')).toHaveLength(2);
    const undo = await stage.plan(desired(1));
    await stage.apply(undo, () => {
      stage.sandbox.apply([{ type: 'task-removed', id: OLD }]);
      return undefined;
    });
    expect(stage.owned('alpha').map(({ is_active }) => is_active)).toEqual([false]);
  });
});

test('somebody wrote to the new task before the former one is deleted, and its start is refused: no start is promised', async () => {
  const stage = stageOf('@0', true);
  const { faults } = stage.sandbox;
  faults.add({ path: 'resume$', fault: { type: 'error', code: 'insufficient_scope' } });
  const end = await planAndCarryOut(stage, desired(2), (_index, { method }) => {
    const [added] = stage.owned('alpha').filter(({ id }) => id !== OLD);
    if (method === 'GET' && added?.version === 1) stage.edit(added.id, { is_active: false });
    return undefined;
  });
  expect(end.text).toContain('The start was refused (insufficient_scope)');
  expect(end.report.left_paused).toHaveLength(1);
  expect(end.report.left_paused[0]?.text).not.toContain('starts it');
  faults.clear();
  const next = await stage.plan(desired(2));
  expect(next.operations.map(({ verb }) => verb)).not.toContain('resume');
});

test.each([
  ['the other runs', false],
  ['somebody stopped the other', true],
])(
  'both tasks of a replacement run, one is paused and cannot be deleted, %s: it is not started',
  async (_, stopped) => {
    const both = [
      { id: OLD, remark: 'Note [git:core/alpha@0]', target_wallet: wallet(1) },
      { id: uuid(2), remark: 'Note [git:core/alpha@0~0001]', target_wallet: wallet(2) },
    ];
    const { config } = desiredTask('alpha');
    const stage = createStage({
      tasks: both.map((one) => ({ ...one, kind: 'sniper', config, is_active: true, version: 5 })),
    });
    stage.sandbox.faults.add({
      method: 'DELETE',
      path: '.',
      fault: { type: 'error', code: 'validation_error' },
    });
    const end = await planAndCarryOut(stage, desired(3), (_index, { method }) => {
      if (stopped && method === 'DELETE') stage.edit(OLD, { is_active: false });
      return undefined;
    });
    const why = stopped ? `somebody stopped ${OLD}` : `${OLD} runs`;
    expect(end.text).toContain(`${uuid(2)} stays paused, because ${why}.`);
    const running = stage.owned('alpha').filter(({ is_active }) => is_active);
    expect(running.map(({ id }) => id)).toEqual(stopped ? [] : [OLD]);
    if (stopped) return;
    stage.sandbox.faults.clear();
    await heal(stage, desired(3));
    expect(stage.owned('alpha')).toMatchObject([{ target_wallet: wallet(3), is_active: true }]);
  },
);

test.each(['stops it again', 'writes to it, which nothing shows'])(
  'a person starts the new task, and %s, and the former one cannot be deleted: it is not started either',
  async (what) => {
    const stage = stageOf('@0', true);
    stage.sandbox.faults.add({
      method: 'DELETE',
      path: '.',
      times: 0,
      fault: { type: 'error', code: 'insufficient_scope' },
    });
    const end = await planAndCarryOut(stage, desired(2), (_index, { method }) => {
      const added = stage.owned('alpha').find(({ id }) => id !== OLD);
      if (method !== 'DELETE' || added?.version !== 1) return undefined;
      if (what === 'stops it again') stage.edit(added.id, { is_active: true });
      stage.edit(added.id, { is_active: false });
      return undefined;
    });
    expect(end.text).toMatch(
      /stays paused, because somebody wrote to \S+, and may have started and stopped it\./,
    );
    expect(stage.owned('alpha').map(({ is_active }) => is_active)).toEqual([false, false]);
  },
);

test('the marker of the new task is taken off before the former one is deleted: the former one is kept', async () => {
  const stage = stageOf('@0', false);
  const end = await planAndCarryOut(stage, desired(2), () => {
    const [added] = stage.owned('alpha').filter(({ id }) => id !== OLD);
    if (added !== undefined) stage.edit(added.id, { remark: 'Mine now' });
    return undefined;
  });
  expect(end.text).toMatch(
    /took the marker off \S+, the other task of this replacement, so this task is kept/,
  );
  expect(stage.owned('alpha').map(({ id }) => id)).toEqual([OLD]);
});

test('so it is of a former task with the former name of the project, whose replacement is undone', async () => {
  const { config } = desiredTask('alpha');
  const half = { kind: 'sniper', config, is_active: false } as const;
  const stage = createStage({
    tasks: [
      { ...half, id: OLD, remark: 'Note [git:was/alpha@0]', target_wallet: wallet(1), version: 5 },
      { ...half, id: uuid(2), remark: 'Note [git:core/alpha@0~0001]', target_wallet: wallet(2), version: 2 },
    ],
  });
  const undone = { ...desired(1), previousProject: 'was' };
  const plan = await stage.plan(undone);
  await stage.apply(plan, (index) => {
    if (index === 0) stage.edit(OLD, { remark: 'Mine now', config: sniperConfig({ buy_amount: '3' }) });
    return undefined;
  });
  expect(stage.owned('alpha').map(({ id }) => id)).toEqual([uuid(2)]);
  expect((await stage.plan(undone)).operations.map(({ verb }) => verb)).not.toContain('resume');
});

test('a person starts the new task, and the former one cannot be deleted: it is not started beside it', async () => {
  const stage = stageOf('@0', true);
  const { faults, state } = stage.sandbox;
  const heir = () => stage.owned('alpha').find(({ id }) => id !== OLD);
  faults.add({ method: 'DELETE', path: '.', times: 0, fault: { type: 'error', code: 'insufficient_scope' } });
  const end = await planAndCarryOut(stage, desired(2), (_index, { method }) => {
    const added = heir();
    if (added?.is_active === false && method === 'DELETE') stage.edit(added.id, { is_active: true });
    return undefined;
  });
  expect(state.tasks.get(OLD)?.is_active).toBe(false);
  expect(end.text).toContain(`${OLD} stays paused, because ${heir()?.id} runs.`);
});
