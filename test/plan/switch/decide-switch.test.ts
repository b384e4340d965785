import { describe, expect, test } from 'vitest';
import type { Off } from '../../../src/core/model/armed.ts';
import { decideSwitch, runsAfter, type SwitchInput } from '../../../src/core/plan/switch/decide-switch.ts';

const SWITCHED: Off = 'off';
const KEPT: Off = 'kept-off';
const HELD: Off = 'held';

const BASE: SwitchInput = {
  state: 'active',
  active: true,
  version: 5,
  armed: 0,
  rearmed: false,
  adopted: false,
  buyOnce: false,
  resume: 'no',
};

/** The table of DESIGN 3, a line a row: input that differs from BASE, and the expected decision. */
const ROWS: readonly [string, Partial<SwitchInput>, object][] = [
  ['active, runs, m < v', { armed: 4 }, { type: 'run', markSettled: false }],
  ['active, runs, @0', { armed: 0 }, { type: 'run', markSettled: false }],
  [
    'active, runs, @!: a person switched it on again',
    { armed: SWITCHED },
    { type: 'run', markSettled: true },
  ],
  ['active, runs, @0!', { armed: KEPT }, { type: 'run', markSettled: true }],
  ['active, runs, @-', { armed: HELD }, { type: 'run', markSettled: true }],
  ['active, runs, no mark', { armed: undefined }, { type: 'run', markSettled: true }],
  ['active, runs, m = v', { armed: 5 }, { type: 'run', markSettled: true }],
  ['active, runs, m > v', { armed: 6 }, { type: 'run', markSettled: true }],
  ['active, runs, rearm differs', { rearmed: true }, { type: 'run', markSettled: true }],
  ['active, paused, no mark', { active: false, armed: undefined }, { type: 'start', reason: 'start-asked' }],
  ['active, paused, new rearm', { active: false, rearmed: true }, { type: 'start', reason: 'rearmed' }],
  [
    'active, paused, new rearm on @!',
    { active: false, armed: SWITCHED, rearmed: true },
    { type: 'start', reason: 'rearmed' },
  ],
  ['active, paused, rearm removed: no new ask', { active: false }, { type: 'held', mark: 'settled' }],
  ['active, paused, m = v', { active: false, armed: 5 }, { type: 'finish' }],
  ['active, paused, m = v, buy_once', { active: false, armed: 5, buyOnce: true }, { type: 'finish' }],
  [
    'active, paused, m = v, new rearm',
    { active: false, armed: 5, rearmed: true },
    { type: 'start', reason: 'rearmed' },
  ],
  ['active, paused, m < v', { active: false, armed: 4 }, { type: 'held', mark: 'settled' }],
  ['active, paused, m > v', { active: false, armed: 6 }, { type: 'held', mark: 'settled' }],
  ['active, paused, @0', { active: false, armed: 0 }, { type: 'held', mark: 'settled' }],
  ['active, paused, @0!', { active: false, armed: KEPT }, { type: 'held', mark: KEPT }],
  [
    'active, paused, @0!, stopped_tasks: resume',
    { active: false, armed: KEPT, resume: 'configured' },
    { type: 'held', mark: KEPT },
  ],
  [
    'active, paused, @-, stopped_tasks: resume',
    { active: false, armed: HELD, resume: 'configured' },
    { type: 'held', mark: HELD },
  ],
  ['active, paused, @- and hold', { active: false, armed: HELD }, { type: 'held', mark: HELD }],
  [
    'active, paused, @0!, asked by option',
    { active: false, armed: KEPT, resume: 'asked' },
    { type: 'start', reason: 'resume-asked' },
  ],
  ['active, paused, @!', { active: false, armed: SWITCHED }, { type: 'held', mark: SWITCHED }],
  ['held, asked by option', { active: false, resume: 'asked' }, { type: 'start', reason: 'resume-asked' }],
  [
    'held, asked by option, buy_once',
    { active: false, resume: 'asked', buyOnce: true },
    { type: 'start', reason: 'resume-asked' },
  ],
  [
    'held, asked by option, @!',
    { active: false, armed: SWITCHED, resume: 'asked' },
    { type: 'start', reason: 'resume-asked' },
  ],
  [
    'held, stopped_tasks: resume',
    { active: false, resume: 'configured' },
    { type: 'start', reason: 'stopped-tasks-resume' },
  ],
  [
    'held, stopped_tasks: resume, buy_once: nothing of the switch',
    { active: false, resume: 'configured', buyOnce: true },
    { type: 'held', mark: HELD },
  ],
  [
    'held, stopped_tasks: resume, @!',
    { active: false, armed: SWITCHED, resume: 'configured' },
    { type: 'held', mark: SWITCHED },
  ],
  ['adopted, runs', { adopted: true, armed: undefined }, { type: 'run', markSettled: true }],
  [
    'adopted, paused: never started',
    { adopted: true, armed: undefined, active: false },
    { type: 'held', mark: 'settled' },
  ],
  [
    'adopted, paused: not even when asked',
    { adopted: true, armed: undefined, active: false, resume: 'asked' },
    { type: 'held', mark: 'settled' },
  ],
  [
    'adopted, paused, stopped_tasks: resume: not in the next run either',
    { adopted: true, armed: undefined, active: false, resume: 'configured' },
    { type: 'held', mark: HELD },
  ],
  [
    'adopted, paused, rearm in git',
    { adopted: true, armed: undefined, active: false, rearmed: true },
    { type: 'held', mark: 'settled' },
  ],
  ['paused, runs', { state: 'paused' }, { type: 'stop' }],
  ['paused, runs, pending', { state: 'paused', armed: 5 }, { type: 'stop' }],
  ['paused, paused, mark', { state: 'paused', active: false, armed: 3 }, { type: 'rest', unmark: true }],
  [
    'paused, paused, pending mark',
    { state: 'paused', active: false, armed: 5 },
    { type: 'rest', unmark: true },
  ],
  ['paused, paused, @!', { state: 'paused', active: false, armed: SWITCHED }, { type: 'rest', unmark: true }],
  [
    'paused, paused, no mark',
    { state: 'paused', active: false, armed: undefined },
    { type: 'rest', unmark: false },
  ],
  ['manual, runs, mark', { state: 'manual' }, { type: 'free', unmark: true, mark: 'none' }],
  ['manual, runs, m = v', { state: 'manual', armed: 5 }, { type: 'free', unmark: true, mark: 'none' }],
  [
    'manual, runs, no mark',
    { state: 'manual', armed: undefined },
    { type: 'free', unmark: false, mark: 'none' },
  ],
  ['manual, paused, m = v: our own update', { state: 'manual', active: false, armed: 5 }, { type: 'finish' }],
  ['manual, paused, mark', { state: 'manual', active: false }, { type: 'free', unmark: true, mark: 'none' }],
  [
    'manual, paused, @!: kept',
    { state: 'manual', active: false, armed: SWITCHED },
    { type: 'free', unmark: false, mark: SWITCHED },
  ],
  [
    'manual, paused, @-: kept',
    { state: 'manual', active: false, armed: HELD },
    { type: 'free', unmark: false, mark: HELD },
  ],
  [
    'manual, runs, @!: taken away',
    { state: 'manual', armed: SWITCHED },
    { type: 'free', unmark: true, mark: 'none' },
  ],
  [
    'manual, paused, no mark',
    { state: 'manual', active: false, armed: undefined },
    { type: 'free', unmark: false, mark: 'none' },
  ],
];

describe('the armed-version table', () => {
  test.each(ROWS)('%s', (_name, over, expected) => {
    expect(decideSwitch({ ...BASE, ...over })).toEqual(expected);
  });

  test('a task runs afterwards exactly if the decision says so', () => {
    expect(runsAfter({ type: 'free', unmark: false, mark: 'none' }, true)).toBe(true);
    expect(runsAfter({ type: 'free', unmark: false, mark: 'none' }, false)).toBe(false);
    expect(runsAfter({ type: 'held', mark: SWITCHED }, false)).toBe(false);
    expect(runsAfter({ type: 'finish' }, false)).toBe(true);
    expect(runsAfter({ type: 'stop' }, true)).toBe(false);
  });
});
