import { describe, expect, test } from 'vitest';
import { SwitchOff } from '../../src/core/act/switch-off.ts';
import { type Armed, isOff, type Off } from '../../src/core/model/armed.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import { formatRemark, ownMarkerOf } from '../../src/core/model/marker.ts';
import type { LiveTask } from '../../src/core/model/resource.ts';
import type { OffPolicy } from '../../src/core/model/switched.ts';
import { decideSwitch, type SwitchPlan } from '../../src/core/plan/switch/decide-switch.ts';
import type { Outcome } from '../../src/core/ports/api.ts';
import { answerWith, liveTask, sniperConfig } from '../support/builders.ts';

const VERSION = 5;
const FORMS: readonly Off[] = ['off', 'kept-off', 'held'];
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

function armedOf(task: LiveTask | undefined): Armed {
  return task === undefined ? undefined : ownMarkerOf(task, { project: 'core' })?.armed;
}

function marked(task: LiveTask, armed: Armed, version: number): LiveTask {
  return { ...task, version, remark: formatRemark('Note', { project: 'core', name: 'a', armed }) };
}

const REFUSED: Outcome = {
  type: 'error',
  status: 400,
  code: 'validation_error',
  message: '',
  fields: [],
  requestId: undefined,
};

function answer(task: LiveTask): Outcome {
  return answerWith({ ...task } as unknown as JsonObject);
}

/** What the switch sends next: the remark of a mark, a pause, or nothing. */
function sending(off: SwitchOff): { readonly remark?: string } | 'pause' | 'none' {
  const step = off.next();
  if ('end' in step) return 'none';
  return step.send.path.endsWith('/pause') ? 'pause' : { remark: String(step.send.body?.remark) };
}

/**
 * Every state that the task goes through, the first included, and the steps. A mark is refused while the task runs, or while it is
 * paused.
 */
function walk(
  { armed, active, once, policy, step: by }: Case,
  refused: { readonly running?: true; readonly paused?: true } = {},
): { readonly states: readonly LiveTask[]; readonly steps: readonly string[] } {
  const off = new SwitchOff(taskOf({ armed, active, once }), policy);
  const states = [off.task];
  const steps: string[] = [];
  for (;;) {
    const { task } = off;
    const step = sending(off);
    if (step === 'none') return { states, steps };
    if (step !== 'pause' && refused[task.is_active ? 'running' : 'paused']) {
      off.answered(REFUSED);
      off.read({ type: 'found', resource: task }, REFUSED);
      continue;
    }
    steps.push(step === 'pause' ? 'pause' : 'mark');
    if (steps.length > 5) throw new Error(`no end: ${steps.join(', ')}`);
    const next = { ...task, ...(step === 'pause' ? { is_active: false } : step), version: task.version + by };
    off.answered(answer(next));
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
      if (one.active) expect(armedOf(end), where).toBe('off');
      const pending = !one.active && one.armed === VERSION;
      if (pending) expect(armedOf(end), where).toBe('off');
      if (end === undefined || one.armed === undefined) continue;
      for (const stopped of ['hold', 'resume'] as const)
        expect(applied(end, one, stopped), where).toBe('held');
    }
  });

  test('the pause goes first wherever that is safe', () => {
    for (const one of CASES.filter(({ active }) => active)) {
      const form = isOff(one.armed);
      const spent = typeof one.armed === 'number' && one.armed <= VERSION;
      const held = one.policy.stoppedTasks === 'hold' || one.once;
      const first = walk(one).steps[0];
      expect(first, JSON.stringify(one)).toBe(form || (spent && held) ? 'pause' : 'mark');
    }
  });

  test('a task that somebody else stopped is kept off, and never counts as stopped by the switch, also under hold', () => {
    for (const one of CASES.filter(({ active }) => !active)) {
      const end = armedOf(walk(one).states.at(-1));
      const kept = one.armed === undefined || isOff(one.armed);
      if (kept) expect(walk(one).steps, JSON.stringify(one)).toEqual([]);
      else if (one.armed !== VERSION) expect(end, JSON.stringify(one)).toBe('kept-off');
    }
  });

  test('a mark that is refused while the task runs does not delay the pause, and is tried again afterwards', () => {
    for (const one of CASES.filter(({ active }) => active)) {
      const refused = walk(one, { running: true });
      expect(refused.steps[0], JSON.stringify(one)).toBe('pause');
      expect(armedOf(refused.states.at(-1)), JSON.stringify(one)).toBe('off');
      expect(walk(one, { running: true, paused: true }).steps).toEqual(['pause']);
    }
  });

  test('rearm and ~ are no reason to change tasks of another project', () => {
    const foreign = liveTask(1, { remark: 'Note [git:other/a@6]' });
    for (const policy of [POLICIES[0], { project: undefined, stoppedTasks: undefined }]) {
      const off = new SwitchOff(foreign, policy);
      expect(sending(off)).toBe('pause');
      off.see({ ...foreign, is_active: false, version: 6 });
      expect(sending(off)).toBe('none');
    }
  });
});

describe('who stopped the task', () => {
  const policy = POLICIES[0];
  const off = (armed: Armed, version: number, once = false) =>
    marked(taskOf({ armed, active: false, once }), armed, version);
  /** Found running at version 5, and what happened since. */
  const having = (...happened: readonly ((switching: SwitchOff) => void)[]) => {
    const switching = new SwitchOff(taskOf({ armed: 0, active: true, once: false }), policy);
    for (const one of happened) one(switching);
    return switching;
  };
  const paused = (switching: SwitchOff) => {
    switching.next();
    switching.answered(answer(off(0, 6)));
  };
  const kept = (switching: SwitchOff) => {
    paused(switching);
    switching.next();
    switching.answered(answer(off('off', 7)));
  };
  const lost = (switching: SwitchOff) => {
    switching.next();
    switching.answered({ type: 'lost', detail: '', requestId: undefined });
  };
  const seen = (task: LiveTask) => (switching: SwitchOff) => switching.see(task);

  test.each<[string, SwitchOff, LiveTask, Off | 'none']>([
    ['its own pause', having(paused), off(0, 6), 'off'],
    ['one write of somebody since', having(paused), off(0, 7), 'off'],
    ['two writes of somebody since: they may hide a start and a stop', having(paused), off(0, 8), 'kept-off'],
    ['somebody else paused it', having(), off(0, 6), 'kept-off'],
    ['somebody else paused it, and an earlier @! stood there', having(), off('off', 6), 'kept-off'],
    ['the answer was lost, and it is paused one version later', having(lost), off(0, 6), 'off'],
    ['the answer was lost, and it is paused two versions later', having(lost), off(0, 7), 'kept-off'],
    ['the answer was lost, and it has buy_once', having(lost), off(0, 6, true), 'kept-off'],
    ['an apply took the mark away', having(kept), off(undefined, 8), 'none'],
    ['an apply changed @! to @-', having(kept), off('held', 8), 'none'],
    ['somebody changed @! to a number', having(kept), off(3, 8), 'kept-off'],
    [
      'somebody started it again, and stopped it',
      having(paused, seen({ ...taskOf({ armed: 0, active: true, once: false }), version: 7 })),
      off(0, 8),
      'kept-off',
    ],
  ])('%s', (_name, switching, task, expected) => {
    switching.see(task);
    const step = sending(switching);
    const mark = typeof step === 'string' ? step : armedOf({ ...task, ...step });
    expect(mark).toBe(expected);
  });
});
