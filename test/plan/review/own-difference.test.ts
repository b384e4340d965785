import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { hasOwnDifference, withProvenance } from '../../../src/core/plan/review/provenance.ts';
import { desiredState, desiredTask, liveTask, sniperConfig, uuid, wallet } from '../../support/builders.ts';
import { changeOf, planWithRoom } from '../../support/plans.ts';
import { against, amount, at, marks, owned } from '../against.ts';

describe('whether this change does anything', () => {
  const blocked = [owned('a'), liveTask(2, { remark: 'Note [git:core/a@1]' })];

  test('without a base: what is done, and what is blocked', () => {
    const of = (tasks: readonly DesiredTask[], live: readonly LiveTask[]) =>
      hasOwnDifference(planWithRoom(desiredState(tasks), live));
    expect(of([desiredTask('a')], [owned('a')])).toBe(false);
    expect(of([desiredTask('a')], [owned('a', { is_active: false })])).toBe(false);
    expect(of([desiredTask('a', amount('2'))], [owned('a')])).toBe(true);
    expect(of([desiredTask('a')], blocked)).toBe(true);
  });

  test('one change by this change is enough, beside earlier ones', () => {
    const live = [
      owned('a', amount('9')),
      liveTask(2, { remark: 'Note [git:core/b@1]', target_wallet: wallet(1) }),
    ];
    const b = (over: Partial<DesiredTask> = {}) => desiredTask('b', { target_wallet: wallet(1), ...over });
    expect(hasOwnDifference(against([desiredTask('a'), b()], [desiredTask('a'), b()], live))).toBe(false);
    expect(
      hasOwnDifference(against([desiredTask('a'), b()], [desiredTask('a'), b({ note: 'New' })], live)),
    ).toBe(true);
  });

  test('a block by this change counts, also of something that was only changed before', () => {
    const live = [owned('a', amount('9'))];
    const foreign = liveTask(2, { remark: 'x [git:desk/b]', target_wallet: wallet(1) });
    const b = desiredTask('b', { id: foreign.id, target_wallet: wallet(1) });
    const plan = against([desiredTask('a')], [desiredTask('a'), b], [...live, foreign]);
    expect(marks(plan, 'sniper/b').provenance).toBe('this-change');
    expect(hasOwnDifference(plan)).toBe(true);
  });
});

test('blocked in both for different reasons counts as both; done before and blocked now counts as this change', () => {
  const live = [owned('a'), liveTask(2, { remark: 'x [git:desk/q]', target_wallet: wallet(1) })];
  const b = (over: Partial<DesiredTask>) =>
    desiredTask('b', { target_wallet: wallet(1), note: 'B', ...over });
  const withId = (index: number) => [desiredTask('a'), b({ id: uuid(index) })];
  // The fields of the creation are in both plans, of what is blocked as of what is done.
  const both = against(withId(2), withId(9), live);
  expect(changeOf(both, 'sniper/b')).toMatchObject({ provenance: 'both', blocked: { ids: [uuid(9)] } });
  const clone = liveTask(3, { remark: 'Note [git:core/a@1]' });
  const twins = [owned('a'), clone];
  expect(
    against([desiredTask('a')], [desiredTask('a')], twins).changes.map(({ provenance }) => provenance),
  ).toEqual(['before']);
  const orphaned = against([desiredTask('a')], [], twins);
  expect(changeOf(orphaned, 'sniper/a')).toMatchObject({ fields: [], provenance: 'both' });
  const settled = against([desiredTask('a', { id: uuid(1), state: 'paused' })], [desiredTask('a')], twins);
  expect(changeOf(settled, 'sniper/a').provenance).toBe('this-change');
});

test('a field is from before if its path and both values are', () => {
  const live = [owned('a', { config: sniperConfig({ buy_amount: '9', sol_slippage_mode: true }) })];
  const base = [desiredTask('a', { config: sniperConfig({ buy_amount: '1' }) })];
  const head = [desiredTask('a', { config: sniperConfig({ buy_amount: '1', dex_source: 'global' }) })];
  expect(marks(against(base, head, live))).toEqual({
    provenance: 'both',
    own: ['config.dex_source'],
    before: ['config.buy_amount', 'config.sol_slippage_mode'],
  });
});

test('the same values in another field belong to this change', () => {
  const on = (path: string) => [desiredTask('a', { config: sniperConfig({ [path]: true }) })];
  expect(marks(against(on('snipe_external'), on('sol_slippage_mode'), [owned('a')]))).toEqual({
    provenance: 'this-change',
    own: ['config.sol_slippage_mode'],
    before: [],
  });
});

test('what a remaining change no longer does is settled, with its fields', () => {
  const live = [owned('a', { ...amount('9'), remark: 'Old [git:core/a@1]' })];
  const plan = against([desiredTask('a')], [desiredTask('a', { note: 'Old' })], live);
  expect(plan.base?.settled).toEqual([{ address: 'sniper/a', actions: ['update'], fields: ['remark'] }]);
  expect(against([desiredTask('a')], [desiredTask('a')], live).base?.settled).toEqual([]);
  const dearer = against([desiredTask('a')], [desiredTask('a', amount('2'))], live);
  expect(dearer.base?.settled).toEqual([]);
});

test('if a name moved to another task with its own change, each is paired with its own past', () => {
  const live = [
    owned('a', amount('9')),
    liveTask(2, { remark: 'Note [git:core/b@1]', target_wallet: wallet(1), ...amount('8') }),
  ];
  const at1 = { target_wallet: wallet(1) };
  const plan = against(
    [desiredTask('a'), desiredTask('b', at1)],
    [desiredTask('a', { id: uuid(1) }), desiredTask('c', { ...at1, previousName: 'b' })],
    live,
  );
  expect(marks(plan, 'sniper/a').provenance).toBe('before');
  expect(marks(plan, 'sniper/c')).toEqual({
    provenance: 'both',
    own: ['name'],
    before: ['config.buy_amount'],
  });
  expect(plan.base?.settled).toEqual([]);
});

test('a pause with a reading before it is a different one', () => {
  const plan = against([desiredTask('a')], [desiredTask('a')], [owned('a', amount('9'))]);
  const { base: _base, ...plain } = plan;
  const operations = plain.operations.map((operation) =>
    operation.verb === 'pause' ? { ...operation, read_first: true as const } : operation,
  );
  const again = withProvenance({ ...plain, operations }, { ...at, plan: plain });
  expect(changeOf(again, 'sniper/a').provenance).toBe('both');
});
