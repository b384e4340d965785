import { isPendingAt } from '../model/armed.ts';
import type { Operation } from '../model/generated/plan.ts';
import type { JsonObject } from '../model/json.ts';
import { isOpen, remarkOf, sameMarker } from '../model/marker.ts';
import { pick } from '../model/parts.ts';
import type { LiveLabel, LiveResource, LiveTask, LiveTemplate } from '../model/resource.ts';
import { writesBetween } from '../model/versions.ts';
import { lightlyEdited, patched, sameConfig, sameLabel, sameSubstance, sameTask } from './compare.ts';

export type TaskVerb = Exclude<Operation['verb'], 'create'>;

/** A write with an unknown result, and the reading that followed. */
export interface Reading<R extends LiveResource = LiveResource> {
  /** The resource as this run left or expected it; its version is the one that the write was sent on. */
  readonly before: R;
  readonly body: JsonObject | null;
  /**
   * The write was certainly not carried out: it was refused at its first sending, not after a throttle. If the resource
   * looks as if it was, somebody else wrote it.
   */
  readonly refused: boolean;
  readonly read: R;
}

export interface Situation extends Reading<LiveTask> {
  readonly verb: TaskVerb;
  /** This run will still start this task, or the one that replaces it. */
  readonly starts: boolean;
  /** The pending version in the marker of `before`, if this run wrote it. */
  readonly ownMark: number | undefined;
  /** `buy_once` in the live or desired config: the task may have bought and stopped itself. */
  readonly buyOnce: boolean;
  /** Writes of others that this run accepted since the task was paused. */
  readonly goneOver: number;
}

/** What to do after a reading that followed a stale version or a lost answer. */
export type Decision =
  /** Carried out. */
  | 'done'
  /** Not carried out: retry at the same version; the service refuses a late delivery of the first request. */
  | 'retry'
  /** Somebody else made a harmless write: retry at the version that was read. */
  | 'rebase'
  /** As `rebase`, but a patch of this run first has to write the pending mark again. */
  | 'renew-mark'
  /** Somebody stopped the task: it stays paused. */
  | 'stopped'
  /** Somebody else made a write that ends this chain. */
  | 'moved'
  /** The reading is older than an answer that this run received. */
  | 'stale';

/**
 * DESIGN 3, "`version_conflict` or a lost answer". Pure. Not called for a deleted task. In all rows "the same" ignores
 * note and label: of what a chain writes itself, the step asks more.
 */
export function decideTask(situation: Situation): Decision {
  if (situation.read.version < situation.before.version) return 'stale';
  switch (situation.verb) {
    case 'mark':
      return decideMark(situation);
    case 'pause':
      return decidePause(situation);
    case 'patch':
      if (isRelease(situation)) return decideRelease(situation);
      return situation.starts ? decideArmingPatch(situation) : decidePlainPatch(situation);
    case 'resume':
      return decideResume(situation);
    case 'delete':
      return decideDelete(situation);
  }
}

function gapOf({ before, read }: Situation): number {
  return writesBetween(before, read);
}

function after({ before, body }: Situation): LiveTask {
  return patched(before, body ?? {});
}

/** The task runs; others may have made any number of writes. */
function decideMark(situation: Situation): Decision {
  const { before, read, refused } = situation;
  if (!read.is_active) return 'moved';
  const marked = after(situation);
  // If the service gives a patch without effect no new version, there is nothing to carry out.
  if (gapOf(situation) === 0) return sameTask(marked, read) ? 'done' : 'retry';
  if (!refused && gapOf(situation) === 1 && sameTask(marked, read)) return 'done';
  const untouched = sameMarker(before, read);
  const ours = !refused && sameMarker(marked, read);
  return (untouched || ours) && sameSubstance(before, read) ? 'rebase' : 'moved';
}

function decidePause(situation: Situation): Decision {
  const { before, read, starts, buyOnce, ownMark } = situation;
  if (!read.is_active) return decidePaused(situation);
  if (gapOf(situation) === 0) return 'retry';
  if (!sameMarker(before, read)) return 'moved';
  if (!starts) return 'rebase';
  if (buyOnce || !sameSubstance(before, read)) return 'moved';
  return ownMark === undefined ? 'rebase' : 'renew-mark';
}

/** The result of the pause is unknown, and the task is paused: by this run, by somebody else, or by its own first trade? */
function decidePaused(situation: Situation): Decision {
  const { before, read, refused, starts, buyOnce, ownMark } = situation;
  if (!starts) return sameMarker(before, read) ? 'done' : 'moved';
  const ours =
    !refused &&
    !buyOnce &&
    gapOf(situation) === 1 &&
    isPendingAt(ownMark, read.version) &&
    sameTask({ ...before, is_active: false }, read);
  return ours ? 'done' : 'stopped';
}

/** A patch with a pending mark; the task is paused and the resume comes next. */
function decideArmingPatch(situation: Situation): Decision {
  const { before, read, refused, buyOnce, goneOver } = situation;
  if (read.is_active) return 'moved';
  const gap = gapOf(situation);
  const armed = after(situation);
  if (gap === 0) return sameTask(armed, read) ? 'done' : 'retry';
  if (!refused && gap === 1 && sameTask(armed, read)) return 'done';
  if (buyOnce || goneOver > 0) return 'moved';
  if (gap === 1 && lightlyEdited(before, read)) return 'rebase';
  return !refused && gap === 2 && lightlyEdited(armed, read) ? 'rebase' : 'moved';
}

/** A patch after which nothing is started. */
function decidePlainPatch(situation: Situation): Decision {
  const { before, body, read, refused } = situation;
  const wanted = after(situation);
  if (sameTask(wanted, read)) return 'done';
  if (read.is_active !== before.is_active) return 'moved';
  if (gapOf(situation) === 0) return 'retry';
  const ours = !refused && sameMarker(wanted, read);
  if (!ours && !sameMarker(before, read)) return 'moved';
  const trades = body?.config !== undefined || Object.keys(pick(body ?? {})).length > 0;
  return !trades || sameSubstance(before, read) || sameSubstance(wanted, read) ? 'rebase' : 'moved';
}

/** The patch removes the marker, and changes nothing else. */
function isRelease({ before, body }: Situation): boolean {
  return (
    typeof body?.remark === 'string' &&
    Object.keys(body).length === 1 &&
    remarkOf(before).type !== 'plain' &&
    remarkOf({ remark: body.remark }).type === 'plain'
  );
}

/** Only the remark counts: it is left alone if somebody changed it. Whether the task runs, and other changes, do not matter. */
function decideRelease(situation: Situation): Decision {
  const { before, read } = situation;
  if (remarkOf(read).type === 'plain') return 'done';
  if (read.remark !== before.remark) return 'moved';
  return gapOf(situation) === 0 ? 'retry' : 'rebase';
}

function decideResume(situation: Situation): Decision {
  const { before, read, buyOnce, goneOver } = situation;
  if (read.is_active) return sameMarker(before, read) ? 'done' : 'moved';
  if (gapOf(situation) === 0) return 'retry';
  // Two or more versions may hide a start and a stop; one visible edit cannot.
  if (buyOnce || goneOver > 0) return 'moved';
  return gapOf(situation) === 1 && lightlyEdited(before, read) ? 'renew-mark' : 'moved';
}

function decideDelete(situation: Situation): Decision {
  const { before, read, starts } = situation;
  if (read.is_active) return 'moved';
  if (gapOf(situation) === 0) return 'retry';
  return !starts && sameMarker(before, read) ? 'rebase' : 'moved';
}

/**
 * The rollback of a pending mark to `@0`. Whether the task runs, and its note, do not matter. A mark that somebody else
 * wrote, or that is no longer open, needs no rollback.
 */
export function decideRollback({ before, body, read }: Reading<LiveTask>): Decision {
  if (read.remark === body?.remark || !sameMarker(before, read) || !isOpen(read)) return 'done';
  return read.version === before.version ? 'retry' : 'rebase';
}

/** The same for templates: they cannot run, so only name and config count. */
export function decideTemplate({
  before,
  body,
  read,
}: Pick<Reading<LiveTemplate>, 'before' | 'body' | 'read'>): Decision {
  if (read.version < before.version) return 'stale';
  const wanted: LiveTemplate = { ...before, ...(body as Partial<LiveTemplate> | null) };
  if (body !== null && read.name === wanted.name && sameConfig(wanted, read)) return 'done';
  if (read.version === before.version) return 'retry';
  const name = read.name === before.name || read.name === wanted.name;
  const config = sameConfig(before, read) || sameConfig(wanted, read);
  return name && config ? 'rebase' : 'moved';
}

/**
 * The same for labels (interface, "Labels"): they have no version, and must be as the plan found them or as it wants
 * them. `sent`: a request was sent before the reading. Before that, a missing sort_order proves nothing.
 */
export function decideLabel(
  { before, body, read }: Pick<Reading<LiveLabel>, 'before' | 'body' | 'read'>,
  sent: boolean,
): Decision {
  const shown = sent || read.sort_order !== null;
  if (body !== null && shown && sameLabel(read, { ...before, ...body })) return 'done';
  return sameLabel(read, before) ? 'retry' : 'moved';
}
