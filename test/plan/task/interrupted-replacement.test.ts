import { describe, expect, test } from 'vitest';
import type { DesiredState, DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { JsonObject } from '../../../src/core/model/json.ts';
import { replacesTag } from '../../../src/core/model/marker.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import {
  copyTradeConfig,
  desiredState,
  desiredTask,
  liveTask,
  removal,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { changeOf, operationsOf, planWithRoom, steps } from '../../support/plans.ts';

/** What one trigger of `sniperConfig` may cost, by its buy amount. */
const costs = (buy: string) => (Number(buy) + 0.0025).toString();
const buying = (buy_amount: string) => sniperConfig({ buy_amount });

/** What an apply left that died between the creation of the new task and the end of the present one. */
function planOf(
  desired: DesiredTask | readonly DesiredTask[],
  live: readonly LiveTask[],
  over: Partial<DesiredState> = {},
  remaining = 10,
): Plan {
  return planWithRoom(desiredState([desired].flat(), [], over), live, remaining);
}

const MOVED = desiredTask('a', { target_wallet: wallet(1) });
const PRESENT = liveTask(1, { remark: 'Note [git:core/a@1]' });
const PAUSED_BY_US = { ...PRESENT, is_active: false, remark: 'Note [git:core/a@5]' };
const STOPPED = { ...PRESENT, is_active: false };

function successor(armed: string, over: Partial<LiveTask> = {}): LiveTask {
  return liveTask(2, {
    remark: `Note [git:core/a${armed}~${replacesTag(uuid(1))}]`,
    version: 1,
    is_active: false,
    target_wallet: wallet(1),
    ...over,
  });
}

describe('exposure of a replacement in progress', () => {
  test('the present task runs, the new one should run: trading continues, at another cost', () => {
    const made = planOf({ ...MOVED, config: buying('2') }, [
      { ...PRESENT, config: buying('1') },
      successor('@1', { config: buying('2') }),
    ]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      actions: ['replace'],
      starts_trading: false,
      stops_trading: false,
      held: false,
      exposure: { before: costs('1'), after: costs('2') },
      former: { id: uuid(1), config: buying('1') },
      successor: { id: uuid(2), config: buying('2') },
    });
    // What trades now is the present task: the completion shows the whole change.
    expect(changeOf(made, 'sniper/a').fields.map(({ path }) => path)).toEqual([
      ...['target_wallet', 'config.buy_amount'],
    ]);
  });

  test('interrupted after our own pause: it starts', () => {
    const made = planOf(MOVED, [PAUSED_BY_US, successor('@1')]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      actions: ['replace', 'finish'],
      starts_trading: true,
      stops_trading: false,
      held: false,
      exposure: { before: '0', after: costs('0.5') },
    });
    expect(changeOf(made, 'sniper/a').fields.map(({ path, after }) => [path, after])).toEqual([
      ['target_wallet', wallet(1)],
      ['state', 'active'],
    ]);
  });

  test('git now wants it paused: it stops, and does not count as held', () => {
    const made = planOf({ ...MOVED, state: 'paused' }, [PRESENT, successor('@1')]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      actions: ['replace', 'stop'],
      starts_trading: false,
      stops_trading: true,
      held: false,
      exposure: { before: costs('0.5'), after: '0' },
    });
    expect(changeOf(made, 'sniper/a').fields.at(-1)).toMatchObject({ path: 'state', after: 'paused' });
    expect(steps(made, 'sniper/a')).toEqual(['mark(pending)', 'pause', 'delete', 'patch(none)']);
  });

  test('both run: both are at stake', () => {
    const running = successor('@1', { is_active: true, version: 2, config: buying('2') });
    const made = planOf({ ...MOVED, config: buying('2') }, [PRESENT, running]);
    expect(made.exposure).toMatchObject({ before: '2.505', after: costs('2') });
    const released = planOf([], [PRESENT, running], { removals: [removal('sniper/a')] });
    expect(released.exposure).toMatchObject({ before: '2.505', after: '2.505' });
  });

  test('the new one already runs: only the present one is deleted', () => {
    const made = planOf({ ...MOVED, config: buying('2') }, [
      STOPPED,
      successor('@1', { is_active: true, version: 2, config: buying('2') }),
    ]);
    expect(steps(made, 'sniper/a')).toEqual(['delete']);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      starts_trading: false,
      stops_trading: false,
      held: false,
      exposure: { before: costs('2'), after: costs('2') },
    });
  });

  test('both are stopped for good: held, at no cost, and nothing is waited for', () => {
    const made = planOf(MOVED, [STOPPED, successor('@0')]);
    expect(steps(made, 'sniper/a')).toEqual(['delete']);
    expect(operationsOf(made, 'sniper/a')[0]).not.toHaveProperty('settle_ms');
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      actions: ['replace'],
      held: true,
      starts_trading: false,
      exposure: { before: '0', after: '0' },
    });
  });
});

test('a running new task that gets another config may buy again, like any other', () => {
  const copy = (over: JsonObject) => copyTradeConfig({ first_buy_only: true, ...over });
  const of = (minimum: string) =>
    planOf(
      {
        ...MOVED,
        collection: 'copy-trade',
        address: 'copy-trade/a',
        config: copy({ min_trade_amount: minimum }),
      },
      [
        { ...STOPPED, collection: 'copy-trade', config: copy({}) },
        successor('@1', {
          collection: 'copy-trade',
          config: copy({ min_trade_amount: '1' }),
          is_active: true,
          version: 3,
        }),
      ],
    ).diagnostics.map(({ code }) => code);
  expect(of('1')).toEqual([]);
  expect(of('2')).toEqual(['may-buy-again']);
});

describe('somebody stopped the present one: the new one must not start', () => {
  test.each([
    ['active, hold', {}, {}, 'patch(settled ~)'],
    ['manual', { state: 'manual' as const }, {}, 'patch(none ~)'],
  ])('%s', (_name, task, over, patch) => {
    const made = planOf({ ...MOVED, ...task }, [STOPPED, successor('@1')], over);
    expect(steps(made, 'sniper/a')).toEqual([patch, 'delete']);
    expect(changeOf(made, 'sniper/a').starts_trading).toBe(false);
  });

  test('a pause by the operator stays in effect, whatever stopped_tasks says', () => {
    const off = { ...STOPPED, remark: 'Note [git:core/a@!]' };
    const made = planOf(MOVED, [off, successor('@1')], { stoppedTasks: 'resume' });
    expect(steps(made, 'sniper/a')).toEqual(['patch(off ~)', 'delete']);
  });

  test('a config that changed in git reaches the held one, too', () => {
    const made = planOf({ ...MOVED, config: buying('2') }, [STOPPED, successor('@1')]);
    expect(operationsOf(made, 'sniper/a')[0]?.body).toMatchObject({ config: { buy_amount: '2' } });
    expect(changeOf(made, 'sniper/a').fields.map(({ path }) => path)).toContain('config.buy_amount');
  });
});

describe('the present one was stopped, and runs again', () => {
  test.each([
    ['created so', '@0', 1],
    ['made so by one patch', '@0', 2],
    ['created so under stopped_tasks: resume', '@!', 1],
  ])('%s: the new one takes its place running', (_name, armed, version) => {
    const made = planOf(MOVED, [PRESENT, successor(armed, { version })]);
    expect(steps(made, 'sniper/a')).toEqual([
      'patch(pending ~)',
      'mark(pending)',
      'pause',
      'delete',
      'resume',
    ]);
    expect(operationsOf(made, 'sniper/a').at(-1)?.subject).toBe(uuid(2));
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      held: false,
      starts_trading: false,
      stops_trading: false,
      exposure: { before: costs('0.5'), after: costs('0.5') },
    });
  });

  test.each([
    ['@0', 3],
    ['@!', 2],
  ])('what somebody may have stopped itself (%s at version %i) stays as it is', (armed, version) => {
    const made = planOf(MOVED, [PRESENT, successor(armed, { version })]);
    expect(steps(made, 'sniper/a')).not.toContain('resume');
    expect(changeOf(made, 'sniper/a')).toMatchObject({ held: true, stops_trading: true });
  });

  test('of a manual task that a person started during its replacement, the new one is started, and keeps no mark', () => {
    const made = planOf({ ...MOVED, state: 'manual' }, [
      { ...PRESENT, remark: 'Note [git:core/a]' },
      successor(''),
    ]);
    expect(steps(made, 'sniper/a')).toEqual([
      ...['patch(pending ~)', 'mark(pending)', 'pause', 'delete', 'resume', 'patch(none)'],
    ]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({ starts_trading: false, stops_trading: false });
  });

  test('git wants it paused: nothing is revived', () => {
    const made = planOf({ ...MOVED, state: 'paused' }, [PRESENT, successor('@0')]);
    expect(steps(made, 'sniper/a')).not.toContain('resume');
  });
});

describe('undone, because its target is no longer wanted', () => {
  const RUNNING = successor('@1', { is_active: true, version: 2 });

  test('the task that starts in its place waits until it is settled, whether it runs or was just paused', () => {
    const waits = (desired: DesiredTask, next: Partial<LiveTask>, over: Partial<LiveTask> = {}) =>
      operationsOf(
        planOf(desired, [
          { ...PAUSED_BY_US, updated_at: '2025-12-01T00:00:00Z', ...over },
          successor('@1', next),
        ]),
        'sniper/a',
      ).map(({ verb, settle_ms }) => (settle_ms === undefined ? verb : `${verb} with ${settle_ms} ms`));
    const running = { is_active: true, version: 2 };
    const third = desiredTask('a', { target_wallet: wallet(3) });
    expect(waits(third, running)).toEqual([
      ...['pause with 60000 ms', 'delete', 'create', 'delete with 60000 ms', 'resume'],
    ]);
    const paused = { version: 3 };
    expect(waits(third, paused)).toEqual([
      ...['delete with 60000 ms', 'create', 'delete with 60000 ms', 'resume'],
    ]);
    expect(waits(desiredTask('a'), running)).toEqual(['pause with 60000 ms', 'delete', 'resume']);
    expect(waits(desiredTask('a'), paused)).toEqual(['delete with 60000 ms', 'resume']);
    // It never ran, or nothing starts.
    expect(waits(third, {})).toEqual(['delete', 'create', 'delete with 60000 ms', 'resume']);
    expect(waits({ ...third, state: 'paused' }, paused)).toEqual(['delete', 'create', 'delete']);
  });

  test('a new one that runs is paused first', () => {
    const made = planOf(desiredTask('a'), [PRESENT, successor('@1', { is_active: true, version: 2 })], {
      settle: { update: 5_000, replace: 60_000 },
    });
    expect(
      operationsOf(made, 'sniper/a').map(({ verb, subject, settle_ms }) => [verb, subject, settle_ms]),
    ).toEqual([
      ['pause', uuid(2), 5_000],
      ['delete', uuid(2), undefined],
    ]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      action: 'replace',
      actions: ['replace'],
      reason: 'replacement-in-progress',
      exposure: { before: '1.005', after: costs('0.5') },
      starts_trading: false,
      stops_trading: false,
      held: false,
      fields: [],
      former: { id: uuid(1), config: PRESENT.config },
      successor: { id: uuid(2) },
    });
    expect(made.diagnostics).toEqual([]);
  });

  test.each<[string, LiveTask[], string]>([
    ['the new one, which is deleted,', [{ ...STOPPED, remark: 'Note [git:core/a]' }, RUNNING], '0.5025'],
    ['both', [PRESENT, RUNNING], '1.005'],
  ])(
    'git wants it paused: of a pair of which %s runs, the plan says that it stops',
    (_which, pair, before) => {
      const made = planOf(desiredTask('a', { state: 'paused' }), pair);
      expect(changeOf(made, 'sniper/a')).toMatchObject({
        actions: ['replace', 'stop'],
        stops_trading: true,
        exposure: { before, after: '0' },
        fields: [{ path: 'state', before: 'active', after: 'paused' }],
      });
      expect(made.exposure).toMatchObject({ before, after: '0', running_after: 0 });
    },
  );

  test('and the present one continues as in git now', () => {
    const made = planOf(desiredTask('a', { config: buying('2') }), [PRESENT, successor('@1')]);
    expect(steps(made, 'sniper/a')).toEqual(['delete', 'mark(pending)', 'pause', 'patch(pending)', 'resume']);
    expect(changeOf(made, 'sniper/a').actions).toEqual(['replace', 'update']);
    const paused = planOf(desiredTask('a', { state: 'paused' }), [STOPPED, successor('@1')]);
    expect(changeOf(paused, 'sniper/a').exposure).toEqual({ before: '0', after: '0' });
  });

  test('a third target: the place of the deleted task is enough for the next one', () => {
    const third = desiredTask('a', { target_wallet: wallet(2) });
    expect(steps(planOf(third, [PRESENT, successor('@1')], {}, 0), 'sniper/a')).toEqual([
      'delete',
      'create(pending ~)',
      'mark(pending)',
      'pause',
      'delete',
      'resume',
    ]);
  });
});

describe('copy-trade targets', () => {
  const copy = (name: string, target: number) =>
    desiredTask(name, { collection: 'copy-trade', target_wallet: wallet(target), note: name });
  const live = (index: number, remark: string, target: number, over: Partial<LiveTask> = {}) =>
    liveTask(index, { collection: 'copy-trade', remark, target_wallet: wallet(target), ...over });
  const pair = [
    live(1, 'a [git:core/a@1]', 0),
    live(2, `a [git:core/a@1~${replacesTag(uuid(1))}]`, 1, { version: 1, is_active: false }),
  ];
  const created = (plan: Plan) => operationsOf(plan, 'copy-trade/b').find(({ verb }) => verb === 'create');

  test('the target that a completed replacement frees goes to the change that waits for it', () => {
    const made = planOf([copy('a', 1), copy('b', 0)], pair);
    expect(steps(made, 'copy-trade/a')).toEqual(['mark(pending)', 'pause', 'delete', 'resume']);
    expect(created(made)?.needs).toEqual(['copy-trade/a#3']);
  });

  test('so does the target of an undone replacement', () => {
    const made = planOf([copy('a', 0), copy('b', 1)], pair);
    expect(steps(made, 'copy-trade/a')).toEqual(['delete']);
    expect(created(made)?.needs).toEqual(['copy-trade/a#1']);
  });

  test('and of one that is undone for a third target, both', () => {
    const both = [copy('a', 2), copy('b', 1), copy('c', 0)];
    const made = planOf(both, pair);
    const [first, second] = operationsOf(made, 'copy-trade/a').flatMap(({ id, verb }) =>
      verb === 'delete' ? [id] : [],
    );
    expect(created(made)?.needs).toEqual([first]);
    expect(operationsOf(made, 'copy-trade/c')[0]?.needs).toEqual([second]);
  });

  test('two that wait for each other, and none may delete first: nothing of the one that is undone is done', () => {
    const held = live(1, 'a [git:core/a@1]', 0, { is_active: false });
    const runs = { ...live(2, `a [git:core/a@1~${replacesTag(uuid(1))}]`, 1), version: 2 };
    const other = live(3, 'b [git:core/b@1]', 2, { is_active: false });
    const made = planOf([copy('a', 2), copy('b', 0)], [held, runs, other]);
    expect(made.operations).toEqual([]);
    const { before } = changeOf(made, 'copy-trade/a').exposure;
    expect(Number(before)).toBeGreaterThan(0);
    expect(made.exposure).toMatchObject({ before, after: before, running_after: 1 });
    expect(changeOf(made, 'copy-trade/a')).toMatchObject({
      ...{ action: 'none', reason: 'no-room', held: true, exposure: { after: before } },
      ...{ stops_trading: false, successor: { id: uuid(2) } },
    });
    expect(changeOf(made, 'copy-trade/b').blocked?.text).toMatch(/copy-trade\/a has to give it up first\.$/);
  });

  test('two that wait for each other while one is undone: the undone one deletes first', () => {
    const other = live(3, 'b [git:core/b@1]', 2);
    const made = planOf([copy('a', 2), copy('b', 0)], [...pair, other]);
    expect(steps(made, 'copy-trade/a')).toEqual([
      'delete',
      'mark(pending)',
      'pause',
      'delete',
      'create(pending)',
      'resume',
    ]);
    expect(steps(made, 'copy-trade/b')[0]).toBe('create(pending ~)');
    expect(changeOf(made, 'copy-trade/a')).toMatchObject({
      reason: 'replacement-in-progress',
      successor: { id: uuid(2) },
    });
  });
});
