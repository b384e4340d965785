import type { DesiredTask } from '../../src/core/desired/state.ts';
import { isOff } from '../../src/core/model/armed.ts';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import type { HttpRequest } from '../../src/core/ports/transport.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import { type Client, SAID_HELD } from './client.ts';
import { addressOf, FIELDS, fieldsOf, isFormer, isLight, isPending, markOf } from './marks.ts';
import { type Actor, blank, type Fact, type Stop, type Story, seeded, started, stopOf } from './story.ts';

/** What happened to every task, told fact by fact; the memory that the invariants judge by. */
export class Ledger {
  readonly stories = new Map<string, Story>();
  /** Of addresses whose stopped task is gone: the stop lives on. */
  readonly inherited = new Map<string, Stop>();

  constructor(tasks: Iterable<StoredTask>) {
    for (const task of tasks) this.stories.set(task.id, seeded(task));
    for (const story of this.stories.values()) story.replaced = this.predecessor(story);
    // The start that was asked for its predecessor, which runs and has not fired, is its own, as of one that a runner makes.
    for (const story of this.stories.values())
      if (this.isRevived(story)) Object.assign(story, { stop: undefined, permits: 1 });
  }

  story(id: string): Story {
    const story = this.stories.get(id);
    if (story === undefined) throw new Error(`nothing is known of ${id}`);
    return story;
  }

  /** Living tasks that carry an address's marker; under the project's former name only where none has the present one. */
  owners(address: string): readonly Story[] {
    const all = [...this.stories.values()].filter(
      ({ record }) => record !== undefined && addressOf(record) === address,
    );
    const present = all.filter(({ record }) => record !== undefined && !isFormer(record));
    return present.length > 0 ? present : all;
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
    if (after?.is_active === true) story.ranAs = addressOf(after) ?? story.ranAs;
    if (after === undefined) story.died = commit;
    else story.unnamed = markOf(after.remark) === undefined && (story.unnamed || unnames(actor, before));
    if (after?.is_active && !before.is_active)
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
    story.remembers = isRemembered(task);
    const address = addressOf(task) ?? '';
    const predecessor = this.named(task);
    story.replaced = predecessor;
    const armed = markOf(task.remark)?.armed;
    if (armed === 0 || isOff(armed)) story.madeOffBy = actor.client;
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

  /** As an apply left it that replaced a stopped task, which somebody has started since: the new one is to run, too. */
  private isRevived(story: Story): boolean {
    const { last } = story;
    const armed = markOf(last.remark)?.armed;
    const untouched = (armed === 0 && last.version <= 2) || (isOff(armed) && last.version === 1);
    return untouched && this.predecessor(story)?.record?.is_active === true;
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
    story.remembers ||= isRemembered(after);
    if (isRemembered(after)) settledBy(story, before, after, client);
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
      story.pausedAs = address;
      story.pausedVersion = after.version;
      story.pausedBeside = this.owners(address).filter(
        (half) => half.record?.is_active === true && this.predecessor(half) === story,
      );
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

  /**
   * A run with `--on-failure hold` has ended: what it left paused on purpose stays stopped, if it said so; anything else
   * counts as left behind. A run that died could not say it; the next plan shows such a task as held.
   */
  heldBy(client: Client, leftPaused: ApplyReport['left_paused']): number {
    let held = 0;
    for (const story of this.stories.values()) {
      if (story.stop?.by !== 'hold' || story.stop.markedBy !== client) continue;
      const said = leftPaused.some(({ id, text }) => id === story.id && text.includes(SAID_HELD));
      if (said) held += 1;
      else story.stop = undefined;
    }
    return held;
  }

  /** A replaced task is gone: that it was stopped counts for what takes its place, now or later. */
  private bequeath(story: Story, address: string): void {
    // Of an unfinished replacement that is undone, the task that stays keeps its own memory.
    if (this.predecessor(story)?.record !== undefined) return;
    const heirs = this.owners(address);
    // One that runs was started for its own sake.
    for (const heir of heirs) if (heir.record?.is_active !== true) heir.stop ??= story.stop;
    // So was one that somebody took the marker off since, but not what was started without it. And one that is to stay off lost the
    // memory with its marker.
    const kept = [...this.stories.values()].some(
      (heir) =>
        this.predecessor(heir) === story &&
        (heir.record?.is_active === true ? heir.ranAs === address : heir.unnamed && heir.stop !== undefined),
    );
    if (heirs.length === 0 && !kept && story.stop !== undefined) this.inherited.set(address, story.stop);
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
    story.touched = true;
    const [was, is] = [fieldsOf(before), fieldsOf(after)];
    for (const field of FIELDS)
      if (by === 'person' && was[field] !== is[field])
        story.edits.set(field, { value: is[field], version: after.version });
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

/** Its marker says that it is to stay off. */
function isRemembered({ remark, is_active }: StoredTask): boolean {
  const armed = markOf(remark)?.armed;
  return !is_active && (armed === 0 || isOff(armed));
}

function unnames(actor: Actor, { remark }: StoredTask): boolean {
  return actor.type !== 'runner' && markOf(remark) !== undefined;
}

/** A runner has written `@0`, or a form, on a paused task. */
function settledBy(story: Story, before: StoredTask, after: StoredTask, client: Client): void {
  const wanted = client.wanted(addressOf(after) ?? '');
  if (isHold(before, after, client, wanted)) story.stop ??= stopOf('hold', before, after, client);
  // From now on the marker says what is remembered.
  if (markOf(before.remark) === undefined)
    story.stop = stopOf(story.stop?.by ?? 'adoption', after, after, client);
  if (isPending(before) && story.markedBy !== client) story.settledBy = client;
}

/** A pending start is taken back, and nothing else: what `--on-failure hold` does once a change has failed. */
function isHold(
  before: StoredTask,
  after: StoredTask,
  { onFailure }: Client,
  wanted: DesiredTask | undefined,
): boolean {
  const same = JSON.stringify(before.config) === JSON.stringify(after.config);
  const starts = wanted !== undefined && wanted.state !== 'paused';
  return onFailure === 'hold' && starts && !before.is_active && isPending(before) && same;
}
