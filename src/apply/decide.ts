import { isPendingAt } from '../model/armed.ts';
import type { Operation } from '../model/generated/plan.ts';
import type { JsonObject } from '../model/json.ts';
import { remarkOf, sameMarker } from '../model/marker.ts';
import type { LiveTask, LiveTemplate } from '../model/resource.ts';
import {
  lightlyEdited,
  noteOrLabelDiffers,
  patched,
  sameConfig,
  sameSubstance,
  sameTask,
} from './compare.ts';

export type TaskVerb = Exclude<Operation['verb'], 'create'>;

/** A write upon a task whose fate is not known, and what a reading showed afterwards. */
export interface Situation {
  readonly verb: TaskVerb;
  /** Certainly not carried out: refused at its first sending, not after a throttle. Whatever looks like its effect is somebody else's. */
  readonly refused: boolean;
  /** The task as this run left or expected it; its version is the one the write carried. */
  readonly before: LiveTask;
  /** The body as it was sent. */
  readonly body: JsonObject | null;
  readonly read: LiveTask;
  /** A start of this run is still to come: of this task, or of the one that replaces it. */
  readonly starts: boolean;
  /** The pending version in `before`'s marker, where this run wrote it. */
  readonly ownMark: number | undefined;
  /** Live or desired: such a task may have fired and stopped itself. */
  readonly buyOnce: boolean;
  /** Foreign writes that this run has already gone on over since the task was paused. */
  readonly foreign: number;
}

export type Decision =
  /** Carried out. */
  | { readonly type: 'done' }
  /** Not carried out: send it again on the same version; a late delivery of the first is refused by the service. */
  | { readonly type: 'again' }
  /** Somebody wrote something harmless in between: do it anew on the version that was read. */
  | { readonly type: 'redo' }
  /** As `redo`, but the mark has to be written anew first, by a patch of this run. */
  | { readonly type: 'renew' }
  /** Somebody stopped the task: it stays paused. */
  | { readonly type: 'stopped' }
  /** Something moved that this run does not act upon. */
  | { readonly type: 'stop' }
  /** The reading is older than an answer that this run has had: read again. */
  | { readonly type: 'stale' };

const DONE = { type: 'done' } as const;
const AGAIN = { type: 'again' } as const;
const REDO = { type: 'redo' } as const;
const RENEW = { type: 'renew' } as const;
const STOPPED = { type: 'stopped' } as const;
const STOP = { type: 'stop' } as const;

/**
 * DESIGN 3, "`version_conflict` or a lost answer". Pure; a task that is gone does not come here.
 * In all rows "the same" leaves the note and the label free: people may change them while an apply is at work.
 */
export function decideTask(situation: Situation): Decision {
  if (situation.read.version < situation.before.version) return { type: 'stale' };
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

/** The task runs; any number of foreign writes may lie between. */
function decideMark(situation: Situation): Decision {
  const { before, read, refused } = situation;
  if (!read.is_active) return STOP;
  const marked = after(situation);
  // A service that gives a patch without effect no new version has nothing to carry out.
  if (gapOf(situation) === 0) return sameTask(marked, read) ? DONE : AGAIN;
  if (!refused && gapOf(situation) === 1 && sameTask(marked, read)) return DONE;
  const untouched = sameMarker(before, read);
  const ours = !refused && sameMarker(marked, read);
  return (untouched || ours) && sameSubstance(before, read) ? REDO : STOP;
}

function decidePause(situation: Situation): Decision {
  const { before, read, starts, buyOnce, ownMark } = situation;
  if (!read.is_active) return decidePaused(situation);
  if (gapOf(situation) === 0) return AGAIN;
  if (!sameMarker(before, read)) return STOP;
  if (!starts) return REDO;
  if (buyOnce || !sameSubstance(before, read)) return STOP;
  return ownMark === undefined ? REDO : RENEW;
}

/** A pause whose fate is unknown, and the task is paused: by us, by somebody, or by its own first trade? */
function decidePaused(situation: Situation): Decision {
  const { before, read, refused, starts, buyOnce, ownMark } = situation;
  if (!starts) return sameMarker(before, read) ? DONE : STOP;
  const ours =
    !refused &&
    !buyOnce &&
    gapOf(situation) === 1 &&
    isPendingAt(ownMark, read.version) &&
    sameTask({ ...before, is_active: false }, read);
  return ours ? DONE : STOPPED;
}

/** A patch with a pending mark; the task is paused and the resume comes next. */
function decideArmingPatch(situation: Situation): Decision {
  const { before, read, refused, buyOnce, foreign } = situation;
  if (read.is_active) return STOP;
  const gap = gapOf(situation);
  const armed = after(situation);
  if (gap === 0) return sameTask(armed, read) ? DONE : AGAIN;
  if (!refused && gap === 1 && sameTask(armed, read)) return DONE;
  if (buyOnce || foreign > 0) return STOP;
  if (gap === 1 && lightlyEdited(before, read)) return REDO;
  return !refused && gap === 2 && lightlyEdited(armed, read) ? REDO : STOP;
}

/** A patch after which nothing is started. */
function decidePlainPatch(situation: Situation): Decision {
  const { before, body, read, refused } = situation;
  const wanted = after(situation);
  if (sameTask(wanted, read)) return DONE;
  if (read.is_active !== before.is_active) return STOP;
  if (gapOf(situation) === 0) return AGAIN;
  const ours = !refused && sameMarker(wanted, read);
  if (!ours && !sameMarker(before, read)) return STOP;
  const trades = body?.config !== undefined || body?.linked_wallets !== undefined;
  return !trades || sameSubstance(before, read) || sameSubstance(wanted, read) ? REDO : STOP;
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
  if (remarkOf(read).type === 'plain') return DONE;
  if (read.remark !== before.remark) return STOP;
  return gapOf(situation) === 0 ? AGAIN : REDO;
}

function decideResume(situation: Situation): Decision {
  const { before, read, buyOnce, foreign } = situation;
  if (read.is_active) return sameMarker(before, read) ? DONE : STOP;
  if (gapOf(situation) === 0) return AGAIN;
  // Two or more versions may hide a start and a stop; one visible edit cannot.
  if (buyOnce || foreign > 0) return STOP;
  return gapOf(situation) === 1 && lightlyEdited(before, read) ? RENEW : STOP;
}

function decideDelete(situation: Situation): Decision {
  const { before, read, starts, foreign } = situation;
  if (read.is_active) return STOP;
  if (gapOf(situation) === 0) return AGAIN;
  if (!sameMarker(before, read) || !sameSubstance(before, read)) return STOP;
  if (!starts) return REDO;
  return foreign === 0 && gapOf(situation) === 1 && noteOrLabelDiffers(before, read) ? REDO : STOP;
}

/** The same for templates: they have no switch, so that only name and config count. */
export function decideTemplate(
  verb: 'patch' | 'delete',
  before: LiveTemplate,
  body: JsonObject | null,
  read: LiveTemplate,
): Decision {
  if (read.version < before.version) return { type: 'stale' };
  const wanted: LiveTemplate = { ...before, ...(body as Partial<LiveTemplate> | null) };
  if (verb === 'patch' && read.name === wanted.name && sameConfig(wanted, read)) return DONE;
  if (read.version === before.version) return AGAIN;
  const name = read.name === before.name || (verb === 'patch' && read.name === wanted.name);
  const config = sameConfig(before, read) || (verb === 'patch' && sameConfig(wanted, read));
  return name && config ? REDO : STOP;
}
