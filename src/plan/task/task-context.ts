import type { DesiredTask } from '../../desired/state.ts';
import type { Armed } from '../../model/armed.ts';
import { type Marker, remarkOf } from '../../model/marker.ts';
import { isBuyOnce, type LiveTask } from '../../model/resource.ts';
import { decideSwitch, type SwitchPlan } from '../switch/decide-switch.ts';
import type { LabelBook } from './compare-task.ts';

export interface TaskContext {
  readonly project: string;
  readonly labels: LabelBook;
  readonly settle: { readonly update: number; readonly replace: number };
  /** When the plan is made, in milliseconds since the epoch. */
  readonly now: number;
  /** Whether and why a held task should be started. */
  readonly resume: (address: string) => 'asked' | 'configured' | 'no';
}

/** A live task with its marker, if it has a marker of this project. */
export interface MarkedTask {
  readonly task: LiveTask;
  readonly note: string;
  readonly marker: Marker | undefined;
}

/** A live task with its marker, of any project. */
export function markedTask(task: LiveTask): MarkedTask {
  const { note, marker } = remarkOf(task);
  return { task, note, marker };
}

/** The row of the switch table for a desired task and a live one. */
export function switchOf(desired: DesiredTask, subject: MarkedTask, context: TaskContext): SwitchPlan {
  const { task, marker } = subject;
  const armed: Armed = marker?.armed;
  return decideSwitch({
    state: desired.state,
    active: task.is_active,
    version: task.version,
    armed,
    rearmed: desired.rearm !== undefined && desired.rearm !== marker?.rearm,
    adopted: marker === undefined,
    buyOnce: isBuyOnce(task.config) || isBuyOnce(desired.config),
    resume: context.resume(desired.address),
  });
}
