import type { Failure } from '../../apply/outcome.ts';
import { Interrupted, Requests } from '../../apply/requests.ts';
import { orStopped } from '../../command/interruption.ts';
import type { TaskCollection } from '../../model/kind.ts';
import {
  byExposure,
  isChosen,
  type KnownTask,
  knownTask,
  nameOf,
  type TaskSelection,
} from '../../plan/identity/known-task.ts';
import { nextOffStep, type OffPolicy } from '../../plan/switch/pause-steps.ts';
import type { Api } from '../../ports/api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Limiter } from '../../ports/limiter.ts';
import type { Progress } from '../../ports/output.ts';
import { isCredentialError } from '../../service/resources/failure.ts';
import { type Survey, surveyTasks } from '../../service/view/survey.ts';
import { sideBySide } from './approved-run.ts';
import {
  endingOf,
  knownAs,
  newEntry,
  type PausedTask,
  type PauseEntry,
  seeAgain,
  toldOf,
} from './pause-entry.ts';
import { type OffGoal, switchOff } from './pause-task.ts';

/** What switching needs from outside. */
interface SwitchDeps {
  readonly api: Api;
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly stop: { readonly soft: AbortSignal; readonly hard: AbortSignal };
  readonly progress: Progress;
  /** Called with the number of tasks to switch, before the first of them. */
  readonly begins?: (total: number) => void;
}

export interface PauseAsk {
  readonly selection: TaskSelection;
  readonly policy: OffPolicy;
  /** Kinds to read: those that were requested and that the token can read. */
  readonly kinds: readonly TaskCollection[];
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

/** A running apply may start more tasks for a while. */
const MOST_ROUNDS = 20;
/** Milliseconds before the second reading. Each further wait adds the same amount, up to the maximum. */
const WAIT = { first: 500, most: 2_000 };
const MOST_BLIND = 2;
/** After this many rounds, a task that the service refuses to pause is not tried again. */
const MOST_REFUSED = 2;

/** Pauses the chosen tasks, the most expensive first, and reads again until none of them runs. Continues after every error. */
export function pauseChosen(ask: PauseAsk, deps: SwitchDeps): Promise<PauseResult> {
  return new Pausing(ask, deps).run();
}

class Pausing {
  private readonly entries = new Map<string, PauseEntry>();
  private readonly closed = new Map<TaskCollection, Failure>();
  private readonly ask: PauseAsk;
  private readonly deps: SwitchDeps;
  private survey: Survey | undefined;

  constructor(ask: PauseAsk, deps: SwitchDeps) {
    this.ask = ask;
    this.deps = deps;
  }

  async run(): Promise<PauseResult> {
    const { dryRun } = this.ask;
    // At first only running tasks matter, and there may be many more that are paused.
    if (!dryRun) {
      const work = this.take(await this.look(true));
      if (work.length > 0) this.deps.begins?.(work.length);
      await this.carryOut(work);
    }
    const verified = await this.rounds(dryRun ? 1 : MOST_ROUNDS);
    const { policy } = this.ask;
    return {
      tasks: [...this.entries.values()]
        .map((entry) => toldOf(entry, policy))
        .sort((a, b) => byExposure(a.known, b.known)),
      seen: (this.survey?.tasks ?? []).map((task) => knownTask(task, policy)),
      verified,
      survey: this.survey,
      interrupted: this.deps.stop.soft.aborted,
    };
  }

  private async rounds(most: number): Promise<boolean> {
    const { stop, clock } = this.deps;
    // A task that was just paused may be changed by an apply or a person at the same time, so it must be seen off twice.
    let quiet = this.entries.size === 0;
    let blind = 0;
    for (let round = 1; round <= most && !stop.soft.aborted; round += 1) {
      const survey = await this.look(false);
      if (survey === undefined) return false;
      this.survey = survey;
      const work = this.take(survey);
      if (work.length === 0 && survey.failures.size === 0) {
        if (quiet && (survey.doubt === undefined || round > 1)) return true;
        quiet = true;
      } else {
        quiet = false;
        if (!this.ask.dryRun) await this.carryOut(work);
      }
      // Every request was already repeated at a lower level. After two failed readings, a third one will fail too.
      blind = survey.failures.size === this.ask.kinds.length ? blind + 1 : 0;
      if (blind === MOST_BLIND) return false;
      if (round < most) await clock.sleep(Math.min(WAIT.most, WAIT.first * round), stop.soft);
    }
    return false;
  }

  private look(activeOnly: boolean): Promise<Survey | undefined> {
    const { api, progress, limiter, stop } = this.deps;
    const { kinds } = this.ask;
    return orStopped(surveyTasks({ api, progress, limiter, kinds, activeOnly }), stop.soft);
  }

  /** Records a reading. Returns the chosen tasks that still need work. */
  private take(survey: Survey | undefined): readonly PauseEntry[] {
    const { selection, policy } = this.ask;
    for (const task of survey?.tasks ?? []) {
      const entry = this.entries.get(task.id);
      if (entry !== undefined) seeAgain(entry, task, policy);
      else {
        const known = knownTask(task, policy);
        if (isChosen(known, selection)) this.entries.set(task.id, newEntry(known));
      }
    }
    return [...this.entries.values()].filter((entry) => this.isOpen(entry));
  }

  private isOpen({ known, memory, gone, refused }: PauseEntry): boolean {
    if (gone || refused >= MOST_REFUSED) return false;
    return nextOffStep(known.task, this.ask.policy, memory).type !== 'none';
  }

  /** First all pauses, then all marks that can wait, so that no mark keeps a task running longer. */
  private async carryOut(work: readonly PauseEntry[]): Promise<void> {
    const sorted = [...work].sort((a, b) => byExposure(a.known, b.known));
    await this.each(
      sorted.filter(({ known }) => known.task.is_active),
      'paused',
    );
    await this.each(
      sorted.filter((entry) => !entry.known.task.is_active && this.isOpen(entry)),
      'marked',
    );
  }

  private each(entries: readonly PauseEntry[], goal: OffGoal): Promise<void> {
    const { limiter, stop } = this.deps;
    return sideBySide(entries, { limiter, signal: stop.soft }, (entry) => this.switchOne(entry, goal));
  }

  private async switchOne(entry: PauseEntry, goal: OffGoal): Promise<void> {
    const { api, clock, stop, progress } = this.deps;
    const { task } = entry.known;
    const closed = this.closed.get(task.collection);
    if (closed !== undefined) {
      entry.failure = closed;
      entry.refused = MOST_REFUSED;
      return;
    }
    const address = nameOf(entry.known);
    const runs = task.is_active;
    if (runs) progress.emit({ type: 'chain-start', address, steps: 1 });
    const requests = new Requests(api, clock, stop.hard);
    try {
      const end = await switchOff(task, goal, this.ask.policy, entry.memory, requests);
      entry.memory = end.memory;
      entry.failure = end.failure;
      entry.wrote = end.wrote ?? entry.wrote;
      entry.uncertain = end.failure?.kind === 'unknown';
      entry.gone = end.task === undefined;
      if (end.task !== undefined) entry.known = knownAs(entry.known, end.task, this.ask.policy);
      if (end.hopeless === true) this.refuse(entry, task.collection);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      entry.uncertain = error.inFlight;
    } finally {
      entry.requestIds.push(...requests.requestIds);
      if (runs) progress.emit({ type: 'chain-end', address, ...endingOf(entry) });
    }
  }

  private refuse(entry: PauseEntry, kind: TaskCollection): void {
    entry.refused += 1;
    const { failure } = entry;
    if (failure?.error === undefined || !isCredentialError(failure.error.code)) return;
    // No other task of the kind will succeed either.
    entry.refused = MOST_REFUSED;
    this.closed.set(kind, failure);
  }
}
