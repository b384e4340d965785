import { describe, expect, test } from 'vitest';
import type { Armed, Off, OffForm } from '../../../src/model/armed.ts';
import { formatRemark, ownMarkerOf } from '../../../src/model/marker.ts';
import type { LiveTask } from '../../../src/model/resource.ts';
import { decideSwitch, type SwitchPlan } from '../../../src/plan/switch/decide-switch.ts';
import {
  markedByUs,
  nextOffStep,
  type OffMemory,
  type OffPolicy,
  seen,
  stoppedByUs,
} from '../../../src/plan/switch/pause-steps.ts';
import { liveTask, sniperConfig } from '../../support/builders.ts';

const VERSION = 5;
const FORMS: readonly Off[] = [{ form: '!' }, { form: '0!' }, { form: '-' }, { form: '!', due: 30_000_000 }];
const ARMED: readonly Armed[] = [undefined, ...FORMS, 0, 1, 4, 5, 6, 7, 8, 15, 16, 25, 9_999_999];
const POLICIES = [
  { project: 'core', stoppedTasks: 'hold' },
  { project: 'core', stoppedTasks: 'resume' },
  { project: 'core', stoppedTasks: undefined },
] as const satisfies readonly OffPolicy[];

interface Case {
  readonly armed: Armed;
  readonly active: boolean;
  readonly once: boolean;
  readonly policy: OffPolicy;
  /** How the service counts. */
  readonly step: number;
}

const CASES: readonly Case[] = ARMED.flatMap((armed) =>
  [true, false].flatMap((active) =>
    [true, false].flatMap((once) =>
      POLICIES.flatMap((policy) => [1, 2, 10].map((step) => ({ armed, active, once, policy, step }))),
    ),
  ),
);

function taskOf({ armed, active, once }: Pick<Case, 'armed' | 'active' | 'once'>): LiveTask {
  return liveTask(1, {
    remark: formatRemark('Note', { project: 'core', name: 'a', armed }),
    is_active: active,
    version: VERSION,
    config: sniperConfig({ buy_once: once }),
  });
}

/** What an apply would do at this very moment, the manifests wanting the task active. */
function applied(
  task: LiveTask,
  { once }: Case,
  stoppedTasks: OffPolicy['stoppedTasks'],
): SwitchPlan['type'] {
  return decideSwitch({
    state: 'active',
    active: task.is_active,
    version: task.version,
    armed: ownMarkerOf(task, { project: 'core' })?.armed,
    rearmed: false,
    adopted: false,
    buyOnce: once,
    // Where the project file is not at hand, it may say either.
    resume: stoppedTasks === 'hold' ? 'no' : 'configured',
  }).type;
}

const NOTHING_REFUSED: OffMemory['refused'] = { running: false, paused: false };
const FRESH: OffMemory = { ran: false, refused: NOTHING_REFUSED };

function armedOf(task: LiveTask | undefined): Armed {
  return task === undefined ? undefined : ownMarkerOf(task, { project: 'core' })?.armed;
}

function marked(task: LiveTask, armed: Armed, version: number): LiveTask {
  return { ...task, version, remark: formatRemark('Note', { project: 'core', name: 'a', armed }) };
}

/** Every state that the task goes through, the first included. */
function walk(
  one: Case,
  refused = NOTHING_REFUSED,
): { readonly states: readonly LiveTask[]; readonly steps: readonly string[] } {
  const states = [taskOf(one)];
  const steps: string[] = [];
  let memory: OffMemory = { ...FRESH, refused };
  for (;;) {
    const task = states.at(-1) ?? taskOf(one);
    memory = seen(memory, task, one.policy);
    const step = nextOffStep(task, one.policy, memory);
    if (step.type === 'none') return { states, steps };
    steps.push(step.type);
    if (steps.length > 5) throw new Error(`no end: ${steps.join(', ')}`);
    const version = task.version + one.step;
    const next =
      step.type === 'pause' ? { ...task, version, is_active: false } : marked(task, step.armed, version);
    memory = step.type === 'pause' ? stoppedByUs(memory, next) : markedByUs(memory, step.armed, next);
    states.push(next);
  }
}

describe('the switch', () => {
  test('a crash after any step: no apply starts a task that the switch paused', () => {
    for (const one of CASES.filter(({ active }) => active)) {
      for (const task of walk(one).states.filter(({ is_active }) => !is_active))
        expect(
          applied(task, one, one.policy.stoppedTasks),
          JSON.stringify({ one, at: task.version, remark: task.remark }),
        ).toBe('held');
    }
  });

  test('in the end, tasks that ran carry @!, and tasks that git wants running are held whatever the project file says', () => {
    for (const one of CASES) {
      const end = walk(one).states.at(-1);
      const where = JSON.stringify(one);
      expect(end?.is_active, where).toBe(false);
      if (one.active) expect(armedOf(end), where).toMatchObject({ form: '!' });
      const pending = !one.active && one.armed === VERSION;
      if (pending) expect(armedOf(end), where).toEqual({ form: '!' });
      if (end === undefined || one.armed === undefined) continue;
      for (const stopped of ['hold', 'resume'] as const)
        expect(applied(end, one, stopped), where).toBe('held');
    }
  });

  test('the pause goes first wherever that is safe', () => {
    for (const one of CASES.filter(({ active }) => active)) {
      const form = typeof one.armed === 'object';
      const spent = typeof one.armed === 'number' && one.armed <= VERSION;
      const held = one.policy.stoppedTasks === 'hold' || one.once;
      const first = walk(one).steps[0];
      expect(first, JSON.stringify(one)).toBe(form || (spent && held) ? 'pause' : 'mark');
    }
  });

  test('a task that somebody else stopped is kept off, and never counts as stopped by the switch, also under hold', () => {
    for (const one of CASES.filter(({ active }) => !active)) {
      const end = armedOf(walk(one).states.at(-1));
      const kept = one.armed === undefined || typeof one.armed === 'object';
      if (kept) expect(walk(one).steps, JSON.stringify(one)).toEqual(dueTaken(one) ? ['mark'] : []);
      else if (one.armed !== VERSION) expect(end, JSON.stringify(one)).toEqual({ form: '0!' });
    }
  });

  test('a mark that is refused while the task runs does not delay the pause, and is tried again afterwards', () => {
    for (const one of CASES.filter(({ active }) => active)) {
      const refused = walk(one, { running: true, paused: false });
      expect(refused.steps[0], JSON.stringify(one)).toBe('pause');
      expect(armedOf(refused.states.at(-1)), JSON.stringify(one)).toMatchObject({ form: '!' });
      expect(walk(one, { running: true, paused: true }).steps).toEqual(['pause']);
    }
  });

  test('rearm and ~ are no reason to change tasks of another project', () => {
    const foreign = liveTask(1, { remark: 'Note [git:other/a@6]' });
    const memory = { ...FRESH, ran: true };
    expect(nextOffStep(foreign, POLICIES[0], memory).type).toBe('pause');
    expect(nextOffStep({ ...foreign, is_active: false }, POLICIES[0], memory).type).toBe('none');
    expect(nextOffStep(foreign, { project: undefined, stoppedTasks: undefined }, memory).type).toBe('pause');
  });
});

/** A plain pause takes a due time away. */
function dueTaken({ armed }: Case): boolean {
  return typeof armed === 'object' && armed.due !== undefined;
}

describe('who stopped the task', () => {
  const policy = POLICIES[0];
  const off = (armed: Armed, version: number, once = false) =>
    marked({ ...taskOf({ armed, active: false, once }) }, armed, version);
  const next = (memory: OffMemory, task: LiveTask) => {
    const step = nextOffStep(task, policy, seen(memory, task, policy));
    return step.type === 'mark' ? step.armed.form : step.type;
  };
  const running = seen(FRESH, taskOf({ armed: 0, active: true, once: false }), policy);
  const own = stoppedByUs(running, { version: 6 });

  test.each<[string, OffMemory, LiveTask, OffForm | 'none']>([
    ['its own pause', own, off(0, 6), '!'],
    ['one write of somebody since', own, off(0, 7), '!'],
    ['two writes of somebody since: they may hide a start and a stop', own, off(0, 8), '0!'],
    ['somebody else paused it', running, off(0, 6), '0!'],
    ['somebody else paused it, and an earlier @! stood there', running, off({ form: '!' }, 6), '0!'],
    ['the answer was lost, and it is paused one version later', { ...running, lost: 5 }, off(0, 6), '!'],
    ['the answer was lost, and it is paused two versions later', { ...running, lost: 5 }, off(0, 7), '0!'],
    ['the answer was lost, and it has buy_once', { ...running, lost: 5 }, off(0, 6, true), '0!'],
    [
      'an apply took the mark away',
      markedByUs(own, { form: '!' }, off({ form: '!' }, 7)),
      off(undefined, 8),
      'none',
    ],
    [
      'an apply changed @! to @-',
      markedByUs(own, { form: '!' }, off({ form: '!' }, 7)),
      off({ form: '-' }, 8),
      'none',
    ],
    [
      'somebody changed @! to a number',
      markedByUs(own, { form: '!' }, off({ form: '!' }, 7)),
      off(3, 8),
      '0!',
    ],
  ])('%s', (_name, memory, task, expected) => {
    expect(next(memory, task)).toBe(expected);
  });

  test('a task that was started again counts as stopped by nobody until it is paused again', () => {
    const again = seen(own, { ...taskOf({ armed: 0, active: true, once: false }), version: 7 }, policy);
    expect(next(again, off(0, 8))).toBe('0!');
  });
});

describe('pause --for', () => {
  const policy = { ...POLICIES[0], due: 30_000_000 };
  const end = (armed: Armed, active = false, due: number | null = policy.due) =>
    armedOf(
      walk({ armed, active, once: false, policy: { ...policy, due: due ?? undefined }, step: 1 }).states.at(
        -1,
      ),
    );

  test('the due time is written with @! and @0!', () => {
    expect(end(0, true)).toEqual({ form: '!', due: 30_000_000 });
    expect(end(undefined, true)).toEqual({ form: '!', due: 30_000_000 });
    expect(end(VERSION)).toEqual({ form: '!', due: 30_000_000 });
    expect(end(0)).toEqual({ form: '0!', due: 30_000_000 });
    expect(end({ form: '-' })).toEqual({ form: '-' });
  });

  test('the later of two due times applies, and a pause without one lasts longest', () => {
    expect(end({ form: '!', due: 29_000_000 })).toEqual({ form: '!', due: 30_000_000 });
    expect(end({ form: '0!', due: 31_000_000 })).toEqual({ form: '0!', due: 31_000_000 });
    expect(end({ form: '!' })).toEqual({ form: '!' });
    expect(end({ form: '!', due: 31_000_000 }, false, null)).toEqual({ form: '!' });
    expect(end({ form: '0!', due: 31_000_000 }, false, null)).toEqual({ form: '0!' });
  });
});
