import { describe, expect, test } from 'vitest';
import type { DesiredState } from '../../src/core/desired/state.ts';
import { age, statusView } from '../../src/core/documents/status.ts';
import { filterRows, type StatusFilter, statusRows } from '../../src/core/features/status/pure/rows.ts';
import type { StatusReport, StatusRow } from '../../src/core/model/generated/status.ts';
import type { LiveTask } from '../../src/core/model/resource.ts';
import { makePlan } from '../../src/core/plan/plan.ts';
import { cells } from '../../src/core/render/layout.ts';
import { viewText } from '../../src/core/render/text-layout.ts';
import {
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';

function rowsOf(desired: DesiredState, tasks: readonly LiveTask[]): readonly StatusRow[] {
  const live = liveState(tasks);
  const plan = makePlan(planInput(desired, live));
  return statusRows(plan, live, desired);
}

/** One task of ours that git wants so and that is so. */
function row(
  mark: string,
  over: Partial<LiveTask> = {},
  want: Parameters<typeof desiredTask>[1] = {},
): Partial<StatusRow> | undefined {
  const live = liveTask(1, { remark: `Note [git:core/a${mark}]`, ...over });
  return rowsOf(desiredState([desiredTask('a', want)]), [live])[0];
}

describe('the words about a task are those of the plan', () => {
  const OFF = { is_active: false };
  const ONCE = sniperConfig({ buy_once: true });
  test.each([
    ['runs as wanted', row('@0'), { state: 'ok', live: 'running', desired: 'active', actions: [], text: '' }],
    [
      'paused as wanted',
      row('', OFF, { state: 'paused' }),
      { state: 'ok', live: 'paused', desired: 'paused' },
    ],
    ['held by the switch', row('@!', OFF), { state: 'held', text: expect.stringMatching(/^Off since/) }],
    ['held by a person', row('@0', OFF), { state: 'held', text: expect.stringContaining('a person') }],
    [
      'held, perhaps fired',
      row('@0', { ...OFF, config: ONCE }, { config: ONCE }),
      { state: 'held', text: expect.stringContaining('buy_once') },
    ],
    [
      'held and to be edited',
      row('@0', OFF, { note: 'Other' }),
      { state: 'held', text: expect.stringContaining('An apply would still do: update') },
    ],
    [
      'pending',
      row('@5', OFF),
      { state: 'pending', actions: ['finish'], text: expect.stringContaining('interrupted') },
    ],
    ['asked for', row('', OFF), { state: 'differs', actions: ['start'] }],
    [
      'runs against git',
      row('', {}, { state: 'paused' }),
      { state: 'differs', desired: 'paused', live: 'running', actions: ['stop'] },
    ],
    [
      'another config',
      row('@0', {}, { config: sniperConfig({ buy_amount: '3' }) }),
      { state: 'differs', actions: ['update'], text: 'update: amount 0.5 → 3 SOL ×6' },
    ],
  ])('%s', (_name, found, expected) => {
    expect(found).toMatchObject({
      address: 'sniper/a',
      id: uuid(1),
      owner: 'owned',
      exposure: '0.5025',
      ...expected,
    });
  });

  test('missing, in no manifest, kept, cloned, unmanaged, foreign, damaged', () => {
    const live = [
      liveTask(2, { remark: 'Note [git:core/gone@0]', target_wallet: wallet(2) }),
      liveTask(3, { remark: 'Note [git:core/twin@0]', target_wallet: wallet(3) }),
      liveTask(4, { remark: 'Note [git:core/twin@0]', target_wallet: wallet(3) }),
      liveTask(5, { remark: 'Mine', target_wallet: wallet(4) }),
      liveTask(6, { remark: 'Theirs [git:desk/x@0]', target_wallet: wallet(4) }),
      liveTask(7, { remark: 'Hm [git:core/x', target_wallet: wallet(4), is_active: false }),
      liveTask(8, { remark: 'copy [git:old]', target_wallet: wallet(4), is_active: false }),
    ];
    const wanted = [
      desiredTask('new', { target_wallet: wallet(1) }),
      desiredTask('twin', { target_wallet: wallet(3) }),
    ];
    const told = (over: Partial<DesiredState>) =>
      rowsOf(desiredState(wanted, [], over), live).map(({ address, owner, desired, live: is, state }) =>
        [address, owner, desired, is, state].join(' '),
      );
    expect(told({})).toEqual([
      ' unmanaged none running left-alone',
      'sniper/twin owned active running blocked',
      'sniper/twin owned active running blocked',
      'sniper/gone owned none running differs',
      'sniper/new none active missing differs',
      ' foreign none running left-alone',
      ' damaged none paused left-alone',
      ' unmanaged none paused left-alone',
    ]);
    expect(told({ pruneTasks: 'never' })).toContain('sniper/gone owned none running kept');
  });

  test('a replacement in progress: both tasks belong to the address', () => {
    const live = [
      liveTask(1, { remark: 'Note [git:core/a@0]', created_at: '2026-01-01T00:00:00Z' }),
      liveTask(2, {
        remark: 'Note [git:core/a@1~0001]',
        version: 1,
        is_active: false,
        target_wallet: wallet(2),
        created_at: '2026-01-02T00:00:00Z',
      }),
    ];
    const rows = rowsOf(desiredState([desiredTask('a', { target_wallet: wallet(2) })]), live);
    expect(rows.map(({ address, state, actions }) => [address, state, actions[0]])).toEqual([
      ['sniper/a', 'differs', 'replace'],
      ['sniper/a', 'differs', 'replace'],
    ]);
  });

  test('every live task is in exactly one row, and every change of a task is in a row', () => {
    const live = Array.from({ length: 12 }, (_, index) =>
      liveTask(index + 1, {
        remark: index % 3 === 0 ? 'Mine' : `Note [git:core/t${index}@${index % 7}]`,
        is_active: index % 2 === 0,
        target_wallet: wallet(index),
      }),
    );
    const desired = desiredState(
      [1, 2, 4, 5, 13].map((index) =>
        desiredTask(`t${index}`, { target_wallet: wallet(index), note: index === 4 ? 'Other' : 'Note' }),
      ),
    );
    const state = liveState(live);
    const plan = makePlan(planInput(desired, state));
    const rows = statusRows(plan, state, desired);
    expect(rows.flatMap(({ id }) => id ?? []).sort()).toEqual(live.map(({ id }) => id).sort());
    for (const change of plan.changes) {
      const told = rows.find(({ address }) => address === change.address);
      const state_ =
        change.blocked !== null
          ? 'blocked'
          : change.actions.includes('finish')
            ? 'pending'
            : change.held
              ? 'held'
              : 'differs';
      expect(told?.state, change.address).toBe(state_);
    }
  });
});

test('filters combine', () => {
  const rows = rowsOf(
    desiredState([
      desiredTask('a'),
      desiredTask('b', { collection: 'copy-trade', target_wallet: wallet(3) }),
    ]),
    [
      liveTask(1, { remark: 'Note [git:core/a@0]', is_active: false }),
      liveTask(2, { remark: 'Mine', target_wallet: wallet(4) }),
    ],
  );
  const ids = (filter: StatusFilter) =>
    filterRows(rows, filter).map(({ address, id }) => address ?? id?.slice(0, 4));
  expect(ids({})).toEqual(['0002', 'sniper/a', 'copy-trade/b']);
  expect(ids({ running: true })).toEqual(['0002']);
  expect(ids({ paused: true })).toEqual(['sniper/a']);
  expect(ids({ held: true })).toEqual(['sniper/a']);
  expect(ids({ differs: true })).toEqual(['copy-trade/b']);
  expect(ids({ unmanaged: true })).toEqual(['0002']);
  expect(ids({ unmanaged: true, paused: true })).toEqual([]);
  expect(ids({ kind: ['copy-trade'] })).toEqual(['copy-trade/b']);
  expect(ids({ label: ['x'] })).toEqual([]);
});

describe('the table', () => {
  const long = 'a-name-of-28-characters-long';
  const rows = rowsOf(desiredState([desiredTask(long, { collection: 'transfer-snipe' }), desiredTask('b')]), [
    liveTask(1, { collection: 'transfer-snipe', remark: `Note [git:core/${long}@!]`, is_active: false }),
    liveTask(2, {
      remark: 'Evil \u001b[31m\u202e [git:desk/x@0]',
      target_wallet: wallet(4),
      risk_label_id: uuid(0x41),
    }),
    liveTask(3, { remark: 'Mine', target_wallet: wallet(5) }),
  ]).map((one) => ({
    ...one,
    ...(one.id === uuid(2) ? { label: 'A label that is rather long for a table' } : {}),
  }));
  const report: StatusReport = {
    format: 'tradeform.status/1',
    tool: { name: 'tradeform', version: '0.0.0' },
    created_at: '2026-01-03T02:00:00Z',
    project: 'core',
    environment: 'production',
    service: {
      base_url: 'http://127.0.0.1:1/v1',
      token_prefix: 'svc_live_00000000',
      login_username: 'whales',
    },
    complete: true,
    summary: {
      tasks: rows.length + 2,
      running: 2,
      paused: 1,
      missing: 1,
      held: 1,
      pending: 0,
      blocked: 0,
      differs: 1,
      adopted: 0,
    },
    exposure: '0',
    outside: [{ project: null, tasks: 1, sol: '0.2', unreadable: 0 }],
    uncounted: [],
    tasks: [...rows],
    diagnostics: [],
  };

  test.each([80, 100, 60, 200])(
    'fits %i columns, cuts no name, and shows nothing that is active',
    (columns) => {
      const text = viewText(statusView(report), { columns, color: false });
      for (const line of text.split('\n')) expect(cells(line), line).toBeLessThanOrEqual(columns);
      expect(text).toContain(`transfer-snipe/${long}`);
      expect(text).toContain(uuid(2));
      expect(text).not.toMatch(/[\u001b\u202e]/);
      expect(text).toMatch(/2d/);
    },
  );

  test('a reason that tasks one below the other share is told once, after the last', () => {
    const row = (name: string, text: string): StatusRow => ({
      ...(rows[0] as StatusRow),
      address: `sniper/${name}`,
      owner: 'owned',
      state: text === '' ? 'ok' : 'held',
      text,
    });
    const tasks = [
      row('a', 'Stopped.'),
      row('b', 'Stopped.'),
      row('c', 'Fired.'),
      row('d', ''),
      row('e', ''),
    ];
    const text = viewText(statusView({ ...report, tasks }), { columns: 100, color: false });
    const lines = text.split('\n').map((line) => line.replace(/^(sniper\/.).*/, '$1'));
    expect(lines.slice(lines.indexOf('sniper/a'))).toEqual([
      'sniper/a',
      'sniper/b',
      '    These 2: Stopped.',
      'sniper/c',
      '    Fired.',
      'sniper/d',
      'sniper/e',
      '',
    ]);
  });

  test('what runs without git comes first', () => {
    const text = viewText(statusView(report), { columns: 100, color: false });
    expect(text).toContain('(1 outside git), ');
    expect(text.indexOf(uuid(3))).toBeLessThan(text.indexOf(long));
    expect(text).toContain('2 not shown: they do not pass the filter.');
  });

  test('ages', () => {
    expect([0, 59_000, 61_000, 7_200_000, 100_000_000, -5, Number.NaN].map(age)).toEqual([
      '0s',
      '59s',
      '1m',
      '2h',
      '1d',
      '0s',
      '?',
    ]);
  });
});
