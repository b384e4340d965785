import type { Failure } from '../../act/outcome.ts';
import { Interrupted, Requests } from '../../act/requests.ts';
import type { OffGoal } from '../../act/switch-off.ts';
import { MOST_REFUSED, PausedTask } from '../../act/switch-off.ts';
import { write } from '../../act/write.ts';
import { orStopped } from '../../command/interruption.ts';
import type { TaskCollection } from '../../model/kind.ts';
import { ownMarkerOf } from '../../model/marker.ts';
import { isTask, type LiveResource, type LiveTask } from '../../model/resource.ts';
import type { OffPolicy, Stops } from '../../model/switched.ts';
import {
  byExposure,
  isChosen,
  type KnownTask,
  knownTask,
  nameOf,
  type TaskSelection,
} from '../../plan/identity/known-task.ts';
import type { Api } from '../../ports/api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Limiter } from '../../ports/limiter.ts';
import type { Progress } from '../../ports/output.ts';
import { isCredentialError } from '../../service/resources/failure.ts';
import { type Survey, surveyTasks } from '../../service/view/survey.ts';
import type { PauseFreeze } from './freeze.ts';
import { sideBySide } from './run.ts';

/** What switching needs from outside. */
interface SwitchDeps {
  readonly api: Api;
  readonly clock: Clock;
  readonly limiter: Limiter;
  /** Slots for pages, so that no pause waits for a page, and no page for a pause. */
  readonly pages: Limiter;
  readonly stop: { readonly soft: AbortSignal; readonly hard: AbortSignal };
  /** When pausing ends (ms since the epoch), unless a task was not tried yet. */
  readonly until: number;
  /** Called when each chosen task was tried once. */
  readonly tried?: () => void;
  /** A pause ends only with a reading under its freeze. */
  readonly freeze?: Pick<PauseFreeze, 'isSet' | 'stands'> | undefined;
  readonly progress: Progress;
}

export interface PauseAsk {
  readonly selection: TaskSelection;
  readonly policy: OffPolicy;
  /** Other projects of the fleet: their tasks get the mark of their own project. */
  readonly others?: readonly OffPolicy[];
  /** What the same command stopped, whichever unit of the fleet did. */
  readonly stops?: Stops;
  /** Kinds to read: those that were requested and that the token can read. */
  readonly kinds: readonly TaskCollection[];
  /** Kinds that the token cannot pause, and why: nothing is sent to their tasks. */
  readonly refused?: ReadonlyMap<TaskCollection, Failure>;
  /** Only read. */
  readonly dryRun: boolean;
}

export interface PauseResult {
  readonly tasks: readonly PausedTask[];
  /** Everything that the last reading showed, chosen or not. */
  readonly seen: readonly KnownTask[];
  /** The last reading showed all existing tasks, and none of the chosen ones is running that could be paused. */
  readonly verified: boolean;
  /** The last complete reading. Undefined if there was none. */
  readonly survey: Survey | undefined;
  readonly interrupted: boolean;
}

/** Of what runs, before the first mark of a paused task. */
const MOST_READINGS = 5;
/** A running apply may start more tasks for a while. */
const MOST_ROUNDS = 20;
/** Milliseconds before the second reading. Each further wait adds the same amount, up to the maximum. */
const WAIT = { first: 500, most: 2_000 };

/**
 * Pauses the chosen tasks while their lists are read, the most expensive of those that are known first, and reads again until none
 * of them runs. Continues after every error. Nothing but pauses is sent before the first reading ends. One function, because all of
 * it works on the tasks that were met.
 */
export async function pauseChosen(ask: PauseAsk, deps: SwitchDeps): Promise<PauseResult> {
  const { selection, policy, others = [], stops, kinds, dryRun } = ask;
  const { api, clock, limiter, stop, freeze, progress } = deps;
  const slots = { limiter, signal: stop.soft };
  const tasks = new Map<string, PausedTask>();
  const closed = new Map(ask.refused);
  /** Those to which a pause is sent when a slot is free, in this order. */
  let waiting: PausedTask[] = [];
  let survey = undefined as Survey | undefined;

  if (dryRun) deps.tried?.();
  else await pauseAll();
  const verified = await rounds(dryRun ? 1 : MOST_ROUNDS);
  return {
    tasks: dearestFirst([...tasks.values()]),
    seen: (survey?.tasks ?? []).map((task) => knownTask(task, policy)),
    verified,
    survey,
    interrupted: stop.soft.aborted,
  };

  async function rounds(most: number): Promise<boolean> {
    // A task that was just paused may be changed by an apply or a person at the same time, so it must be seen off twice.
    let quiet = tasks.size === 0;
    for (let round = 1; round <= most && !stop.soft.aborted; round += 1) {
      if (round > 1 && late()) return false;
      const frozen = freeze?.isSet === true;
      const read = await look(false);
      if (read === undefined) return false;
      survey = read;
      for (const task of read.tasks) tasks.get(task.id)?.reread(task);
      meet(read.tasks);
      const work = open();
      if (work.length === 0 && read.failures.size === 0) {
        const isOff = quiet && (read.doubt === undefined || round > 1);
        if (isOff && (freeze === undefined || (await freeze.stands(frozen)))) return true;
        quiet = true;
      } else {
        quiet = false;
        await each(work, 'paused');
        await each(open(), 'marked');
      }
      if (round < most) await clock.sleep(Math.min(WAIT.most, WAIT.first * round), stop.soft);
    }
    return false;
  }

  function late(): boolean {
    return clock.now() >= deps.until;
  }

  function over(): boolean {
    return stop.soft.aborted || late();
  }

  function look(activeOnly: boolean, came = (_page: readonly LiveResource[]) => {}) {
    return orStopped(surveyTasks({ api, progress, limiter: deps.pages, kinds, activeOnly, came }), stop.soft);
  }

  /** Records the tasks that were not met before. Returns the chosen ones of them. */
  function meet(found: readonly LiveTask[]): readonly PausedTask[] {
    const met = found.flatMap((task) => {
      if (tasks.has(task.id)) return [];
      const known = knownTask(task, policy);
      if (!isChosen(known, selection)) return [];
      const whose = [policy, ...others].find((one) => ownMarkerOf(task, one) !== undefined) ?? policy;
      const chosen = new PausedTask(known, whose, late, over, stops);
      tasks.set(task.id, chosen);
      if (dryRun && task.is_active) chosen.failure = closed.get(task.collection);
      return chosen;
    });
    const total = [...tasks.values()].filter(({ ran }) => ran).length;
    if (!dryRun) progress.emit({ type: 'work', total });
    return met;
  }

  /** The chosen tasks that still need work. */
  function open(): readonly PausedTask[] {
    return [...tasks.values()].filter(({ isOpen }) => isOpen);
  }

  /**
   * Pauses what runs: while it is read what needs no mark before, then the rest. Then the marks that can wait, so that no mark keeps
   * a task running longer.
   */
  async function pauseAll(): Promise<void> {
    for (let reading = 1; reading <= MOST_READINGS && !over(); reading += 1) {
      const again = await pauseWhileReading();
      await each(open(), 'paused');
      if (reading === 1) deps.tried?.();
      if (!again) break;
    }
    await each(open(), 'marked');
  }

  /**
   * Reads only what runs, because there may be many more tasks that are paused. True if it has to be done again: a page failed, or a
   * pause took its task off the list, and where a cursor is a count, the next page then leaves others out.
   */
  async function pauseWhileReading(): Promise<boolean> {
    const pages: Promise<number>[] = [];
    const read = await look(true, (page) => pages.push(pauseAtOnce(page.filter(isTask))));
    const paused = await Promise.all(pages);
    const whole = read?.failures.size === 0 && pages.length <= kinds.length;
    return !whole && paused.some((some) => some > 0);
  }

  /** Pauses what a page shows, unless a mark has to be written before. Each slot takes the most expensive that waits. */
  async function pauseAtOnce(page: readonly LiveTask[]): Promise<number> {
    const met = stop.soft.aborted ? [] : meet(page).filter(({ pausesFirst }) => pausesFirst);
    waiting = dearestFirst([...waiting, ...met]);
    await sideBySide(met, slots, async () => {
      const [next] = waiting.splice(0, 1);
      if (next !== undefined) await switchOff(next, 'only-paused');
    });
    return met.length;
  }

  /** The pauses of what runs, or the marks of what is off, the most expensive task first. A dry run sends none. */
  async function each(work: readonly PausedTask[], goal: 'paused' | 'marked'): Promise<void> {
    const due = dearestFirst(dryRun ? [] : work).filter(({ task }) => task.is_active === (goal === 'paused'));
    await sideBySide(due, slots, (task) => switchOff(task, goal));
  }

  async function switchOff(switched: PausedTask, goal: OffGoal): Promise<void> {
    const { collection, is_active: runs } = switched.task;
    if (runs && switched.told !== undefined && late()) return;
    const refused = closed.get(collection);
    if (refused !== undefined) {
      if (!switched.uncertain) switched.failure = refused;
      switched.refusedRounds = MOST_REFUSED;
      return;
    }
    const address = nameOf(switched.known);
    if (runs && switched.told === undefined) progress.emit({ type: 'chain-start', address, steps: 1 });
    const requests = new Requests(api, clock, stop.hard);
    try {
      const end = await write(switched.towards(goal), requests);
      if (end === 'hopeless') refuse(switched);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      switched.uncertain ||= error.inFlight;
    } finally {
      switched.requestIds.push(...requests.requestIds);
      const { ending, again } = switched;
      const told = again === undefined ? ending.status : 'again';
      if (runs && told !== switched.told)
        progress.emit({ address, ...(again ?? { type: 'chain-end', ...ending }) });
      switched.told = told;
    }
  }

  function refuse(switched: PausedTask): void {
    const { failure, task } = switched;
    switched.refusedRounds += 1;
    if (failure?.error === undefined || !isCredentialError(failure.error.code)) return;
    // No other task of the kind will succeed either.
    switched.refusedRounds = MOST_REFUSED;
    closed.set(task.collection, failure);
  }
}

function dearestFirst(tasks: readonly PausedTask[]): PausedTask[] {
  return tasks.toSorted((a, b) => byExposure(a.known, b.known));
}
