import type { Armed } from '../../src/core/model/armed.ts';
import type { HttpRequest } from '../../src/core/ports/transport.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import type { Client } from './client.ts';
import { addressOf, type FIELDS, markOf } from './marks.ts';

/** Who did it. */
export type Actor =
  | { readonly type: 'runner'; readonly client: Client; readonly request: HttpRequest }
  | { readonly type: 'person' }
  /** A first trade of `buy_once`. */
  | { readonly type: 'fire' };

/** One task before and after one commit. */
export interface Fact {
  readonly actor: Actor;
  readonly id: string;
  readonly before: StoredTask | undefined;
  readonly after: StoredTask | undefined;
}

/** Somebody wants the task not to run: it must not be started until that is asked anew. */
export interface Stop {
  /** The task that was stopped. */
  readonly on: string;
  /**
   * `hold`: a runner whose change failed, and that was asked to leave the task paused then; `adoption`: what is adopted
   * paused stays so (DESIGN 3).
   */
  readonly by: 'person' | 'fire' | 'seed' | 'hold' | 'adoption';
  /** What the marker said when it happened, and the version that it made. */
  readonly armed: Armed;
  readonly rearm: string | undefined;
  readonly owned: boolean;
  readonly version: number;
  /** It ran until then. */
  readonly ran: boolean;
  /** The runner whose mark the task carried. */
  readonly markedBy: Client | undefined;
  /** A runner's pause was answered with a new version although the task was stopped already. */
  hidden: boolean;
  /** The stopped task was deleted by a person. */
  deleted: boolean;
}

export interface Story {
  readonly id: string;
  readonly createdBy: 'seed' | 'runner' | 'person';
  record: StoredTask | undefined;
  /** What it was made to replace. */
  replaced: Story | undefined;
  /** Commits counted from the beginning; it was there from the one until before the other. */
  readonly born: number;
  died: number | undefined;
  startedBy: 'seed' | 'runner' | 'person' | undefined;
  /** The address in its marker when it last ran with one. */
  ranAs: string | undefined;
  stop: Stop | undefined;
  /** Starts that were asked for and not given yet; a runner's own pause is one, too. */
  permits: number;
  markedBy: Client | undefined;
  /** What people wrote while a start of ours was pending: notes and labels, and anything that counts for more. */
  lightEdits: number;
  heavyEdits: number;
  /** The last value that a person gave each field, and the version that this made. */
  readonly edits: Map<(typeof FIELDS)[number], { readonly value: string; readonly version: number }>;
  /** The runners whose mark stood at those notes and labels; undefined for one of the beginning. */
  lightUnder: (Client | undefined)[];
  /** After such an edit another runner came before the one whose mark stood. */
  overtaken: boolean;
  /** Somebody wrote, be it another runner, after a runner had paused it. */
  meddled: boolean;
  /** The last that was known of it before it was deleted. */
  last: StoredTask;
  /** It has had `buy_once` at some time. */
  once: boolean;
  /** A runner has written into its marker that it is to stay off. */
  remembers: boolean;
  /** Somebody else than a runner took its marker off, or made it unreadable, and it has none since. */
  unnamed: boolean;
  /** It, or what it replaces, is a clone that a person made. */
  cloned: boolean;
  /** The last pause by a runner that was to start it again. */
  pausedBy: Client | undefined;
  /** Its address then. */
  pausedAs: string;
  /** The tasks that were made to replace it and ran then, with its address. */
  pausedBeside: readonly Story[];
  /** The version that this pause made. */
  pausedVersion: number | undefined;
  /** The runner that created it, where its first mark keeps it off. */
  madeOffBy: Client | undefined;
  /** Somebody who is no runner has written to it. */
  touched: boolean;
  /** The last runner that took a pending start back which was not its own. */
  settledBy: Client | undefined;
  /** The task was paused by a runner while its marker held no pending version of that pause. */
  pausedUnmarked: boolean;
}

export function started(story: Story): void {
  story.stop = undefined;
  story.pausedBy = undefined;
  story.settledBy = undefined;
  story.meddled = false;
  story.lightEdits = 0;
  story.heavyEdits = 0;
  story.lightUnder = [];
  story.overtaken = false;
  story.remembers = false;
}

export function stopOf(
  by: Stop['by'],
  before: StoredTask,
  after: StoredTask,
  markedBy: Client | undefined,
): Stop {
  const mark = markOf(before.remark);
  return {
    on: before.id,
    by,
    armed: mark?.armed,
    rearm: mark?.rearm,
    owned: mark !== undefined,
    version: after.version,
    ran: before.is_active,
    markedBy,
    hidden: false,
    deleted: false,
  };
}

export function blank(task: StoredTask, commit: number): Story {
  return {
    id: task.id,
    createdBy: 'seed',
    record: task,
    born: commit,
    died: undefined,
    startedBy: task.is_active ? 'seed' : undefined,
    ranAs: task.is_active ? addressOf(task) : undefined,
    stop: undefined,
    permits: 0,
    markedBy: undefined,
    lightEdits: 0,
    heavyEdits: 0,
    edits: new Map(),
    lightUnder: [],
    overtaken: false,
    meddled: false,
    last: task,
    cloned: false,
    once: task.config.buy_once === true,
    unnamed: false,
    remembers: false,
    replaced: undefined,
    pausedBy: undefined,
    pausedAs: '',
    pausedBeside: [],
    pausedVersion: undefined,
    madeOffBy: undefined,
    touched: false,
    settledBy: undefined,
    pausedUnmarked: false,
  };
}

/** A paused task of the beginning: it is stopped unless its marker says that a start is still to come (DESIGN 3). */
export function seeded(task: StoredTask): Story {
  const story = blank(task, 0);
  if (task.is_active) return story;
  const mark = markOf(task.remark);
  const pending = mark?.armed === task.version;
  if (pending) story.permits = 1;
  else story.stop = stopOf('seed', task, task, undefined);
  return story;
}
