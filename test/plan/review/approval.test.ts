import { describe, expect, it, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import { replacesTag } from '../../../src/core/model/marker.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { type Approval, judgeApproval } from '../../../src/core/plan/review/approval.ts';
import { listedIn, orderOf } from '../../../src/core/plan/review/digest.ts';
import { movedText } from '../../../src/core/render/words.ts';
import {
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { planWithRoom } from '../../support/plans.ts';

const NEW = sniperConfig({ buy_amount: '0.9' });
const owned = (index: number, name: string, over: Partial<LiveTask> = {}) =>
  liveTask(index, { remark: `Note [git:core/${name}]`, version: 5, ...over });
const approve = (plan: Plan): Approval => ({
  digest: plan.digest,
  changes: listedIn(plan),
  order: orderOf(plan),
});

/** What of the plan of `now` is not approved by the plan of `then`, and what of that fell away; both of the same manifests. */
function judged(wanted: readonly DesiredTask[], then: readonly LiveTask[], now: readonly LiveTask[]) {
  const { moved, gone, strange } = judgeApproval(
    planWithRoom(desiredState(wanted), now),
    [approve(planWithRoom(desiredState(wanted), then))],
    liveState(now),
  );
  expect(strange).toEqual([]);
  return { moved: moved.map(({ address }) => address), gone: gone.map(({ address }) => address) };
}

const NOTHING = { moved: [], gone: [] };

describe('a change in place', () => {
  const wanted = [desiredTask('a', { config: NEW }), desiredTask('b')];
  const then = [owned(1, 'a@1'), owned(2, 'b@1')];
  const a = (over: Partial<LiveTask>) => [owned(1, 'a@1', over), owned(2, 'b@1')];

  it.each<[string, readonly LiveTask[], object]>([
    ['as it was', then, NOTHING],
    ['with another version', a({ version: 50 }), NOTHING],
    ['beside a pause elsewhere', [owned(1, 'a@1'), owned(2, 'b@1', { is_active: false })], NOTHING],
    ['made by hand', a({ config: NEW }), { moved: [], gone: ['sniper/a'] }],
    ['of a task that was paused', a({ is_active: false }), { moved: ['sniper/a'], gone: [] }],
    ['made by hand, and paused', a({ is_active: false, config: NEW }), { moved: ['sniper/a'], gone: [] }],
    [
      'from another value',
      a({ config: sniperConfig({ buy_amount: '0.7' }) }),
      { moved: ['sniper/a'], gone: [] },
    ],
    ['that is blocked now', [...then, owned(3, 'a@1')], { moved: ['sniper/a'], gone: [] }],
    ['of a task that is created anew', [owned(2, 'b@1')], { moved: ['sniper/a'], gone: [] }],
    ['beside a task that is created anew', [owned(1, 'a@1')], { moved: ['sniper/b'], gone: [] }],
    ['cut off after its pause', a({ is_active: false, remark: 'Note [git:core/a@5]' }), NOTHING],
    ['cut off after its patch', a({ is_active: false, remark: 'Note [git:core/a@5]', config: NEW }), NOTHING],
    [
      'cut off, and touched since',
      a({ is_active: false, remark: 'Note [git:core/a@5]', version: 6 }),
      { moved: ['sniper/a'], gone: [] },
    ],
  ])('%s', (_name, now, expected) => {
    expect(judged(wanted, then, now)).toEqual(expected);
  });
});

test.each<[string, Partial<LiveTask>, string[]]>([
  ['that was announced', { version: 4 }, []],
  ['that was announced, and touched since', { version: 5 }, ['sniper/a']],
  ['that somebody makes anew', { version: 4, remark: 'Note [git:core/a@1]' }, ['sniper/a']],
])('the rest of a change with a rename %s', (_name, over, moved) => {
  const wanted = [desiredTask('a', { config: NEW, previousName: 'z' })];
  const now = owned(1, 'a@5', over);
  expect(judged(wanted, [owned(1, 'z@1')], [now])).toEqual({ moved, gone: [] });
});

test('the rest of an interrupted change ends as approved, or counts as another one', () => {
  const plan = (amount: string, task: Partial<LiveTask> = {}) =>
    planWithRoom(desiredState([desiredTask('a', { config: sniperConfig({ buy_amount: amount }) })]), [
      owned(1, 'a@1', task),
    ]);
  const pending = { is_active: false, remark: 'Note [git:core/a@5]' };
  const moved = (amount: string) =>
    judgeApproval(plan(amount, pending), [approve(plan('0.9'))], liveState([])).moved;
  expect(moved('0.9')).toEqual([]);
  expect(moved('9')).toMatchObject([{ address: 'sniper/a', approved: ['update'] }]);
});

test('a hold that the reviewers saw does not count as new', () => {
  const wanted = [desiredTask('a', { config: NEW })];
  const held = owned(1, 'a@1', { is_active: false });
  expect(judged(wanted, [held], [{ ...held, config: NEW }])).toEqual({ moved: [], gone: ['sniper/a'] });
  expect(judged(wanted, [held], [held])).toEqual(NOTHING);
});

describe('a deletion', () => {
  const runs = [owned(1, 'a@1'), owned(2, 'b@1')];
  const paused = [owned(1, 'a@1', { is_active: false }), owned(2, 'b@1')];
  const wanted = [desiredTask('b')];

  it.each<[string, readonly LiveTask[], readonly LiveTask[], object]>([
    ['that is done', runs, [owned(2, 'b@1')], { moved: [], gone: ['sniper/a'] }],
    ['that a pause began', runs, paused, NOTHING],
    ['of a paused task that runs now', paused, runs, { moved: ['sniper/a'], gone: [] }],
    [
      'of a task that was paused and edited',
      runs,
      [owned(1, 'a@1', { is_active: false, config: NEW }), owned(2, 'b@1')],
      { moved: ['sniper/a'], gone: [] },
    ],
  ])('%s', (_name, then, now, expected) => {
    expect(judged(wanted, then, now)).toEqual(expected);
  });
});

describe('a replacement', () => {
  const wanted = [desiredTask('a', { target_wallet: wallet(1) })];
  const former = owned(1, 'a@1');
  const pending = owned(1, 'a@5', { is_active: false });
  const next = owned(2, `a@1~${replacesTag(uuid(1))}`, {
    target_wallet: wallet(1),
    version: 1,
    is_active: false,
  });

  it.each<[string, readonly LiveTask[], object]>([
    ['as it was', [former], NOTHING],
    ['cut off when both are there', [former, next], NOTHING],
    ['cut off when the former task is gone', [next], NOTHING],
    ['whose former task was paused', [{ ...former, is_active: false }], { moved: ['sniper/a'], gone: [] }],
    ['cut off after the pause of the former task', [pending], NOTHING],
    [
      'cut off after its pause, and touched since',
      [{ ...pending, version: 6 }],
      { moved: ['sniper/a'], gone: [] },
    ],
    [
      'cut off, and the former task was paused since',
      [{ ...former, is_active: false }, next],
      { moved: ['sniper/a'], gone: [] },
    ],
    [
      'cut off to another end',
      [former, { ...next, config: NEW, version: 2 }],
      { moved: ['sniper/a'], gone: [] },
    ],
  ])('%s', (_name, now, expected) => {
    expect(judged(wanted, [former], now)).toEqual(expected);
  });

  it('whose new task somebody edited is reported to stop, not to have been paused', () => {
    const plan = (live: readonly LiveTask[]) => planWithRoom(desiredState(wanted), live);
    const { moved } = judgeApproval(
      plan([former, { ...next, config: NEW, version: 2 }]),
      [approve(plan([former]))],
      liveState([]),
    );
    expect(moved.map(movedText)).toEqual([
      'sniper/a would now stop and stay paused, and not be replaced as approved',
    ]);
  });

  it('in the order that a full quota needs counts as another one', () => {
    const plan = (room: number) => planWithRoom(desiredState(wanted), [former], room);
    const moved = (now: number, then: number) =>
      judgeApproval(plan(now), [approve(plan(then))], liveState([former])).moved;
    expect(moved(0, 9)).toMatchObject([{ address: 'sniper/a' }]);
    expect(moved(9, 0)).toMatchObject([{ address: 'sniper/a' }]);
  });
});

test('a place that somebody freed in the meantime is no reason to refuse the task that takes it', () => {
  const wanted = [desiredTask('b', { target_wallet: wallet(1) })];
  const plan = (live: readonly LiveTask[], room: number) => planWithRoom(desiredState(wanted), live, room);
  const approved = approve(plan([owned(1, 'a@1')], 0));
  expect(approved.changes?.map(({ does }) => does)).toEqual(['delete+stop', 'create+start']);
  const { moved, gone } = judgeApproval(plan([], 1), [approved], liveState([]));
  expect({ moved, gone }).toMatchObject({ moved: [], gone: [{ address: 'sniper/a' }] });
});

test('a list of another account, or a longer one, approves nothing; a bare digest lists nothing', () => {
  const wanted = desiredState([desiredTask('a', { config: NEW })]);
  const now = planWithRoom(wanted, [owned(1, 'a@1')]);
  const { digest, changes = [] } = approve(now);
  const elsewhere = { ...now, service: { ...now.service, login_username: 'minnows' } };
  const more = [...(changes ?? []), { address: 'sniper/b', does: 'update', digest: '0'.repeat(32) }];
  const of = (plan: Plan, approval: Approval) => {
    const { moved, strange } = judgeApproval(plan, [approval], liveState([]));
    return [moved.length, strange.length];
  };
  expect(of(now, { digest, changes })).toEqual([0, 0]);
  expect(of(elsewhere, { digest, changes })).toEqual([1, 1]);
  expect(of(now, { digest, changes: more })).toEqual([1, 1]);
  expect(of(now, { digest, changes: undefined })).toEqual([1, 0]);
});
