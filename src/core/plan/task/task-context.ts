import type { DesiredTask } from '../../desired/state.ts';
import { versionDigest } from '../../desired/version.ts';
import { type Armed, isOff } from '../../model/armed.ts';
import { type Marker, markerOf, type Version } from '../../model/marker.ts';
import { isBuyOnce, type LiveTask } from '../../model/resource.ts';
import { decideSwitch, type SwitchPlan } from '../switch/decide-switch.ts';
import type { LabelBook } from './compare-task.ts';

/** Which versions the markers get (DESIGN 3, "The version"). */
export interface Versions {
  /** The number of the commit that is applied; 0 for none. */
  readonly number: number;
  /** A larger number in a marker is taken away. */
  readonly most: number;
  /** True where the number is renewed although the version is the current one. */
  readonly renews: (address: string) => boolean;
}

/** Without a number, and nothing is taken away. */
export const PLAIN: Versions = { number: 0, most: Infinity, renews: () => false };

export interface TaskContext {
  readonly project: string;
  readonly labels: LabelBook;
  readonly settle: { readonly update: number; readonly replace: number };
  readonly versions: Versions;
  /** Whether and why a held task should be started. */
  readonly resume: (address: string) => 'asked' | 'configured' | 'no';
}

export interface MarkedTask {
  readonly task: LiveTask;
  readonly marker: Marker | undefined;
  /** The marker of another project that is replaced: a form that keeps the task off stays. */
  readonly from?: Marker;
}

export function markedTask(task: LiveTask): MarkedTask {
  return { task, marker: markerOf(task) };
}

/**
 * The version in the marker of a task after the plan; the former one, the same object, if it stays. `writes`: whether values are
 * written. A task without a marker gets the version with its marker. A new name is a write, too: else an older commit takes it back.
 */
export function writtenVersion(
  desired: DesiredTask,
  marker: Marker | undefined,
  { versions: { number, most, renews } }: TaskContext,
  writes: boolean,
): Version | undefined {
  const former = marker?.version;
  if (desired.undecided === true) return former;
  const digest = versionDigest(desired.described ?? desired);
  const outdated =
    former?.digest !== digest ||
    former.number > most ||
    (number !== former.number && (renews(desired.address) || (number > 0 && marker?.name !== desired.name)));
  return outdated || writes ? { digest, number } : former;
}

export function switchOf(desired: DesiredTask, subject: MarkedTask, context: TaskContext): SwitchPlan {
  const { task, marker, from } = subject;
  const armed: Armed = marker === undefined && isOff(from?.armed) ? from?.armed : marker?.armed;
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
