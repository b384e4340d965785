import { describe, expect, test } from 'vitest';
import type { DesiredState, DesiredTask } from '../../../src/core/desired/state.ts';
import type { JsonObject } from '../../../src/core/model/json.ts';
import { liveNoteRoom } from '../../../src/core/model/marker.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import type { PlanOptions } from '../../../src/core/plan/input.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
  copyTradeConfig,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  sniperConfig,
  uuid,
} from '../../support/builders.ts';
import { changeOf, operationsOf, steps } from '../../support/plans.ts';

/** One owned task that keeps its target. */
function planOf(
  desired: Partial<DesiredTask>,
  live: Partial<LiveTask>,
  over: Partial<DesiredState> = {},
  options: Partial<PlanOptions> = {},
) {
  const task = liveTask(1, { remark: 'Note [git:core/a@1]', ...live });
  return makePlan(planInput(desiredState([desiredTask('a', desired)], [], over), liveState([task]), options));
}

const STANDS = { is_active: false };
const legacy = { ...sniperConfig(), old_field: true };
const configs = (plan: ReturnType<typeof planOf>) =>
  operationsOf(plan, 'sniper/a').map(({ body, body_if_refused: other }) =>
    other !== undefined && 'config' in other ? 'if-refused' : body !== null && 'config' in body,
  );

describe('a task that was stopped', () => {
  const RESUME = { stoppedTasks: 'resume' } as const;
  const asked = { resumeStopped: ['sniper/*'] } as const;

  test.each<
    [string, Partial<DesiredTask>, Partial<LiveTask>, Partial<DesiredState>, Partial<PlanOptions>, string]
  >([
    ['as ever', {}, {}, {}, {}, 'stopped-outside'],
    ['under stopped_tasks: resume', {}, {}, RESUME, {}, 'starts'],
    [
      'under stopped_tasks: resume, where it buys once',
      { config: sniperConfig({ buy_once: true }) },
      { config: sniperConfig({ buy_once: true }) },
      RESUME,
      {},
      'stopped-outside',
    ],
    [
      'likewise, where git alone says so',
      { config: sniperConfig({ buy_once: true }) },
      {},
      RESUME,
      {},
      'stopped-outside',
    ],
    [
      'likewise, where the service alone says so',
      {},
      { config: sniperConfig({ buy_once: true }) },
      RESUME,
      {},
      'stopped-outside',
    ],
    ['by the operator', {}, { remark: 'Note [git:core/a@!]' }, {}, {}, 'switched-off'],
    ['by the operator, under resume', {}, { remark: 'Note [git:core/a@!]' }, RESUME, {}, 'switched-off'],
    ['before the operator came', {}, { remark: 'Note [git:core/a@0!]' }, RESUME, {}, 'kept-off'],
    ['and is held by an apply', {}, { remark: 'Note [git:core/a@-]' }, RESUME, {}, 'stopped-outside'],
    ['and is asked for', {}, {}, {}, asked, 'starts'],
    ['by the operator, and is asked for', {}, { remark: 'Note [git:core/a@!]' }, {}, asked, 'starts'],
  ])('%s', (_how, desired, live, over, options, expected) => {
    const plan = planOf(desired, { ...STANDS, ...live }, over, options);
    const change = changeOf(plan, 'sniper/a');
    expect(change.starts_trading).toBe(expected === 'starts');
    expect(change.held).toBe(expected !== 'starts');
    if (expected !== 'starts') expect(change.reason).toBe(expected);
    expect(steps(plan, 'sniper/a').includes('resume')).toBe(expected === 'starts');
  });

  test('and stays held has no exposure, does nothing, and reports no change', () => {
    const plan = planOf({}, STANDS);
    expect(plan.changes).toMatchObject([
      {
        action: 'none',
        actions: ['none'],
        reason: 'stopped-outside',
        held: true,
        stops_trading: false,
        exposure: { before: '0', after: '0' },
        fields: [],
        operations: [],
      },
    ]);
  });

  test('with a mark ahead of it: the mark is settled, before edits of others reach it', () => {
    const marked = (armed: number) =>
      steps(planOf({}, { ...STANDS, remark: `Note [git:core/a@${armed}]` }), 'sniper/a');
    expect(marked(4)).toEqual([]);
    expect(marked(5)).toEqual(['resume']);
    expect(marked(6)).toEqual(['patch(settled)']);
  });
});

test.each<[string, Partial<DesiredTask>, Partial<LiveTask>, readonly string[], string | undefined]>([
  ['a start that git asks for', {}, { ...STANDS, remark: 'Note [git:core/a]' }, ['start'], 'start-asked'],
  ['a start by a new rearm', { rearm: 'b' }, STANDS, ['start'], 'rearmed'],
  ['an interrupted start', {}, { ...STANDS, remark: 'Note [git:core/a@5]' }, ['finish'], 'interrupted'],
  ['a stop', { state: 'paused' }, {}, ['stop'], 'git-wants-paused'],
  ['a stop with a new note', { state: 'paused', note: 'New' }, {}, ['stop', 'update'], 'git-wants-paused'],
  ['a note', { note: 'New' }, {}, ['update'], 'differs'],
  ['a mark that is out of date', {}, { remark: 'Note [git:core/a]' }, ['update'], 'mark-out-of-date'],
  ['paused, with a mark', { state: 'paused' }, STANDS, ['update'], 'mark-out-of-date'],
  ['paused, without one', { state: 'paused' }, { ...STANDS, remark: 'Note [git:core/a]' }, [], undefined],
  ['manual, with a mark', { state: 'manual' }, {}, ['update'], 'mark-out-of-date'],
  ['manual, without one', { state: 'manual' }, { remark: 'Note [git:core/a]' }, [], undefined],
  [
    'manual and paused, without one',
    { state: 'manual' },
    { ...STANDS, remark: 'Note [git:core/a]' },
    [],
    undefined,
  ],
])('%s: the actions and the reason', (_what, desired, live, actions, reason) => {
  const plan = planOf(desired, live);
  expect(plan.changes.flatMap((change) => change.actions)).toEqual(actions);
  expect(plan.changes[0]?.reason).toBe(reason);
  expect(plan.operations.length > 0).toBe(actions.length > 0);
});

describe('a legacy config', () => {
  test.each<
    [string, Partial<DesiredTask>, Partial<LiveTask>, readonly string[], readonly (boolean | string)[]]
  >([
    ['runs, and gets a note', { note: 'New' }, {}, ['patch(settled)'], [false]],
    ['runs by hand, and gets a note', { state: 'manual', note: 'New' }, {}, ['patch(none)'], [false]],
    [
      'stands by hand, and gets a note',
      { state: 'manual', note: 'New' },
      STANDS,
      ['patch(none)'],
      ['if-refused'],
    ],
    [
      'stands by git, and gets a note',
      { state: 'paused', note: 'New' },
      STANDS,
      ['patch(none)'],
      ['if-refused'],
    ],
    ['is stopped', { state: 'paused' }, {}, ['pause', 'patch(none)'], [false, 'if-refused']],
    [
      'is started',
      {},
      { ...STANDS, remark: 'Note [git:core/a]' },
      ['patch(pending)', 'resume'],
      [true, false],
    ],
    [
      'an interrupted apply left paused',
      {},
      { ...STANDS, remark: 'Note [git:core/a@5]' },
      ['patch(pending)', 'resume'],
      [true, false],
    ],
    ['is held, and gets a note', { note: 'New' }, STANDS, ['patch(settled)'], ['if-refused']],
  ])('that %s', (_how, desired, live, expected, withConfig) => {
    const plan = planOf(desired, { config: legacy, ...live });
    expect(steps(plan, 'sniper/a')).toEqual(expected);
    expect(configs(plan)).toEqual(withConfig);
    expect(plan.diagnostics.filter(({ message }) => /once paused/.test(message))).toEqual([]);
  });

  test('that is paused for a new config warns that there is no way back', () => {
    const plan = planOf({ config: sniperConfig({ buy_amount: '2' }) }, { config: legacy });
    expect(plan.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'one-way-pause', severity: 'warning', address: 'sniper/a' }),
    );
  });
});

describe('tasks that may buy again', () => {
  const codes = (live: JsonObject, desired: JsonObject) =>
    planOf(
      { collection: 'copy-trade', config: copyTradeConfig(desired) },
      { collection: 'copy-trade', config: copyTradeConfig(live) },
    ).diagnostics.map(({ code }) => code);

  test.each(['buy_token_once', 'first_buy_only'])(
    'what remembers by %s, once its config is written',
    (key) => {
      const changed = { min_trade_amount: '2' };
      expect(codes({ [key]: true }, { [key]: true, ...changed })).toEqual(['may-buy-again']);
      expect(codes({ [key]: false }, { [key]: false, ...changed })).toEqual([]);
      expect(codes({ [key]: true }, { [key]: true })).toEqual([]);
    },
  );
});

describe('a live note that ignore_changes keeps', () => {
  const room = liveNoteRoom('core', { name: 'a' }, liveTask(1, { remark: 'n [git:core/a@1]' }));
  const keeps = (length: number, over: Partial<DesiredTask> = {}, live: Partial<LiveTask> = {}) =>
    planOf(
      { ignoreChanges: ['remark'], ...over },
      { remark: `${'n'.repeat(length)} [git:core/a@1]`, ...live },
    );
  const changed = { config: sniperConfig({ buy_amount: '2' }) };

  test('may fill the room exactly', () => {
    expect(steps(keeps(room, changed), 'sniper/a')).toEqual([
      'mark(pending)',
      'pause',
      'patch(pending)',
      'resume',
    ]);
    const { blocked, exposure, starts_trading: starts } = changeOf(keeps(room + 1, changed), 'sniper/a');
    expect(blocked?.ids).toEqual([uuid(1)]);
    expect(exposure).toEqual({ before: '0.5025', after: '0.5025' });
    expect(starts).toBe(false);
  });

  test('blocks nothing if nothing is written', () => {
    expect(keeps(room + 1).changes).toEqual([]);
    expect(changeOf(keeps(room + 1, {}, STANDS), 'sniper/a')).toMatchObject({ held: true, blocked: null });
  });
});
