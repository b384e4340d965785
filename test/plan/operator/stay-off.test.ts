import { describe, expect, test } from 'vitest';
import type { Armed } from '../../../src/model/marker.ts';
import { formatRemark } from '../../../src/model/marker.ts';
import type { LiveTask } from '../../../src/model/resource.ts';
import {
  nextOffStep,
  type OffMemory,
  type OffPolicy,
  ownMarker,
} from '../../../src/plan/operator/stay-off.ts';
import { decideSwitch, type SwitchPlan } from '../../../src/plan/switch.ts';
import { liveTask, sniperConfig } from '../../support/builders.ts';

const VERSION = 5;
const ARMED: readonly Armed[] = [undefined, 'off', 0, 1, 4, 5, 6, 7, 8, 15, 16, 25, 9_999_999];
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

function taskOf({ armed, active, once }: Case): LiveTask {
  return liveTask(1, {
    remark: formatRemark('Note', { project: 'core', name: 'a', armed }),
    is_active: active,
    version: VERSION,
    config: sniperConfig({ buy_once: once }),
  });
}

/** What an apply would do at this very moment, the manifests wanting the task active. */
function applied(task: LiveTask, { once, policy }: Case): SwitchPlan['type'] {
  return decideSwitch({
    state: 'active',
    active: task.is_active,
    version: task.version,
    armed: ownMarker(task, { project: 'core' })?.armed,
    rearmed: false,
    adopted: false,
    buyOnce: once,
    // Where the project file is not at hand, it may say either.
    resume: policy.stoppedTasks === 'hold' ? 'no' : 'configured',
  }).type;
}

const NOTHING_REFUSED: OffMemory['refused'] = { running: false, paused: false };

/** Every state that the task goes through, the first included. */
function walk(
  one: Case,
  refused = NOTHING_REFUSED,
): { readonly states: readonly LiveTask[]; readonly steps: readonly string[] } {
  const states = [taskOf(one)];
  const steps: string[] = [];
  for (;;) {
    const task = states.at(-1) ?? taskOf(one);
    const step = nextOffStep(task, one.policy, { ran: one.active, refused });
    if (step === 'none') return { states, steps };
    steps.push(step);
    if (steps.length > 5) throw new Error(`no end: ${steps.join(', ')}`);
    const version = task.version + one.step;
    const marker = ownMarker(task, { project: 'core' });
    states.push(
      step === 'pause'
        ? { ...task, version, is_active: false }
        : {
            ...task,
            version,
            remark: formatRemark('Note', { project: 'core', name: 'a', ...marker, armed: 'off' }),
          },
    );
  }
}

describe('the clauses of @!', () => {
  test('a crash after any step: no apply starts a task that the switch has paused', () => {
    for (const one of CASES.filter(({ active }) => active)) {
      for (const task of walk(one).states.filter(({ is_active }) => !is_active))
        expect(applied(task, one), JSON.stringify({ one, at: task.version, remark: task.remark })).toBe(
          'held',
        );
    }
  });

  test('at the end everything that ran is off and carries @!, and what was pending is held', () => {
    for (const one of CASES) {
      const { states } = walk(one);
      const end = states.at(-1);
      const where = JSON.stringify(one);
      expect(end?.is_active, where).toBe(false);
      if (one.active) expect(end?.remark, where).toBe('Note [git:core/a@!]');
      const pending = !one.active && typeof one.armed === 'number' && one.armed >= VERSION;
      if (pending) expect(end?.remark, where).toBe('Note [git:core/a@!]');
      if (end !== undefined && one.armed !== undefined) expect(applied(end, one), where).toBe('held');
    }
  });

  test('the pause goes first wherever that is safe', () => {
    for (const one of CASES.filter(({ active }) => active)) {
      const spent = one.armed === 'off' || (typeof one.armed === 'number' && one.armed <= VERSION);
      const held = one.policy.stoppedTasks === 'hold' || one.once || one.armed === 'off';
      const first = walk(one).steps[0];
      expect(first, JSON.stringify(one)).toBe(spent && held ? 'pause' : 'mark');
    }
  });

  test('what git had paused, and what somebody stopped before under hold, is not touched', () => {
    for (const one of CASES.filter(({ active }) => !active)) {
      const stopped = typeof one.armed === 'number' && one.armed < VERSION;
      const quiet =
        one.armed === undefined || one.armed === 'off' || (stopped && one.policy.stoppedTasks === 'hold');
      if (quiet) expect(walk(one).steps, JSON.stringify(one)).toEqual([]);
    }
  });

  test('a mark that is refused while the task runs holds no pause up, and is tried again afterwards', () => {
    for (const one of CASES.filter(({ active }) => active)) {
      const steps = walk(one, { running: true, paused: false }).steps;
      expect(steps[0], JSON.stringify(one)).toBe('pause');
      expect(walk(one, { running: true, paused: true }).steps).toEqual(['pause']);
    }
  });

  test('rearm and ~ are no reason to touch anything of another project', () => {
    const foreign = liveTask(1, { remark: 'Note [git:other/a@6]' });
    const memory = { ran: true, refused: NOTHING_REFUSED };
    expect(nextOffStep(foreign, POLICIES[0], memory)).toBe('pause');
    expect(nextOffStep({ ...foreign, is_active: false }, POLICIES[0], memory)).toBe('none');
    expect(nextOffStep(foreign, { project: undefined, stoppedTasks: undefined }, memory)).toBe('pause');
  });
});
