import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { comparePlans, isNothing } from '../../../src/core/plan/review/plan-difference.ts';
import { maskPlan } from '../../../src/core/render/masking/by-path.ts';
import { desiredState, desiredTask, liveTask, sniperConfig, uuid, wallet } from '../../support/builders.ts';
import { planWithRoom } from '../../support/plans.ts';

const owned = (over: Partial<LiveTask> = {}) => liveTask(1, { remark: 'Note [git:core/a@1]', ...over });
const plan = (tasks: readonly DesiredTask[], live: readonly LiveTask[], remaining = 10) =>
  planWithRoom(desiredState(tasks), live, remaining);
const config = (over: Parameters<typeof sniperConfig>[0]) => ({ config: sniperConfig(over) });
const CREATE = 'create {sniper/a}, mark pending';
const RETIRED = [`mark ${uuid(1)}, mark pending`, `pause ${uuid(1)}, waits 60000 ms`, `delete ${uuid(1)}`];
const RESUME = 'resume {sniper/a}';
const NONE = { subject: [], gone: [], added: [], different: [] };

/** `path: approved | now`, of the one change that differs. */
function only(approved: Plan, now: Plan): readonly string[] {
  const { different, ...others } = comparePlans(approved, now);
  expect(others).toEqual({ subject: [], gone: [], added: [] });
  expect(different.map(({ address }) => address)).toEqual(['sniper/a']);
  return (different[0]?.differences ?? []).map(
    (item) => `${item.path}: ${JSON.stringify(item.approved)} | ${JSON.stringify(item.now)}`,
  );
}

test('equal plans have no difference, and there is no difference exactly if the digests are equal', () => {
  const approved = plan([desiredTask('a', config({ buy_amount: '2' }))], [owned()]);
  const later = plan([desiredTask('a', config({ buy_amount: '2' }))], [owned({ version: 9 })]);
  expect(comparePlans(approved, later)).toEqual(NONE);
  expect(isNothing(comparePlans(approved, later))).toBe(true);
  expect(later.digest).toBe(approved.digest);
});

test('each kind of difference is reported, beside any other', () => {
  const subject = [{ path: 'project', approved: 'core', now: 'other' }];
  const one = [{ address: 'sniper/a', actions: ['update' as const], differences: [] }];
  for (const some of [
    { subject },
    { gone: one },
    { added: one },
    { different: one },
    { subject, gone: one },
    { gone: one, added: one },
    { added: one, different: one },
  ])
    expect(isNothing({ ...NONE, ...some })).toBe(false);
});

test('another project, environment, service or account', () => {
  const approved = plan([], []);
  const service = { base_url: 'https://other.invalid/v1', token_prefix: 'x', login_username: null };
  const now = { ...approved, project: 'other', environment: 'staging', service };
  expect(comparePlans(approved, now)).toEqual({
    ...NONE,
    subject: [
      { path: 'project', approved: 'core', now: 'other' },
      { path: 'environment', approved: null, now: 'staging' },
      { path: 'base_url', approved: 'http://127.0.0.1:1/v1', now: 'https://other.invalid/v1' },
      { path: 'login_username', approved: 'whales', now: null },
    ],
  });
});

test('removed and new changes, with their fields', () => {
  const one = plan([desiredTask('a', config({ buy_amount: '2' }))], [owned()]);
  const change = {
    address: 'sniper/a',
    actions: ['update'],
  };
  const field = { before: '0.5', after: '2' };
  const none = plan([desiredTask('a')], [owned()]);
  expect(comparePlans(one, none)).toEqual({
    ...NONE,
    gone: [{ ...change, differences: [{ path: 'config.buy_amount', approved: field }] }],
  });
  expect(comparePlans(none, one)).toEqual({
    ...NONE,
    added: [{ ...change, differences: [{ path: 'config.buy_amount', now: field }] }],
  });
});

describe('one changed change', () => {
  const dear = desiredTask('a', config({ buy_amount: '2' }));
  test.each<[string, Plan, Plan, readonly string[]]>([
    [
      'another value after',
      plan([dear], [owned()]),
      plan([desiredTask('a', config({ buy_amount: '3' }))], [owned()]),
      ['config.buy_amount: {"before":"0.5","after":"2"} | {"before":"0.5","after":"3"}'],
    ],
    [
      'another value before',
      plan([dear], [owned()]),
      plan([dear], [owned(config({ buy_amount: '1' }))]),
      ['config.buy_amount: {"before":"0.5","after":"2"} | {"before":"1","after":"2"}'],
    ],
    [
      'held now',
      plan([dear], [owned()]),
      plan([dear], [owned({ is_active: false })]),
      [
        'held: false | true',
        `requests: ["mark ${uuid(1)}, mark pending","pause ${uuid(1)}","patch ${uuid(1)}, writes config, mark pending","resume ${uuid(1)}"] | ["patch ${uuid(1)}, writes config, mark off"]`,
      ],
    ],
    [
      'what is lost by a deletion',
      plan([], [owned({ is_active: false })]),
      plan([], [owned({ is_active: false, ...config({ buy_amount: '9' }) })]),
      ['config.buy_amount: {"before":"0.5"} | {"before":"9"}'],
    ],
    [
      'another task of that name',
      plan([], [owned({ is_active: false })]),
      plan([], [liveTask(2, { remark: 'Note [git:core/a@1]', is_active: false })]),
      [`id: "${uuid(1)}" | "${uuid(2)}"`, `requests: ["delete ${uuid(1)}"] | ["delete ${uuid(2)}"]`],
    ],
    [
      'what a replacement creates, where no field shows it',
      plan([desiredTask('a', { target_wallet: wallet(1) })], [owned()]),
      plan(
        [desiredTask('a', { target_wallet: wallet(1), ...config({ buy_amount: '9' }) })],
        [owned(config({ buy_amount: '9' }))],
      ),
      ['config.buy_amount: {"after":"0.5"} | {"after":"9"}'],
    ],
    [
      'a replacement that must delete first',
      plan([desiredTask('a', { target_wallet: wallet(1) })], [owned()], 1),
      plan([desiredTask('a', { target_wallet: wallet(1) })], [owned()], 0),
      [
        `requests: ${JSON.stringify([`${CREATE}, replaces ${uuid(1)}`, ...RETIRED, RESUME])} | ${JSON.stringify([...RETIRED, CREATE, RESUME])}`,
      ],
    ],
  ])('%s', (_name, approved, now, lines) => {
    expect(approved.digest).not.toBe(now.digest);
    expect(only(approved, now)).toEqual(lines);
  });
});

describe('values of the environment', () => {
  const secret = (buy_amount: string, sort = false) =>
    plan(
      [
        desiredTask('a', {
          ...config({ buy_amount, sol_slippage_mode: sort }),
          target_wallet: wallet(1),
          secrets: ['config.buy_amount'],
        }),
      ],
      [owned()],
    );

  test('that differ are reported, and not shown', () => {
    const text = JSON.stringify(comparePlans(secret('7.654'), secret('7.655')));
    expect(text).toContain('config.buy_amount');
    expect(text).toContain('(secret)');
    expect(text).not.toContain('7.65');
  });

  test('that the approved plan hides count as equal', () => {
    expect(comparePlans(maskPlan(secret('7.654')), secret('7.655'))).toEqual(NONE);
    const differing = comparePlans(maskPlan(secret('7.654')), secret('7.655', true));
    expect(differing.different[0]?.differences.map(({ path }) => path)).toEqual(['config.sol_slippage_mode']);
    expect(JSON.stringify(differing)).not.toContain('7.65');
  });

  test('that are no longer secret are hidden anyway', () => {
    const plain = plan(
      [desiredTask('a', { ...config({ buy_amount: '7.655' }), target_wallet: wallet(1) })],
      [owned()],
    );
    const text = JSON.stringify(comparePlans(secret('7.654'), plain));
    expect(text).not.toContain('7.65');
  });
});
