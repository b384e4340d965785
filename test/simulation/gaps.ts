import type { DesiredTask } from '../../src/desired/state.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import type { Client } from './client.ts';
import type { Stop, Story } from './ledger.ts';
import type { Strike } from './simulation.ts';

/**
 * The known gaps of DESIGN section 3, each with the one situation that it excuses. Those of the first list excuse a start
 * of what somebody stopped, those of the second a task that is left paused.
 */
export interface StartGap {
  readonly name: string;
  /** `starter`: who starts it. */
  readonly explains: (stop: Stop, story: Story, starter: Client) => boolean;
}

export const START_GAPS: readonly StartGap[] = [
  {
    // (1) A crash, or a lost pause answer, between mark and pause together with a person's pause; or another apply that
    // comes before the first one has found out.
    name: 'pause-on-our-mark',
    explains: ({ by, ran, armed, version, markedBy, on }, _, starter) =>
      by === 'person' &&
      ran &&
      armed === version &&
      markedBy !== undefined &&
      (markedBy !== starter ||
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
    // (5) A person clones a task and deletes the original: the clone counts as ours.
    name: 'clone-took-over',
    explains: (_, { cloned }) => cloned,
  },
];

export interface RestGap {
  readonly name: string;
  /** `predecessor`: the task that it replaces. */
  readonly explains: (scene: {
    readonly story: Story;
    readonly predecessor: Story | undefined;
    readonly desired: DesiredTask;
    readonly fired: readonly Strike[];
    readonly choices: Choices;
  }) => boolean;
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
    // Section 3: an apply goes on over one note or label, and stops at anything else, with `@0`.
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
    // Section 3: `buy_once` has no mark before its pause; at most one start matters more than a start for certain.
    name: 'buy-once-unmarked',
    explains: ({ story, predecessor, desired }) =>
      (story.once || predecessor?.once === true || desired.config.buy_once === true) &&
      [story, predecessor].some(
        (one) => one?.pausedBy !== undefined && one.pausedUnmarked && (isStruck(one.pausedBy) || one.meddled),
      ),
  },
  {
    // Section 3: marks predict versions; where the service counts otherwise than by one, an interrupted start is held.
    name: 'counts-otherwise',
    explains: ({ choices, fired }) => choices.version_step !== 1 && fired.length > 0,
  },
  {
    // A gateway repeats a pause and shows the second answer: it looks as if somebody else had been faster.
    name: 'pause-answered-twice',
    explains: ({ fired }) =>
      fired.some(({ kind, pick, path }) => kind === 'twice' && pick % 2 === 1 && path.endsWith('/pause')),
  },
  {
    name: 'clone-took-over',
    explains: ({ story }) => story.cloned,
  },
];

/** It died, missed an answer, lost its credential, or stopped part-way. */
function isStruck({ dead, unclear, cutOff, unfinished }: Client): boolean {
  return dead || cutOff || unfinished || unclear.size > 0;
}
