import { type Armed, isOff, isSameArmed, isUnmarked, SETTLED } from '../model/armed.ts';
import type { JsonObject } from '../model/json.ts';
import { markerOf, sameMarker } from '../model/marker.ts';
import { isBuyOnce, type LiveTask } from '../model/resource.ts';
import { versionAfter, writesBetween } from '../model/versions.ts';
import { tookMarker } from './compare.ts';
import type { Reading } from './decide.ts';
import { type Failed, readingOf, type StepOutcome } from './outcome.ts';
import { markBody } from './render-body.ts';
import type { Requests } from './requests.ts';
import { TaskStep } from './task-step.ts';
import { TrackedTask } from './tracked-task.ts';
import { write } from './write.ts';

/** The result. `resource` is the last known state of the task. */
export type SwitchOutcome = StepOutcome<LiveTask> & { readonly resource: LiveTask };

/** The project and name in the marker of a task, and its mark. Undefined for a task without a marker of this project. */
interface OnOwner {
  readonly project: string;
  readonly name: string;
  readonly armed?: Armed;
}

/**
 * Starts one paused task for the operator (DESIGN 3): first a pending mark, so that the next apply finishes after a crash, then
 * the resume. The steps are those of an apply: at most one start for a `buy_once` task, and none if somebody else changed it in
 * the meantime. A task without a mark (git does not want it to run, or it is not owned) is only resumed.
 */
export async function switchOn(
  found: LiveTask,
  owner: OnOwner | undefined,
  requests: Requests,
): Promise<SwitchOutcome> {
  const task = new TrackedTask(found, found);
  const marks = owner !== undefined && !isUnmarked(owner.armed);
  const step = { task, owner: owner ?? NOBODY, starts: true, buyOnce: isBuyOnce(found.config) };
  if (!marks) {
    task.startable = found.version;
    // No retry over a change of others, because a retry would need a mark.
    task.goneOver = 1;
  }
  const started = await write(new TaskStep({ ...step, verb: 'resume' }), requests);
  if (started.type === 'failed') return giveUp(task, owner, started, requests);
  return { ...started, resource: task.known };
}

/** Removes the mark of the switch from a task that is not to be started, or that somebody started: `@0`. */
export function markSettled(found: LiveTask, owner: OnOwner, requests: Requests): Promise<SwitchOutcome> {
  const render = (known: LiveTask) => markBody(known, owner, SETTLED);
  return patchRemark(new TrackedTask(found, found), owner, render, requests);
}

/**
 * Removes the marker of one task and changes nothing else (interface, "Task resources": a remark may change while the task runs).
 * A remark that somebody wrote in the meantime is not overwritten.
 */
export function releaseTask(found: LiveTask, remark: string, requests: Requests): Promise<SwitchOutcome> {
  return patchRemark(new TrackedTask(found, found), NOBODY, () => ({ remark }), requests);
}

/** Writes no marker. */
const NOBODY: OnOwner = { project: '', name: '' };

/** Changes the remark of one task, and starts nothing. */
async function patchRemark(
  task: TrackedTask,
  owner: OnOwner,
  render: (known: LiveTask) => JsonObject,
  requests: Requests,
): Promise<SwitchOutcome> {
  const step = new TaskStep({ task, owner, starts: false, buyOnce: false, verb: 'patch', render });
  return { ...(await write(step, requests)), resource: task.known };
}

/**
 * The start did not happen, so the next apply must not do it because of a mark of this run. The former mark is restored if at most
 * one write of others lies between, because two writes may hide a start and a stop.
 */
async function giveUp(
  task: TrackedTask,
  owner: OnOwner | undefined,
  failed: Failed<LiveTask>,
  requests: Requests,
): Promise<SwitchOutcome> {
  const { failure } = failed;
  const reading = readingOf(failure);
  const stands = owner !== undefined && ownMarkStands(task, owner, reading);
  if (!stands || failure.kind === 'unknown' || task.known.is_active)
    return { ...failed, resource: task.known };
  const former = isOff(owner.armed) ? owner.armed : SETTLED;
  const read = reading === undefined ? 0 : writesBetween(reading.before, reading.read);
  const least = { version: versionAfter(task.known, -read - task.goneOver) };
  const render = (known: LiveTask) =>
    markBody(known, owner, writesBetween(least, known) <= 1 ? former : SETTLED);
  const undone = await patchRemark(task, owner, render, requests);
  const left =
    undone.type === 'done'
      ? ''
      : ' Its mark still says that a start is pending: the next apply may start it.';
  const text = `${failure.text}${left}`;
  return { ...failed, failure: { ...failure, text }, resource: task.known };
}

/** True if the last known remark contains a mark that this run wrote or tried to write. The mark may no longer be pending. */
function ownMarkStands(task: TrackedTask, { armed }: OnOwner, reading?: Reading<LiveTask>): boolean {
  if (task.ownMark !== undefined) return true;
  if (reading === undefined) return false;
  const { before, body, read, refused } = reading;
  const left = markerOf(before);
  const wrote = left !== undefined && !isSameArmed(left.armed, armed);
  return (!refused && tookMarker(read, body)) || (wrote && sameMarker(before, read));
}
