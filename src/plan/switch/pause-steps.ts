import {
  type Armed,
  isSwitchedOff,
  isUnmarked,
  type Off,
  switchedOff,
  worstPausedVersion,
} from '../../model/armed.ts';
import { ownMarkerOf, type ProjectNames } from '../../model/marker.ts';
import { isBuyOnce, type LiveTask } from '../../model/resource.ts';
import { writesBetween } from '../../model/versions.ts';
import { decideSwitch } from './decide-switch.ts';
import { BEFORE_PAUSE, markOfPaused, type Whose } from './off-marks.ts';

/** What `tradeform pause` knows about the project whose tasks it stops; it works without manifests. */
export interface OffPolicy extends ProjectNames {
  /** `stopped_tasks`; undefined without a project file: then the worse case is assumed. */
  readonly stoppedTasks: 'hold' | 'resume' | undefined;
  /** `--for`: when the tasks are due, in minutes since the epoch. */
  readonly due?: number | undefined;
}

/** What this run has observed and done to a task. */
export interface OffMemory {
  /** This run found it running. */
  readonly ran: boolean;
  /** The service refused the mark: while the task ran, and while it was paused. */
  readonly refused: { readonly running: boolean; readonly paused: boolean };
  /** The version on which a pause was sent whose answer was lost. */
  readonly lost?: number | undefined;
  /**
   * Set if this run's pause stopped the task: the version after the pause, or after `@!`. `marked`: `@!` was written.
   */
  readonly own?: { readonly version: number; readonly marked: boolean } | undefined;
}

/** The fields of a task that these decisions rest on. */
type Switchable = Pick<LiveTask, 'remark' | 'is_active' | 'version' | 'config'>;

export type OffStep =
  | { readonly type: 'mark'; readonly armed: Off }
  | { readonly type: 'pause' }
  | { readonly type: 'none' };

const NONE = { type: 'none' } as const;
const PAUSE = { type: 'pause' } as const;

/**
 * True if the next apply holds a paused task of the project that the manifests want active, whatever version its pause creates.
 * Uses the table of DESIGN 3 with the worst version. `active`: the pause is still to come.
 */
export function staysOff(task: Switchable, armed: Armed, { stoppedTasks }: OffPolicy): boolean {
  const plan = decideSwitch({
    state: 'active',
    active: false,
    version: worstPausedVersion(armed, task),
    armed,
    rearmed: false,
    adopted: false,
    buyOnce: isBuyOnce(task.config),
    resume: stoppedTasks === 'hold' ? 'no' : 'configured',
  });
  return plan.type === 'held';
}

/**
 * The next step until a task is off and stays off (DESIGN 3, "The switch"). If it runs and an apply would hold it after a pause:
 * pause. If it runs and an apply would start it (no mark, a mark that is ahead, `stopped_tasks: resume`): first `@0!`, because a
 * crash directly after the pause must not look like a requested start. If it is paused: the table of `off-marks.ts`. A refused
 * mark does not delay the pause. `memory` must include this state.
 */
export function nextOffStep(task: Switchable, policy: OffPolicy, memory: OffMemory): OffStep {
  const marker = ownMarkerOf(task, policy);
  if (marker === undefined) return task.is_active ? PAUSE : NONE;
  const { armed } = marker;
  if (task.is_active) {
    if (memory.refused.running || staysOff(task, armed, policy)) return PAUSE;
    return { type: 'mark', armed: { ...BEFORE_PAUSE, due: policy.due } };
  }
  if (memory.refused.paused) return NONE;
  const whose = whoseStop(memory);
  // The task has no mark of this run: the service refused the mark while the task ran.
  if (isUnmarked(armed) && memory.refused.running && whose === 'own')
    return { type: 'mark', armed: switchedOff(policy.due) };
  const mark = markOfPaused({ armed, version: task.version }, whose, policy.due);
  return mark === undefined ? NONE : { type: 'mark', armed: mark };
}

function whoseStop({ own, ran }: OffMemory): Whose {
  return own !== undefined ? 'own' : ran ? 'ran' : 'was-paused';
}

/** The memory of this run after it saw the task in this state, in the answer to a mark or in a reading. */
export function seen(memory: OffMemory, task: Switchable, project: ProjectNames): OffMemory {
  if (task.is_active) return { ...memory, ran: true, lost: undefined, own: undefined };
  const { own, lost } = memory;
  if (own === undefined) {
    // Not for buy_once: that version may come from its own trade.
    const ours =
      lost !== undefined && writesBetween({ version: lost }, task) === 1 && !isBuyOnce(task.config);
    return ours ? stoppedByUs(memory, task) : memory;
  }
  const stands = isSwitchedOff(ownMarkerOf(task, project)?.armed);
  // Two writes of others may hide a start and a stop. An apply that removed `@!` knew more.
  const lostSight = !stands && (own.marked || writesBetween(own, task) > 1);
  return lostSight ? { ...memory, own: undefined } : memory;
}

/** Records that the pause of this run was answered with a higher version. */
export function stoppedByUs(memory: OffMemory, { version }: Pick<Switchable, 'version'>): OffMemory {
  return { ...memory, ran: true, lost: undefined, own: { version, marked: false } };
}

/** Records that the mark of this run is stored on the task. */
export function markedByUs(memory: OffMemory, armed: Off, task: Switchable): OffMemory {
  if (task.is_active || !isSwitchedOff(armed)) return memory;
  return { ...memory, own: { version: task.version, marked: true } };
}
