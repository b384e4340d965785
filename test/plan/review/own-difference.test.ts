import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/desired/state.ts';
import type { LiveTask } from '../../../src/model/resource.ts';
import { hasOwnDifference, withProvenance } from '../../../src/plan/review/provenance.ts';
import { desiredState, desiredTask, liveTask, sniperConfig, uuid, wallet } from '../../support/builders.ts';
import { changeOf, planWithRoom } from '../../support/plans.ts';
import { against, amount, at, marks, owned } from '../against.ts';

describe('whether anything of this change would be done', () => {
  const blocked = [owned('a'), liveTask(2, { remark: 'Note [git:core/a@1]' })];

  test('without a base: what is done, and what is blocked', () => {
    const of = (tasks: readonly DesiredTask[], live: readonly LiveTask[]) =>
      hasOwnDifference(planWithRoom(desiredState(tasks), live));
    expect(of([desiredTask('a')], [owned('a')])).toBe(false);
    expect(of([desiredTask('a')], [owned('a', { is_active: false })])).toBe(false);
    expect(of([desiredTask('a', amount('2'))], [owned('a')])).toBe(true);
    expect(of([desiredTask('a')], blocked)).toBe(true);
  });

  test('one change of this one is enough, beside others from before', () => {
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

  test('a block of this change counts, also of what was only changed before', () => {
    const live = [owned('a', amount('9'))];
    const foreign = liveTask(2, { remark: 'x [git:desk/b]', target_wallet: wallet(1) });
    const b = desiredTask('b', { id: foreign.id, target_wallet: wallet(1) });
    const plan = against([desiredTask('a')], [desiredTask('a'), b], [...live, foreign]);
    expect(marks(plan, 'sniper/b').provenance).toBe('this-change');
    expect(hasOwnDifference(plan)).toBe(true);
  });
});

test('what is blocked in both, for other reasons, is of both; what was done before and is blocked now is of this change', () => {
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

test('a field is from before where its path and both of its values are', () => {
  const live = [owned('a', { config: sniperConfig({ buy_amount: '9', sol_slippage_mode: true }) })];
  const base = [desiredTask('a', { config: sniperConfig({ buy_amount: '1' }) })];
  const head = [desiredTask('a', { config: sniperConfig({ buy_amount: '1', dex_source: 'global' }) })];
  expect(marks(against(base, head, live))).toEqual({
    provenance: 'both',
    own: ['config.dex_source'],
    before: ['config.buy_amount', 'config.sol_slippage_mode'],
  });
});

test('a field that goes from and to the same values elsewhere is of this change', () => {
  const on = (path: string) => [desiredTask('a', { config: sniperConfig({ [path]: true }) })];
  expect(marks(against(on('snipe_external'), on('sol_slippage_mode'), [owned('a')]))).toEqual({
    provenance: 'this-change',
    own: ['config.sol_slippage_mode'],
    before: [],
  });
});

test('what a change that goes on no longer does is settled, with its fields', () => {
  const live = [owned('a', { ...amount('9'), remark: 'Old [git:core/a@1]' })];
  const plan = against([desiredTask('a')], [desiredTask('a', { note: 'Old' })], live);
  expect(plan.base?.settled).toEqual([{ address: 'sniper/a', actions: ['update'], fields: ['remark'] }]);
  expect(against([desiredTask('a')], [desiredTask('a')], live).base?.settled).toEqual([]);
  const dearer = against([desiredTask('a')], [desiredTask('a', amount('2'))], live);
  expect(dearer.base?.settled).toEqual([]);
});

test('where a name went to another task that has a change of its own, each is paired with its own past', () => {
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

test('a pause that is read first is another one', () => {
  const plan = against([desiredTask('a')], [desiredTask('a')], [owned('a', amount('9'))]);
  const { base: _base, ...plain } = plan;
  const operations = plain.operations.map((operation) =>
    operation.verb === 'pause' ? { ...operation, read_first: true as const } : operation,
  );
  const again = withProvenance({ ...plain, operations }, { ...at, plan: plain });
  expect(changeOf(again, 'sniper/a').provenance).toBe('both');
});
