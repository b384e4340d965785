import { describe, expect, test } from 'vitest';
import type { DesiredState, DesiredTask } from '../../../src/core/desired/state.ts';
import type { Address } from '../../../src/core/model/address.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import { replacesTag } from '../../../src/core/model/marker.ts';
import type { LiveLabel, LiveTask, LiveTemplate } from '../../../src/core/model/resource.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  removal,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { changeOf, operationsOf } from '../../support/plans.ts';

/** What Removals do, and above all to whom they do nothing. */
function planOf(
  removals: readonly Address[],
  tasks: readonly LiveTask[],
  desired: readonly DesiredTask[] = [],
  over: Partial<DesiredState> & { readonly live?: object } = {},
): Plan {
  const { live = {}, ...state } = over;
  const wanted = desiredState(desired, [], { removals: removals.map(removal), ...state });
  return makePlan(planInput(wanted, liveState(tasks, [], live), { allowEmpty: true }));
}

const owned = (index: number, name: string, over: Partial<LiveTask> = {}) =>
  liveTask(index, { remark: `Note [git:core/${name}@0]`, target_wallet: wallet(index), ...over });
const kept = (index: number, name: string) => desiredTask(name, { target_wallet: wallet(index) });
const place = { file: 'manifests/removals.yaml', line: 6, column: 7 };
const codes = (plan: Plan, address: string) =>
  plan.diagnostics.filter((item) => item.address === address).map(({ code, severity }) => [severity, code]);

describe('a released task', () => {
  test('is reported with all details', () => {
    const task = owned(1, 'a', { remark: 'Note  [git:core/a@0#b]' });
    const plan = planOf(['sniper/a'], [task]);
    expect(plan.operations.map(({ body }) => body)).toEqual([{ remark: 'Note' }]);
    expect(plan.changes).toEqual([
      {
        address: 'sniper/a',
        previous_address: null,
        kind: 'sniper',
        name: 'a',
        id: uuid(1),
        replaces_id: null,
        version: 5,
        action: 'release',
        actions: ['release'],
        reason: 'released',
        starts_trading: false,
        stops_trading: false,
        held: false,
        blocked: null,
        exposure: { before: '0.5025', after: '0.5025' },
        fields: [{ path: 'marker', before: 'core/a', sensitive: false, origin: place }],
        former: { ...task },
        operations: ['sniper/a#1'],
        digest: expect.any(String),
        outcome: expect.any(String),
      },
    ]);
    expect(plan.observations).toEqual([]);
  });

  test.each<[string, Partial<LiveTask>, string]>([
    ['runs', {}, 'warning'],
    ['stands', { is_active: false }, 'info'],
    ['runs with a mark of its version', { remark: 'Note [git:core/a@5]' }, 'warning'],
    ['was to be started', { is_active: false, remark: 'Note [git:core/a@5]' }, 'warning'],
    ['stands by an older mark', { is_active: false, remark: 'Note [git:core/a@4]' }, 'info'],
  ])('that %s', (_how, over, severity) => {
    const plan = planOf(['sniper/a'], [owned(1, 'a', over)]);
    expect(codes(plan, 'sniper/a')).toEqual([[severity, 'task-released']]);
    const interrupted = plan.diagnostics.some(({ message }) => message.includes('interrupted'));
    expect(interrupted).toBe(over.remark?.includes('@5') === true && over.is_active === false);
  });

  test('on a legacy config may keep its marker, which is reported', () => {
    const plan = planOf(['sniper/a'], [owned(1, 'a', { config: sniperConfig({ buy_amount: 'much' }) })]);
    expect(codes(plan, 'sniper/a')).toEqual([
      ['warning', 'task-released'],
      ['warning', 'release-legacy'],
    ]);
  });

  test('of one kind does not affect the same name in another kind', () => {
    const copy = owned(2, 'a', { collection: 'copy-trade', config: {} });
    const plan = planOf(['sniper/a'], [owned(1, 'a'), copy], [], { pruneTasks: 'never' });
    expect(plan.changes.map(({ address, action }) => [address, action])).toEqual([['sniper/a', 'release']]);
  });
});

describe('what a release leaves alone', () => {
  test('the tasks of manifests, if it matches nothing', () => {
    const plan = planOf(['sniper/whale'], [owned(1, 'a')], [kept(1, 'a'), kept(2, 'new')]);
    expect(plan.changes.map(({ address, action }) => [address, action])).toEqual([['sniper/new', 'create']]);
  });

  test('what else is reported stays reported', () => {
    const tasks = [
      owned(1, 'a'),
      liveTask(2, { remark: 'By hand' }),
      liveTask(3, { remark: 'x [git:desk/a]' }),
    ];
    const plan = planOf(['sniper/a'], tasks);
    expect(plan.observations.map(({ class: kind, id }) => [kind, id])).toEqual([
      ['unmanaged', uuid(2)],
      ['foreign', uuid(3)],
    ]);
  });

  test('two of one name: blocked with both ids in order, with the former and the current name', () => {
    for (const [project, classes] of [
      ['core', ['conflict', 'conflict']],
      ['was', []],
    ] as const) {
      const twin = (index: number) => liveTask(index, { remark: `Note [git:${project}/a@0]` });
      const plan = planOf(['sniper/a'], [twin(3), twin(2)], [], { previousProject: 'was' });
      expect(plan.operations).toEqual([]);
      expect(changeOf(plan, 'sniper/a').blocked?.ids).toEqual([uuid(2), uuid(3)]);
      expect(plan.observations.map((item) => item.class)).toEqual(classes);
    }
  });
});

describe('a misspelt name', () => {
  const slip = (removals: readonly Address[], tasks: readonly LiveTask[]) =>
    changeOf(planOf(removals, tasks), 'sniper/night');

  test('blocks the deletion, with the ids of the tasks that would be deleted', () => {
    expect(slip(['sniper/nigth'], [owned(1, 'night')]).blocked?.ids).toEqual([uuid(1)]);
    const heir = owned(2, 'night', {
      remark: `Note [git:core/night@1~${replacesTag(uuid(1))}]`,
      is_active: false,
    });
    expect(slip(['sniper/nigth'], [owned(1, 'night'), heir]).blocked?.ids).toEqual([uuid(1), uuid(2)]);
  });

  test('is not assumed if the name exists, or the Removal names no task', () => {
    const both = [owned(1, 'night'), owned(2, 'nigth')];
    expect(slip(['sniper/nigth'], both).action).toBe('delete');
    expect(slip(['label/night', 'sniper-template/night'], [owned(1, 'night')]).action).toBe('delete');
  });
});

describe('what a Removal deletes', () => {
  const label = (index: number, name: string, sort_order: number | null = 1): LiveLabel => ({
    collection: 'label',
    id: uuid(index),
    name,
    sort_order,
  });
  const template: LiveTemplate = {
    collection: 'sniper-template',
    id: uuid(60),
    name: 'Old',
    version: 3,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    config: sniperConfig(),
  };
  const of = (name: string) => ({ path: 'name', before: name, sensitive: false, origin: place });
  const order = { path: 'sort_order', before: 1, sensitive: false, origin: place };

  test.each([
    ['a label', 'label/Old', [label(50, ' Old ')], [], null, [of(' Old '), order]],
    ['a label without an answered order', 'label/Old', [label(50, 'Old', null)], [], null, [of('Old')]],
    ['a template', 'sniper-template/Old', [], [template], 3, [of('Old')]],
  ] as const)('%s is told with what it was', (_what, address, labels, templates, version, fields) => {
    const desired = desiredState([], [], { removals: [removal(address)] });
    const plan = makePlan(planInput(desired, liveState([], labels, { templates })));
    const [former] = [...labels, ...templates];
    expect(plan.changes).toEqual([
      {
        address,
        outcome: expect.any(String),
        digest: expect.any(String),
        previous_address: null,
        kind: former?.collection,
        name: 'Old',
        id: former?.id,
        replaces_id: null,
        version,
        action: 'delete',
        actions: ['delete'],
        reason: 'removal',
        starts_trading: false,
        stops_trading: false,
        held: false,
        blocked: null,
        exposure: { before: '0', after: '0' },
        fields,
        former: { ...former },
        operations: [`${address}#1`],
      },
    ]);
    expect(operationsOf(plan, address)).toMatchObject([{ verb: 'delete', subject: former?.id }]);
  });

  test('frees its name only for the change that takes it', () => {
    const labels = [
      desiredLabel('moved', { sort_order: 5 }),
      desiredLabel('next', { shownName: 'OLD', previousName: 'before' }),
    ];
    const desired = desiredState([], labels, { removals: [removal('label/Old')] });
    const live = [label(50, 'Old'), label(51, 'moved'), label(52, 'before', 0)];
    const plan = makePlan(planInput(desired, liveState([], live)));
    expect(plan.operations.map(({ id, needs }) => [id, needs])).toEqual([
      ['label/moved#1', []],
      ['label/next#1', ['label/Old#1']],
      ['label/Old#1', []],
    ]);
  });
});
