import { type Armed, parseRemark } from '../../src/model/marker.ts';
import type { HttpRequest } from '../../src/ports/transport.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import type { Client } from './client.ts';

export const PROJECT = 'core';

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
  readonly by: 'person' | 'fire' | 'seed';
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
  stop: Stop | undefined;
  /** Starts that were asked for and not given yet; a runner's own pause is one, too. */
  permits: number;
  markedBy: Client | undefined;
  /** What people wrote while a start of ours was pending: notes and labels, and anything that counts for more. */
  lightEdits: number;
  heavyEdits: number;
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
  /** It, or what it replaces, is a clone that a person made. */
  cloned: boolean;
  /** The last pause by a runner that was to start it again. */
  pausedBy: Client | undefined;
  /** The task was paused by a runner while its marker held no pending version of that pause. */
  pausedUnmarked: boolean;
}

export interface Mark {
  readonly name: string;
  readonly armed: Armed;
  readonly rearm: string | undefined;
  readonly replaces: string | undefined;
}

const MARKS = new Map<string, Mark | null>();

/** The marker of this project in a stored remark. */
export function markOf(remark: string): Mark | undefined {
  let mark = MARKS.get(remark);
  if (mark === undefined) {
    const parsed = parseRemark(remark);
    const ours = parsed.type === 'marked' && parsed.marker.project === PROJECT;
    mark = ours
      ? {
          name: parsed.marker.name,
          armed: parsed.marker.armed,
          rearm: parsed.marker.rearm,
          replaces: parsed.marker.replaces,
        }
      : null;
    if (MARKS.size > 20_000) MARKS.clear();
    MARKS.set(remark, mark);
  }
  return mark ?? undefined;
}

export function addressOf({ collection, remark }: StoredTask): string | undefined {
  const mark = markOf(remark);
  return mark === undefined ? undefined : `${collection}/${mark.name}`;
}

/** True where the mark announces a step of ours that is still to come. */
export function isPending({ remark, version, is_active }: StoredTask): boolean {
  const armed = markOf(remark)?.armed;
  return typeof armed === 'number' && armed > 0 && (is_active ? armed > version : armed >= version);
}

/** What happened to every task, told fact by fact; the memory that the invariants judge by. */
export class Ledger {
  readonly stories = new Map<string, Story>();
  /** Of addresses whose stopped task is gone: the stop lives on. */
  readonly inherited = new Map<string, Stop>();

  constructor(tasks: Iterable<StoredTask>) {
    for (const task of tasks) this.stories.set(task.id, seeded(task));
  }

  story(id: string): Story {
    const story = this.stories.get(id);
    if (story === undefined) throw new Error(`nothing is known of ${id}`);
    return story;
  }

  /** Living tasks that carry an address's marker. */
  owners(address: string): readonly Story[] {
    return [...this.stories.values()].filter(
      ({ record }) => record !== undefined && addressOf(record) === address,
    );
  }

  take(fact: Fact, commit: number): void {
    const { id, before, after, actor } = fact;
    if (before === undefined) {
      if (after !== undefined) this.stories.set(id, this.born(actor, after, commit));
      return;
    }
    const story = this.story(id);
    story.record = after;
    story.last = after ?? before;
    story.once ||= story.last.config.buy_once === true;
    if (after === undefined) story.died = commit;
    else if (after.is_active && !before.is_active)
      story.startedBy = actor.type === 'runner' ? 'runner' : 'person';
    if (actor.type === 'runner') this.byRunner(story, before, after, actor.client, actor.request);
    else this.byOthers(story, before, after, actor.type);
  }

  private born(actor: Actor, task: StoredTask, commit: number): Story {
    const byRunner = actor.type === 'runner';
    const story: Story = {
      ...blank(task, commit),
      createdBy: byRunner ? 'runner' : 'person',
      cloned: !byRunner,
    };
    if (!byRunner) return story;
    story.permits = 1;
    story.markedBy = actor.client;
    const address = addressOf(task) ?? '';
    const predecessor = this.named(task);
    story.replaced = predecessor;
    story.cloned = predecessor?.cloned === true;
    const paused = actor.client.wanted(address)?.state === 'paused';
    story.stop = paused ? undefined : (predecessor?.stop ?? this.inherited.get(address));
    this.inherited.delete(address);
    return story;
  }

  /** The task that a new one was made to replace. */
  predecessor({ replaced, last }: Story): Story | undefined {
    const other = replaced ?? this.named(last);
    return replaced !== undefined || (other !== undefined && addressOf(other.last) === addressOf(last))
      ? other
      : undefined;
  }

  /** The task that a marker names by `~`. */
  private named(task: StoredTask): Story | undefined {
    const replaces = markOf(task.remark)?.replaces;
    if (replaces === undefined) return undefined;
    return [...this.stories.values()].find(
      ({ id, last }) => id !== task.id && id.startsWith(replaces) && last.collection === task.collection,
    );
  }

  private byRunner(
    story: Story,
    before: StoredTask,
    after: StoredTask | undefined,
    client: Client,
    request: HttpRequest,
  ): void {
    const address = addressOf(before) ?? '';
    const wanted = client.wanted(after === undefined ? address : (addressOf(after) ?? ''));
    if (story.pausedBy !== undefined && story.pausedBy !== client) story.meddled = true;
    if (after === undefined) {
      if (wanted !== undefined && wanted.state !== 'paused') this.bequeath(story, address);
      return;
    }
    if (story.lightUnder.some((marker) => marker !== client)) story.overtaken = true;
    const from = markOf(before.remark);
    const to = markOf(after.remark);
    if (before.remark !== after.remark) {
      story.markedBy = client;
      const asked = from !== undefined && from.rearm !== to?.rearm && to?.rearm !== undefined;
      const anew = from !== undefined && from.armed === undefined && to?.armed !== undefined;
      if (asked || (anew && !after.is_active)) story.permits += 1;
      if (!after.is_active && to?.armed === undefined && wanted?.state === 'paused') story.stop = undefined;
    }
    if (before.is_active && !after.is_active) {
      story.permits += 1;
      story.pausedBy = client;
      story.pausedUnmarked = to?.armed !== after.version;
      story.meddled = false;
    }
    if (
      !before.is_active &&
      !after.is_active &&
      request.path.endsWith('/pause') &&
      story.stop !== undefined
    ) {
      story.stop.hidden = true;
    }
    if (!before.is_active && after.is_active) {
      story.permits -= 1;
      started(story);
    }
  }

  /** A replaced task is gone: that it was stopped counts for what takes its place, now or later. */
  private bequeath(story: Story, address: string): void {
    // Of an unfinished replacement that is undone, the task that stays keeps its own memory.
    if (this.predecessor(story)?.record !== undefined) return;
    const heirs = this.owners(address);
    // One that runs was started for its own sake.
    for (const heir of heirs) if (heir.record?.is_active !== true) heir.stop ??= story.stop;
    if (heirs.length === 0 && story.stop !== undefined) this.inherited.set(address, story.stop);
  }

  private byOthers(
    story: Story,
    before: StoredTask,
    after: StoredTask | undefined,
    by: 'person' | 'fire',
  ): void {
    if (after === undefined) {
      const address = addressOf(before);
      if (story.stop !== undefined && address !== undefined) {
        story.stop.deleted = true;
        this.bequeath(story, address);
      }
      return;
    }
    if (story.pausedBy !== undefined) story.meddled = true;
    if (isPending(before) || story.pausedBy !== undefined) {
      if (isLight(before, after)) {
        story.lightEdits += 1;
        story.lightUnder.push(story.markedBy);
      } else story.heavyEdits += 1;
    }
    if (!before.is_active && after.is_active) {
      started(story);
      story.permits = 0;
      // What is to take its place is to run again, too.
      for (const heir of this.stories.values()) {
        if (addressOf(before) !== undefined && this.predecessor(heir) === story) heir.stop = undefined;
      }
      return;
    }
    const stops = before.is_active && !after.is_active;
    // Upon a paused task it says something only while a start is to come.
    const waiting = isPending(before) || story.pausedBy !== undefined;
    const again = waiting && !before.is_active && !after.is_active && this.pausing === story.id;
    if (stops || again) story.stop ??= stopOf(by, before, after, story.markedBy);
  }

  /** Set while a person presses pause, also upon a task that is paused. */
  pausing: string | undefined;
}

function started(story: Story): void {
  story.stop = undefined;
  story.pausedBy = undefined;
  story.meddled = false;
  story.lightEdits = 0;
  story.heavyEdits = 0;
  story.lightUnder = [];
  story.overtaken = false;
}

/** A note or a label alone. */
function isLight(before: StoredTask, after: StoredTask): boolean {
  const marks = [markOf(before.remark), markOf(after.remark)];
  const same = JSON.stringify(marks[0]) === JSON.stringify(marks[1]) && marks[0] !== undefined;
  const visible = before.remark !== after.remark || before.risk_label_id !== after.risk_label_id;
  const config = JSON.stringify(before.config) === JSON.stringify(after.config);
  return same && visible && config && before.is_active === after.is_active;
}

function stopOf(by: Stop['by'], before: StoredTask, after: StoredTask, markedBy: Client | undefined): Stop {
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

function blank(task: StoredTask, commit: number): Story {
  return {
    id: task.id,
    createdBy: 'seed',
    record: task,
    born: commit,
    died: undefined,
    startedBy: task.is_active ? 'seed' : undefined,
    stop: undefined,
    permits: 0,
    markedBy: undefined,
    lightEdits: 0,
    heavyEdits: 0,
    lightUnder: [],
    overtaken: false,
    meddled: false,
    last: task,
    cloned: false,
    once: task.config.buy_once === true,
    replaced: undefined,
    pausedBy: undefined,
    pausedUnmarked: false,
  };
}

/** A paused task of the beginning: it is stopped unless its marker says that a start is still to come (DESIGN 3). */
function seeded(task: StoredTask): Story {
  const story = blank(task, 0);
  if (task.is_active) return story;
  const mark = markOf(task.remark);
  const pending = mark?.armed === task.version;
  if (pending) story.permits = 1;
  else story.stop = stopOf('seed', task, task, undefined);
  return story;
}
