import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { hasOwnDifference, isRefusedAnew, withProvenance } from '../../../src/core/plan/review/provenance.ts';
import { desiredState, desiredTask, liveTask, wallet } from '../../support/builders.ts';
import { changeOf, planWithRoom } from '../../support/plans.ts';
import { against, amount, at, marks, owned, type Wanted } from '../against.ts';

describe('a change of one task', () => {
  const task = (over: Partial<DesiredTask> = {}) => desiredTask('a', over);
  const drifted = owned('a', amount('9'));
  const stopped = owned('a', { is_active: false });
  test.each<[string, Wanted, Wanted, readonly LiveTask[], string, string[], string[]]>([
    ['drift', [task()], [task()], [drifted], 'before', [], ['config.buy_amount']],
    ['a new value', [task()], [task(amount('2'))], [owned('a')], 'this-change', ['config.buy_amount'], []],
    [
      'a drifted field that gets another value',
      [task()],
      [task(amount('2'))],
      [drifted],
      'this-change',
      ['config.buy_amount'],
      [],
    ],
    [
      'a new note beside drift',
      [task()],
      [task({ note: 'New' })],
      [drifted],
      'both',
      ['remark'],
      ['config.buy_amount'],
    ],
    [
      'a pending stop',
      [task({ state: 'paused' })],
      [task({ state: 'paused' })],
      [owned('a')],
      'before',
      [],
      ['state'],
    ],
    ['a stop', [task()], [task({ state: 'paused' })], [owned('a')], 'this-change', ['state'], []],
    ['held before', [task()], [task()], [stopped], 'before', [], []],
    ['held before, and another note', [task()], [task({ note: 'New' })], [stopped], 'both', ['remark'], []],
    [
      'held by this change',
      [task({ state: 'paused' })],
      [task()],
      [owned('a', { is_active: false })],
      'this-change',
      [],
      [],
    ],
    ['a start by a new rearm', [task()], [task({ rearm: 'b' })], [stopped], 'this-change', ['state'], []],
    ['a deletion from before', [], [], [drifted], 'before', [], ['state']],
    ['a deletion of a drifted task', [task()], [], [drifted], 'this-change', ['state'], []],
    [
      'a replacement of a drifted task',
      [task()],
      [task({ target_wallet: wallet(1) })],
      [drifted],
      'both',
      ['target_wallet'],
      ['config.buy_amount'],
    ],
    [
      'a settle time, which no field shows',
      [task()],
      desiredState([task()], [], { settle: { update: 5_000, replace: 60_000 } }),
      [drifted],
      'both',
      [],
      ['config.buy_amount'],
    ],
    [
      'a conflict from before',
      [],
      [],
      [owned('a'), liveTask(2, { remark: 'Note [git:core/a@1]' })],
      'before',
      [],
      [],
    ],
  ])('%s', (_name, base, head, live, provenance, own, before) => {
    const plan = against(base, head, live);
    expect(marks(plan)).toEqual({ provenance, own, before });
    expect(hasOwnDifference(plan)).toBe(
      provenance !== 'before' && (plan.operations.length > 0 || plan.summary.blocked > 0),
    );
  });
});

test('a pending create, with one value of this change', () => {
  const found = marks(against([desiredTask('a')], [desiredTask('a', amount('2'))], []));
  expect(found).toMatchObject({ provenance: 'both', own: ['config.buy_amount'] });
  expect(found.before).toContain('config.relay_mode.tip_amount');
});

test('a name that moved to another task: the tasks are compared, not the names', () => {
  const live = [owned('a', amount('9'))];
  const plan = against(
    [desiredTask('a')],
    [desiredTask('b', { previousName: 'a' }), desiredTask('c', amount('9'))],
    live,
  );
  expect(marks(plan, 'sniper/b')).toEqual({
    provenance: 'both',
    own: ['name'],
    before: ['config.buy_amount'],
  });
  expect(changeOf(plan, 'sniper/c').provenance).toBe('this-change');
  expect(plan.base?.settled).toEqual([]);
});

test('a pending replacement that must delete first now, since this change takes the place, is of this change in part', () => {
  const live = [owned('a'), liveTask(2, { remark: 'Note [git:core/b@1]', target_wallet: wallet(1) })];
  const present = desiredTask('a');
  const pending = desiredTask('b', { target_wallet: wallet(2) });
  const moved = desiredTask('a', { target_wallet: wallet(3) });
  const found = against([present, pending], [moved, pending], live, 1);
  expect(changeOf(found, 'sniper/a').provenance).toBe('this-change');
  expect(marks(found, 'sniper/b')).toEqual({ provenance: 'both', own: [], before: ['target_wallet'] });
  const roomy = against([present, pending], [moved, pending], live, 2);
  expect(changeOf(roomy, 'sniper/b').provenance).toBe('before');
});

test('what the base would do and this plan does not is settled, in order of address', () => {
  const live = [
    owned('b', amount('9')),
    liveTask(2, { remark: 'Note [git:core/a@1]', ...amount('9') }),
    liveTask(3, { remark: 'Note [git:core/c@1]', is_active: false }),
  ];
  const base = ['a', 'b', 'c'].map((name) => desiredTask(name));
  const head = [
    desiredTask('a', amount('9')),
    desiredTask('b', amount('9')),
    desiredTask('c', { state: 'manual' }),
  ];
  const plan = against(base, head, live);
  expect(plan.base).toMatchObject({
    ...at,
    settled: [
      { address: 'sniper/a', actions: ['update'] },
      { address: 'sniper/b', actions: ['update'] },
    ],
  });
  // c is not held any more: its mark goes, which is a change.
  expect(changeOf(plan, 'sniper/c').provenance).toBe('this-change');
});

test('a task that is deleted or replaced now is not settled', () => {
  const live = [owned('a', amount('9'))];
  expect(against([desiredTask('a')], [], live).base?.settled).toEqual([]);
  const moved = desiredTask('a', { target_wallet: wallet(1), ...amount('9') });
  expect(against([desiredTask('a')], [moved], live).base?.settled).toEqual([]);
});

test('without a plan of the base, everything is part of this change', () => {
  const plan = withProvenance(planWithRoom(desiredState([desiredTask('a')]), [owned('a', amount('9'))]), {
    ...at,
    plan: undefined,
  });
  expect(plan.base).toEqual({ ...at, digest: null, settled: [] });
  expect(marks(plan)).toEqual({ provenance: 'this-change', own: ['config.buy_amount'], before: [] });
  expect(hasOwnDifference(plan)).toBe(true);
});

test('the digest stays', () => {
  const live = [owned('a', amount('9'))];
  const plan = against([desiredTask('a')], [desiredTask('a')], live);
  expect(plan.digest).toBe(planWithRoom(desiredState([desiredTask('a')]), live).digest);
  expect(plan.base?.digest).toBe(plan.digest);
});

describe('a refusal', () => {
  const plain = planWithRoom(desiredState([desiredTask('a')]), [owned('a', amount('9'))]);
  const refusal = {
    severity: 'error',
    code: 'guardrail-max-tip',
    message: 'Too much.',
    address: 'sniper/a',
    hint: 'one',
  } as const;
  const refused = (diagnostic: Plan['diagnostics'][number]): Plan => ({
    ...plain,
    diagnostics: [diagnostic],
  });
  test.each<[string, Plan['diagnostics'][number], boolean]>([
    ['in the same words', { ...refusal, hint: 'another' }, false],
    ['in other words', { ...refusal, message: 'Far too much.' }, true],
    ['of another address', { ...refusal, address: 'sniper/b' }, true],
    ['of another guardrail', { ...refusal, code: 'guardrail-max-slippage' }, true],
    ['that was a warning', { ...refusal, severity: 'warning' }, true],
  ])('the base has one %s', (_name, diagnostic, anew) => {
    const plan = withProvenance(refused(refusal), { ...at, plan: refused(diagnostic) });
    expect(isRefusedAnew(plan)).toBe(anew);
    expect(plan.diagnostics[0]?.provenance).toBe(anew ? undefined : 'before');
  });

  test.each<[string, string, boolean]>([
    ['deletes, of which one is of this change', 'guardrail-max-deletes', true],
    ['changes, of which one is of this change', 'guardrail-max-changes', true],
    ['starts, none of which is', 'guardrail-max-starts', false],
  ])('that counts %s, in the words of the base', (_name, code, anew) => {
    const live = ['a', 'b'].map((name, index) =>
      liveTask(index + 1, { remark: `Note [git:core/${name}@1]`, target_wallet: wallet(index + 1) }),
    );
    const kept = (name: string, index: number) => desiredTask(name, { target_wallet: wallet(index) });
    // The base deletes a, this change b instead: as many as before.
    const { address: _all, ...total } = { ...refusal, code };
    const withRefusal = (plan: Plan): Plan => ({ ...plan, diagnostics: [total] });
    const base = withRefusal(planWithRoom(desiredState([kept('b', 2)]), live));
    const plan = withProvenance(withRefusal(planWithRoom(desiredState([kept('a', 1)]), live)), {
      ...at,
      plan: base,
    });
    expect(plan.changes.map(({ address, provenance }) => [address, provenance])).toEqual([
      ['sniper/b', 'this-change'],
    ]);
    expect(isRefusedAnew(plan)).toBe(anew);
  });

  test('of a guardrail that does not count does not fail this change', () => {
    const changed = planWithRoom(desiredState([desiredTask('a', amount('3'))]), [owned('a')]);
    const base = { ...refused(refusal), changes: [], operations: [] };
    const plan = withProvenance({ ...changed, diagnostics: [refusal] }, { ...at, plan: base });
    expect(plan.changes.map(({ provenance }) => provenance)).toEqual(['this-change']);
    expect(isRefusedAnew(plan)).toBe(false);
  });

  test('one new refusal is enough, beside those of the base and warnings', () => {
    const told = { ...refusal, severity: 'warning', code: 'unmanaged-running' } as const;
    const diagnostics = [refusal, told, { ...refusal, message: 'Far too much.' }];
    const plan = withProvenance({ ...plain, diagnostics }, { ...at, plan: refused(refusal) });
    expect(isRefusedAnew(plan)).toBe(true);
    expect(isRefusedAnew({ ...plan, diagnostics: plan.diagnostics.slice(0, 2) })).toBe(false);
    expect(isRefusedAnew({ ...plan, diagnostics: [] })).toBe(false);
  });

  test('of a counting guardrail is not part of a change that only holds or blocks', () => {
    const total = { ...refusal, code: 'guardrail-max-changes' };
    const stopped = owned('a', { is_active: false });
    const base = planWithRoom(desiredState([desiredTask('a', { state: 'manual' })]), [
      { ...stopped, remark: 'Note [git:core/a]' },
    ]);
    const head = planWithRoom(desiredState([desiredTask('a')]), [stopped]);
    expect(head.changes).toMatchObject([{ held: true, operations: [] }]);
    const plan = withProvenance(
      { ...head, diagnostics: [total] },
      { ...at, plan: { ...base, diagnostics: [total] } },
    );
    expect(changeOf(plan, 'sniper/a').provenance).toBe('this-change');
    expect(isRefusedAnew(plan)).toBe(false);
  });

  test('that is not a guardrail’s always counts: an incomplete view says nothing about the base either', () => {
    const incomplete = { ...refusal, code: 'view-incomplete' };
    const plan = withProvenance(refused(incomplete), { ...at, plan: refused(incomplete) });
    expect(isRefusedAnew(plan)).toBe(true);
  });
});
