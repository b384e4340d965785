import type { DesiredTask } from '../../src/core/desired/state.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import type { Strike } from './case.ts';
import type { Client, RunEnd } from './client.ts';
import { addressOf } from './marks.ts';
import type { Simulation } from './simulation.ts';
import type { Stop, Story } from './story.ts';

/**
 * The known gaps of DESIGN section 3 and docs/explanation/safety.md, each with the one situation that it excuses. Those of the first list
 * excuse a start of what somebody stopped, those of the second a task that is left paused; the last a change that fails.
 */
export interface StartGap {
  readonly name: string;
  /** `starter`: who starts it. */
  readonly explains: (stop: Stop, story: Story, starter: Client) => boolean;
}

/** (5) A person clones a task and deletes the original: the clone counts as ours. */
export const CLONE_GAP = 'clone-took-over';

/** (3) Somebody takes away the marker of a stopped task that an unfinished replacement replaces. */
export const UNNAMED_GAP = 'stopped-task-unnamed';

/** (11) A list from the past that three readings in a row show, against the quota, counts as complete. */
export const OUTDATED_GAP = 'outdated-list-again';

/** True if the same list was outdated in three readings. */
export function isOutdatedAgain(fired: readonly Strike[]): boolean {
  const stale = fired.filter(({ kind }) => kind === 'stale');
  return stale.some(({ path }) => stale.filter((one) => one.path === path).length > 2);
}

export const START_GAPS: readonly StartGap[] = [
  {
    // (1) A crash, or a lost pause answer, between mark and pause together with a person's pause; or another apply that
    // comes before the first one has found out. A mark of the beginning was left by an apply that died before.
    name: 'pause-on-our-mark',
    explains: ({ by, ran, armed, version, markedBy, on }, _, starter) =>
      by === 'person' &&
      ran &&
      armed === version &&
      (markedBy === undefined ||
        markedBy !== starter ||
        markedBy.dead ||
        markedBy.cutOff ||
        [...markedBy.unclear].some((path) => path.includes(on))),
  },
  {
    // (2) The service answers the pause of a task that has just fired with 200 and a new version.
    name: 'fire-hidden-by-pause',
    explains: ({ by, hidden }) => by === 'fire' && hidden,
  },
  {
    // (3) A person deletes a stopped task that git wants active.
    name: 'stopped-task-deleted',
    explains: ({ deleted }) => deleted,
  },
  {
    name: CLONE_GAP,
    explains: (_, { cloned }) => cloned,
  },
];

export interface RestGap {
  readonly name: string;
  /** `predecessor`: the task that it replaces. */
  readonly explains: (scene: RestScene) => boolean;
}

export interface RestScene {
  readonly story: Story;
  readonly predecessor: Story | undefined;
  /** Other tasks that were made to replace the task or its predecessor. */
  readonly undone: readonly Story[];
  readonly desired: DesiredTask;
  readonly fired: readonly Strike[];
  readonly choices: Choices;
}

export const REST_GAPS: readonly RestGap[] = [
  {
    // (4) A person edits a task in the moment between an interrupted apply and the next one.
    name: 'edited-between-applies',
    explains: ({ story, predecessor }) =>
      [story, predecessor].some(
        (one) =>
          one?.overtaken === true ||
          one?.lightUnder.some((marker) => marker === undefined || isStruck(marker)),
      ),
  },
  {
    // Section 3: after one note or label an apply goes on, or starts the task again; it stops at anything else, with `@0`.
    name: 'edited-under-apply',
    explains: ({ story, predecessor, desired }) =>
      [story, predecessor].some(
        (one) =>
          one !== undefined &&
          (one.heavyEdits > 0 ||
            one.lightEdits > 1 ||
            (one.lightEdits > 0 && (story.once || desired.config.buy_once === true))),
      ),
  },
  {
    // Section 3: `buy_once` has no mark before its pause, since at most one start matters more than a start for certain.
    name: 'buy-once-unmarked',
    explains: ({ story, predecessor, desired }) =>
      (story.once || predecessor?.once === true || desired.config.buy_once === true) &&
      [story, predecessor].some(isUnmarked),
  },
  {
    // Section 3: where the service refuses the mark before the pause, the task is paused without one.
    name: 'mark-refused',
    explains: ({ story, predecessor }) =>
      [story, predecessor].some(
        (one) =>
          isUnmarked(one) &&
          [...(one?.pausedBy?.refused ?? [])].some((path) => path.endsWith(`/configs/${one?.id}`)),
      ),
  },
  {
    // The answer to a mark was lost, and another apply made the same mark and paused the task: it looks as if the first mark had
    // been made, and somebody had paused the task after it. The apply then tells its own new task to stay off, too.
    name: 'mark-in-doubt',
    explains: ({ story, predecessor }) => {
      const inDoubt = (one: Story | undefined, settler = one?.settledBy) =>
        [...(settler?.unclear ?? [])].some((path) => path.endsWith(`/configs/${one?.id}`));
      const another = predecessor?.pausedBy !== undefined && predecessor.pausedBy !== story.markedBy;
      const told = another && story.remembers && story.madeOffBy === undefined;
      return (
        [story, predecessor].some((one) => inDoubt(one)) || (told && inDoubt(predecessor, story.markedBy))
      );
    },
  },
  {
    // A replacement that gets another target before its end: its new half is paused without a mark and deleted. If the answer to
    // that pause is lost, or another apply meets the half there, it looks as if somebody had paused it.
    name: 'undone-half-unmarked',
    explains: ({ story, predecessor, undone }) =>
      [story, predecessor].some((one) => {
        const settler = one?.settledBy;
        const isUnclear = ({ id, pausedBy }: Story) =>
          [...(settler?.unclear ?? [])].some((path) => path.endsWith(`/${id}/pause`)) ||
          (pausedBy !== undefined && pausedBy !== settler);
        return settler !== undefined && undone.some(isUnclear);
      }),
  },
  {
    // A list from the past shows a task that is to be replaced as stopped: the new one is made with the mark of that. Then somebody
    // writes to the new one, so that it does not look any more as if an apply had left it so.
    name: 'settled-from-the-past',
    explains: ({ story: { madeOffBy, touched, last }, predecessor }) =>
      predecessor !== undefined && touched && madeOffBy?.misled.has(last.collection) === true,
  },
  {
    // Section 3, table: a runner of other manifests was to stop it, and died before it took the mark away; a task that is
    // paused with a spent mark was stopped by somebody.
    name: 'stop-interrupted',
    explains: ({ story: { pausedBy, last } }) => {
      if (pausedBy === undefined || !isStruck(pausedBy)) return false;
      const wanted = pausedBy.wanted(addressOf(last) ?? '');
      return wanted === undefined || wanted.state === 'paused';
    },
  },
  {
    // Section 3, replacement: the new task was made to remember a stop; somebody has started the present one meanwhile, and
    // taken away what would show that.
    name: 'started-and-taken-away',
    explains: ({ story, predecessor }) =>
      predecessor?.startedBy === 'person' &&
      (predecessor.record === undefined || addressOf(predecessor.record) !== addressOf(story.last)),
  },
  {
    // Section 3: marks predict versions; where the service counts otherwise than by one, an interrupted start is held.
    name: 'counts-otherwise',
    explains: ({ choices, fired }) => choices.version_step !== 1 && fired.length > 0,
  },
  {
    // A gateway repeats a pause and shows the second answer: it looks as if somebody else had been faster.
    name: 'pause-answered-twice',
    explains: (scene) => pauseWas(scene, ({ kind, pick }) => kind === 'twice' && pick % 2 === 1),
  },
  {
    // A pause is throttled although it was carried out: its repetition looks as if somebody else had been faster.
    name: 'pause-throttled-after',
    explains: (scene) =>
      pauseWas(scene, ({ kind }) => kind === 'throttled-after' || kind === 'unavailable-after'),
  },
  {
    name: CLONE_GAP,
    explains: ({ story }) => story.cloned,
  },
];

/** Excuses a change that fails in an undisturbed run. */
export const LEGACY_GAP = 'running-legacy-revalidated';

/**
 * (8) A service that validates the whole snapshot on every patch refuses even a note for a task that runs on a legacy config;
 * only a pause, which git did not ask for, could mend that. The change fails and says so.
 */
export function legacyAddresses({ ledger, base }: Simulation, end: RunEnd | undefined): ReadonlySet<string> {
  if (base.choices.remark_patch_revalidates !== 'always' || end?.type !== 'applied') return new Set();
  const failed = end.report.changes.filter(({ error }) => error?.code === 'validation_error');
  const legacy = failed.filter(({ id }) => {
    const task = id === null ? undefined : ledger.stories.get(id)?.record;
    return task?.is_active === true && 'since_dropped' in task.config;
  });
  return new Set(legacy.map(({ address }) => address));
}

/** A runner paused it without a mark, and then something came in between. */
function isUnmarked(story: Story | undefined): boolean {
  const { pausedBy, pausedUnmarked, meddled } = story ?? {};
  return pausedBy !== undefined && pausedUnmarked === true && (meddled === true || isStruck(pausedBy));
}

/** A pause of the task, or of the one that it replaces, was struck. */
function pauseWas({ story, predecessor, fired }: RestScene, struck: (strike: Strike) => boolean): boolean {
  const paths = [story, predecessor].flatMap((one) => (one === undefined ? [] : [`/${one.id}/pause`]));
  return fired.some((strike) => paths.some((path) => strike.path.endsWith(path)) && struck(strike));
}

/** It died, missed an answer, lost its credential, or stopped part-way. */
function isStruck({ dead, unclear, cutOff, unfinished }: Client): boolean {
  return dead || cutOff || unfinished || unclear.size > 0;
}
