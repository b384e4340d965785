import { isPendingAt } from '../model/armed.ts';
import type { Operation } from '../model/generated/plan.ts';
import type { JsonObject } from '../model/json.ts';
import { isOpen, remarkOf, sameMarker } from '../model/marker.ts';
import type { LiveLabel, LiveResource, LiveTask, LiveTemplate } from '../model/resource.ts';
import {
  lightlyEdited,
  noteOrLabelDiffers,
  patched,
  sameConfig,
  sameLabel,
  sameSubstance,
  sameTask,
} from './compare.ts';

export type TaskVerb = Exclude<Operation['verb'], 'create'>;

/** A write whose fate is not known, and what a reading showed afterwards. */
export interface Reading<R extends LiveResource = LiveResource> {
  /** As this run left or expected it; its version is the one that the write carried. */
  readonly before: R;
  /** The body as it was sent. */
  readonly body: JsonObject | null;
  /** Certainly not carried out: refused at its first sending, not after a throttle. What looks like its effect is a write of somebody else. */
  readonly refused: boolean;
  readonly read: R;
}

export interface Situation extends Reading<LiveTask> {
  readonly verb: TaskVerb;
  /** A start of this run is still to come: of this task, or of the one that replaces it. */
  readonly starts: boolean;
  /** The pending version in `before`'s marker, where this run wrote it. */
  readonly ownMark: number | undefined;
  /** Live or desired: such a task may have fired and stopped itself. */
  readonly buyOnce: boolean;
  /** Writes of others that this run has already gone on from since the task was paused. */
  readonly goneOver: number;
}

/** What follows from a reading after a stale version or a lost answer. */
export type Decision =
  /** Carried out. */
  | 'done'
  /** Not carried out: retry at the same version; a late delivery of the first is refused by the service. */
  | 'retry'
  /** A harmless write of somebody else lies between: retry at the version that was read. */
  | 'rebase'
  /** As `rebase`, but first the pending mark has to be written once more, by a patch of this run. */
  | 'renew-mark'
  /** Somebody stopped the task: it stays paused. */
  | 'stopped'
  /** A write of somebody else that this run does not go on from. */
  | 'moved'
  /** The reading is older than an answer that this run has had. */
  | 'stale';

/**
 * DESIGN 3, "`version_conflict` or a lost answer". Pure; a task that is gone does not come here.
 * In all rows "the same" leaves the note and the label free: people may change them while an apply is at work.
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
  return read.version - before.version;
}

function after({ before, body }: Situation): LiveTask {
  return patched(before, body ?? {});
}

/** The task runs; any number of writes of others may lie between. */
function decideMark(situation: Situation): Decision {
  const { before, read, refused } = situation;
  if (!read.is_active) return 'moved';
  const marked = after(situation);
  // A service that gives a patch without effect no new version has nothing to carry out.
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

/** A pause whose fate is unknown, and the task is paused: by us, by somebody, or by its own first trade? */
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
  const trades = body?.config !== undefined || body?.linked_wallets !== undefined;
  return !trades || sameSubstance(before, read) || sameSubstance(wanted, read) ? 'rebase' : 'moved';
}

/** The patch takes the marker away, and leaves everything else alone. */
function isRelease({ before, body }: Situation): boolean {
  return (
    typeof body?.remark === 'string' &&
    Object.keys(body).length === 1 &&
    remarkOf(before).type !== 'plain' &&
    remarkOf({ remark: body.remark }).type === 'plain'
  );
}

/** Whether it runs, and what else anybody wrote, decides nothing; a remark that is not as it was is left alone. */
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
  const { before, read, starts, goneOver } = situation;
  if (read.is_active) return 'moved';
  if (gapOf(situation) === 0) return 'retry';
  if (!sameMarker(before, read) || !sameSubstance(before, read)) return 'moved';
  if (!starts) return 'rebase';
  return goneOver === 0 && gapOf(situation) === 1 && noteOrLabelDiffers(before, read) ? 'rebase' : 'moved';
}

/**
 * The rollback of a pending mark to `@0`: whether the task runs, and what its note says, decides nothing. A mark that
 * somebody else has written, or that is no longer open, needs no rollback.
 */
export function decideRollback({ before, body, read }: Reading<LiveTask>): Decision {
  if (read.remark === body?.remark || !sameMarker(before, read) || !isOpen(read)) return 'done';
  return read.version === before.version ? 'retry' : 'rebase';
}

/** The same for templates: they have no switch, so that only name and config count. */
export function decideTemplate(
  verb: 'patch' | 'delete',
  { before, body, read }: Pick<Reading<LiveTemplate>, 'before' | 'body' | 'read'>,
): Decision {
  if (read.version < before.version) return 'stale';
  const wanted: LiveTemplate = { ...before, ...(body as Partial<LiveTemplate> | null) };
  if (verb === 'patch' && read.name === wanted.name && sameConfig(wanted, read)) return 'done';
  if (read.version === before.version) return 'retry';
  const name = read.name === before.name || (verb === 'patch' && read.name === wanted.name);
  const config = sameConfig(before, read) || (verb === 'patch' && sameConfig(wanted, read));
  return name && config ? 'rebase' : 'moved';
}

/**
 * The same for labels (interface, "Labels"): they have no version, and must be as the plan found them or as it wants them.
 * `sent`: something was sent before the reading. Until then an order that the service does not show proves nothing.
 */
export function decideLabel(
  { before, body, read }: Pick<Reading<LiveLabel>, 'before' | 'body' | 'read'>,
  sent: boolean,
): Decision {
  const shown = sent || read.sort_order !== null;
  if (body !== null && shown && sameLabel(read, { ...before, ...body })) return 'done';
  return sameLabel(read, before) ? 'retry' : 'moved';
}
