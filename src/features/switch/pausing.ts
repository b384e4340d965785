import type { Failure } from '../../apply/outcome.ts';
import { Interrupted, Requests } from '../../apply/requests.ts';
import { orStopped } from '../../command/interruption.ts';
import { isUnmarked, type Off } from '../../model/armed.ts';
import type { TaskCollection } from '../../model/kind.ts';
import { ownMarkerOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import {
  byExposure,
  isChosen,
  type KnownTask,
  knownTask,
  nameOf,
  type TaskSelection,
} from '../../plan/identity/known-task.ts';
import {
  nextOffStep,
  type OffMemory,
  type OffPolicy,
  seen,
  staysOff,
} from '../../plan/switch/pause-steps.ts';
import type { Api } from '../../ports/api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Limiter } from '../../ports/limiter.ts';
import type { Progress } from '../../ports/output.ts';
import { isCredentialError } from '../../service/resources/failure.ts';
import { type Survey, surveyTasks } from '../../service/view/survey.ts';
import { type OffGoal, switchOff } from './pause-task.ts';
import { sideBySide } from './run.ts';

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

/** A chosen task and its result. */
export interface PausedTask {
  readonly known: KnownTask;
  readonly status: 'paused' | 'off' | 'running' | 'unknown' | 'gone';
  /** A later apply leaves it off. null if this command cannot know: the task is not owned, or git paused it. */
  readonly held: boolean | null;
  /** The last mark that this run wrote. */
  readonly wrote: Off | undefined;
  /** The mark that a paused task still lacks: it could not be written, or nothing was to be sent. */
  readonly missing: Off | undefined;
  readonly failure: Failure | undefined;
  /** Somebody started it again after its pause, and no later reading has shown it off. */
  readonly restarted: boolean;
  readonly requestIds: readonly string[];
}

/** The present knowledge about a task that is to be off. */
interface PauseEntry {
  known: KnownTask;
  memory: OffMemory;
  wrote: Off | undefined;
  failure: Failure | undefined;
  /** An answer was lost, and the task could not be read since. */
  uncertain: boolean;
  gone: boolean;
  refused: number;
  /** It was found running after its pause, and no later reading has shown it off. */
  restarted: boolean;
  readonly requestIds: string[];
}

function newEntry(known: KnownTask): PauseEntry {
  return {
    known,
    memory: { ran: known.task.is_active, refused: { running: false, paused: false } },
    wrote: undefined,
    failure: undefined,
    uncertain: false,
    gone: false,
    refused: 0,
    restarted: false,
    requestIds: [],
  };
}

/** Records a reading. A page may be older than an answer that this run received. */
function seeAgain(entry: PauseEntry, task: LiveTask, policy: OffPolicy): void {
  if (task.version < entry.known.task.version) return;
  entry.restarted = task.is_active && entry.memory.ran && !entry.known.task.is_active;
  entry.known = knownAs(entry.known, task, policy);
  entry.memory = seen(entry.memory, task, policy);
  entry.uncertain = false;
  entry.gone = false;
}

/** The current task under the name by which it was chosen. */
function knownAs(before: KnownTask, task: LiveTask, policy: OffPolicy): KnownTask {
  const { address, owner, marker } = before;
  return { ...knownTask(task, policy), address, owner, marker };
}

function toldOf(entry: PauseEntry, policy: OffPolicy): PausedTask {
  const { known, memory, wrote, failure, restarted, requestIds } = entry;
  const held = heldOf(known.task, memory, policy);
  const missing = entry.gone ? undefined : missingMark(known.task, memory, policy);
  return { known, status: statusOf(entry), held, wrote, missing, failure, restarted, requestIds };
}

function missingMark(task: LiveTask, memory: OffMemory, policy: OffPolicy): Off | undefined {
  if (task.is_active) return undefined;
  const step = nextOffStep(task, policy, { ...memory, refused: { ...memory.refused, paused: false } });
  return step.type === 'mark' ? step.armed : undefined;
}

function statusOf({ known, memory, uncertain, gone, restarted }: PauseEntry): PausedTask['status'] {
  if (gone) return 'gone';
  if (known.task.is_active) return uncertain ? 'unknown' : 'running';
  if (restarted) return 'unknown';
  return memory.ran ? 'paused' : 'off';
}

function heldOf(task: LiveTask, memory: OffMemory, policy: OffPolicy): boolean | null {
  const marker = ownMarkerOf(task, policy);
  if (marker === undefined || task.is_active) return null;
  if (isUnmarked(marker.armed) && !memory.ran) return null;
  return staysOff(task, marker.armed, policy);
}

/** The end of its progress line. */
function endingOf({ known, failure, uncertain, gone }: PauseEntry) {
  if (gone) return { status: 'done', text: 'deleted in the meantime' } as const;
  if (!known.task.is_active) return { status: 'done', text: 'paused' } as const;
  return { status: uncertain ? 'unknown' : 'failed', text: failure?.text ?? '' } as const;
}
