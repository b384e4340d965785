import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import {
  copyTradeConfig,
  desiredLabel,
  desiredState,
  desiredTask,
  liveTask,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { changeOf, operationsOf, planWithRoom, steps } from '../../support/plans.ts';

/** What the plan says of a task whose target wallet changed, beside the order of its operations. */

const MOVED = desiredTask('a', { target_wallet: wallet(1) });
const PRESENT = liveTask(1, { remark: 'Note [git:core/a@1]' });
const PAUSED = { ...PRESENT, is_active: false };

function planOf(desired: DesiredTask, live: LiveTask, remaining = 10): Plan {
  return planWithRoom(desiredState([desired]), [live], remaining);
}

describe('starts and stops', () => {
  test.each<[string, Partial<DesiredTask>, LiveTask, object, readonly string[]]>([
    ['it runs and goes on running', {}, PRESENT, { actions: ['replace'] }, ['target_wallet']],
    [
      'it runs, and git wants it paused',
      { state: 'paused' },
      PRESENT,
      { actions: ['replace', 'stop'], stops_trading: true, exposure: { before: '0.5025', after: '0' } },
      ['target_wallet', 'state'],
    ],
    [
      'it is paused, and a start is asked anew',
      { rearm: 'b' },
      PAUSED,
      { actions: ['replace', 'start'], starts_trading: true, exposure: { before: '0', after: '0.5025' } },
      ['target_wallet', 'state'],
    ],
    [
      'it is paused by our own interrupted update',
      {},
      { ...PAUSED, remark: 'Note [git:core/a@5]' },
      { actions: ['replace', 'finish'], starts_trading: true },
      ['target_wallet', 'state'],
    ],
    [
      'it is paused as git wants it',
      { state: 'paused' },
      PAUSED,
      { actions: ['replace'], exposure: { before: '0', after: '0' } },
      ['target_wallet'],
    ],
  ])('%s', (_name, over, live, says, fields) => {
    const change = changeOf(planOf({ ...MOVED, ...over }, live), 'sniper/a');
    const quiet = { starts_trading: false, stops_trading: false, held: false, previous_address: null };
    expect(change).toMatchObject({ ...quiet, ...says });
    expect(change.fields.map(({ path }) => path)).toEqual(fields);
  });

  test('the plan contains the complete replaced task, so that it can be restored', () => {
    const present = { ...PRESENT, remark: 'Note [git:core/a@1.k3Xq00A2]' };
    expect(changeOf(planOf(MOVED, present), 'sniper/a').former).toEqual(present);
  });
});

test('a manual switch stays as it was: running, and finally without a mark', () => {
  const manual = { ...MOVED, state: 'manual' as const };
  const running = planOf(manual, { ...PRESENT, remark: 'Note [git:core/a]' });
  expect(steps(running, 'sniper/a')).toEqual([
    'create(pending ~)',
    'mark(pending)',
    'pause',
    'delete',
    'resume',
    'patch(none)',
  ]);
  expect(steps(planOf(manual, { ...PAUSED, remark: 'Note [git:core/a]' }), 'sniper/a')).toEqual([
    'create(none ~)',
    'delete',
  ]);
});

test('a new name is a rename as well, and nothing else is deleted', () => {
  const made = planOf({ ...MOVED, previousName: 'was' }, { ...PRESENT, remark: 'Note [git:core/was@1]' });
  expect(changeOf(made, 'sniper/a')).toMatchObject({
    actions: ['replace', 'rename'],
    previous_address: 'sniper/was',
    replaces_id: uuid(1),
  });
  expect(made.changes).toHaveLength(1);
  expect(changeOf(planOf(MOVED, PRESENT), 'sniper/a').previous_address).toBeNull();
});

test('it waits for a label that the plan creates', () => {
  const desired = desiredState([{ ...MOVED, label: 'high' }], [desiredLabel('high')]);
  const made = planWithRoom(desired, [PRESENT]);
  expect(operationsOf(made, 'sniper/a')[0]).toMatchObject({ verb: 'create', needs: ['label/high#1'] });
});

describe('warnings', () => {
  const codes = (desired: DesiredTask, live: LiveTask) =>
    planOf(desired, live).diagnostics.map(({ code }) => code);

  test('a new task does not know what the replaced one bought', () => {
    const config = copyTradeConfig({ buy_token_once: true });
    const copy = desiredTask('a', { collection: 'copy-trade', target_wallet: wallet(1), config });
    const live = liveTask(1, { collection: 'copy-trade', remark: 'Note [git:core/a@1]', config });
    expect(codes(copy, live)).toContain('may-buy-again');
    expect(codes(MOVED, PRESENT)).not.toContain('may-buy-again');
  });

  test('the deletion of a running task is told, of a paused one not', () => {
    expect(codes(MOVED, PRESENT)).toEqual(['delete-running']);
    expect(codes(MOVED, PAUSED)).toEqual([]);
  });

  test('a legacy config is a one-way pause only if the task runs', () => {
    const legacy = { config: sniperConfig({ old_field: true }) };
    expect(codes(MOVED, { ...PRESENT, ...legacy })).toContain('one-way-pause');
    expect(codes(MOVED, { ...PAUSED, ...legacy })).not.toContain('one-way-pause');
  });
});

test('a held task without room is blocked by its own id', () => {
  expect(changeOf(planOf(MOVED, PAUSED, 0), 'sniper/a')).toMatchObject({
    held: true,
    blocked: {
      ids: [uuid(1)],
      text: expect.stringContaining('deleting it first would lose that information'),
    },
  });
});
