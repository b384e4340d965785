import { type Armed, isSameArmed, isUnmarked, type Off, worstPausedVersion } from '../model/armed.ts';
import { armedOf, ownMarkerOf } from '../model/marker.ts';
import { isBuyOnce, isTask, type LiveTask } from '../model/resource.ts';
import type { OffPolicy, Stops } from '../model/switched.ts';
import { writesBetween } from '../model/versions.ts';
import { type KnownTask, knownTask } from '../plan/identity/known-task.ts';
import { decideSwitch } from '../plan/switch/decide-switch.ts';
import { BEFORE_PAUSE, markOfPaused } from '../plan/switch/off-marks.ts';
import type { Outcome } from '../ports/api.ts';
import { isCredentialError } from '../service/resources/failure.ts';
import { answeredResource } from '../service/resources/resource.ts';
import { type Failure, refusal, unreadable } from './outcome.ts';
import { markBody } from './render-body.ts';
import type { Look } from './requests.ts';
import { type Intent, type Next, requestOf } from './write.ts';

/** `hopeless`: the service refused for a reason that a retry does not change. */
type OffEnd = 'reached' | 'given-up' | 'hopeless' | 'gone';

/** Until it is paused, also if only without a mark before, or until it is also marked so that it stays off. */
export type OffGoal = 'only-paused' | 'paused' | 'marked';

type OffStep = { readonly verb: 'mark'; readonly armed: Off } | { readonly verb: 'pause' };

const PAUSE: OffStep = { verb: 'pause' };
const DOING = { mark: 'The mark', pause: 'The pause' } as const;

/** Three marks and a pause. Whoever pauses tries again later, after other tasks. */
const MOST_ATTEMPTS = 4;
/** After this many attempts, a missing mark no longer delays the pause. */
const MOST_MARKS = 3;
/** After this many refusals of an unchanged task, the refusal counts as final. */
const MOST_REFUSALS = 2;

/**
 * Pauses one task, whatever others do to it at the same time, and marks it so that it stays off (DESIGN 3, "The switch"). It differs
 * from what an apply does in its policy: no change by somebody else ends it, an unreadable task is tried again, and a mark that
 * cannot be written, or can be written later, delays no pause. Every request carries the last known version, so that a late
 * delivery has no effect.
 */
export class SwitchOff implements Intent<OffEnd> {
  gone = false;
  /** This run found it running. */
  ran: boolean;
  wrote: Off | undefined;
  /** Why the last attempts did not reach their goal. */
  failure: Failure | undefined;
  /** Nothing has shown what came of a request. */
  uncertain = false;
  /** The service refused the mark: while the task ran, and while it was paused. */
  private readonly refused = { running: false, paused: false };
  /** The version on which a pause was sent whose answer was lost. */
  private lost: number | undefined;
  private goal: OffGoal = 'marked';
  protected sent = PAUSE;
  private end: OffEnd | undefined;
  protected attempts = 0;
  private marks = 0;
  private refusals = 0;

  constructor(
    /** In the last answer or reading. */
    public task: LiveTask,
    protected readonly policy: OffPolicy,
    private readonly stops: Stops = new Map(),
  ) {
    this.ran = task.is_active;
  }

  /** Begins anew. */
  towards(goal: OffGoal): this {
    this.goal = goal;
    this.end = undefined;
    if (!this.uncertain) this.failure = undefined;
    this.attempts = 0;
    this.marks = 0;
    this.refusals = 0;
    return this;
  }

  next(): Next<OffEnd> {
    const { task, policy, goal, refused } = this;
    if (this.end !== undefined) return { end: this.end };
    if (this.attempts === MOST_ATTEMPTS) return { end: 'given-up' };
    const step = this.step;
    if (step === undefined || (goal !== 'marked' && !task.is_active)) {
      // A mark that was given up is reported as well.
      if (!refused.running && !refused.paused) this.failure = undefined;
      return { end: 'reached' };
    }
    if (goal === 'only-paused' && step.verb === 'mark') return { end: 'given-up' };
    this.attempts += 1;
    this.sent = step;
    return {
      send: requestOf(step.verb, task, step.verb === 'mark' ? markBody(task, policy, step.armed) : null),
    };
  }

  answered(outcome: Outcome): LiveTask | undefined {
    const { task, sent } = this;
    const answered = answerOf(task, outcome);
    if (answered !== undefined && isDone(sent, answered)) {
      if (sent.verb === 'mark') this.marked(sent.armed, answered);
      // Paused at the same version: somebody else, or the task's own trade, was faster.
      else if (answered.version > task.version) this.stopped(answered);
      this.see(answered);
      return undefined;
    }
    const hopeless = outcome.type === 'error' && isCredentialError(outcome.code);
    // That an earlier request may have been carried out is not hidden by the refusal of this one.
    if (!hopeless || !this.uncertain) this.failure = refusal(DOING[sent.verb], outcome);
    const lost = outcome.type === 'lost' || (outcome.type === 'ok' && answered === undefined);
    if (sent.verb === 'pause' && lost) this.lost = task.version;
    if (!hopeless) return task;
    this.end = 'hopeless';
    return undefined;
  }

  read(look: Look, outcome: Outcome): number | undefined {
    if (look.type === 'gone') {
      this.gone = true;
      this.failure = undefined;
      this.end = 'gone';
      return undefined;
    }
    if (look.type === 'found') return this.weigh(look.resource as LiveTask, outcome);
    this.uncertain = true;
    this.failure = unreadable(DOING[this.sent.verb], outcome, look.outcome);
    return this.attempts;
  }

  private weigh(read: LiveTask, outcome: Outcome): number | undefined {
    const { task, sent } = this;
    const untouched = read.version === task.version && read.is_active === task.is_active;
    this.see(read);
    if (isDone(sent, read)) {
      if (sent.verb === 'mark') this.wrote = sent.armed;
      return undefined;
    }
    const refused =
      outcome.type === 'ok' || (outcome.type === 'error' && outcome.code !== 'version_conflict');
    if (sent.verb === 'mark') {
      this.marks += 1;
      if ((untouched && refused) || this.marks === MOST_MARKS)
        this.refused[read.is_active ? 'running' : 'paused'] = true;
      return undefined;
    }
    if (!untouched) return undefined;
    if (refused) this.refusals += 1;
    if (this.refusals < MOST_REFUSALS) return this.attempts - 1;
    this.end = 'hopeless';
    return undefined;
  }

  see(task: LiveTask): void {
    this.task = task;
    this.gone = false;
    this.uncertain = false;
    const { own, lost, policy } = this;
    // Another unit of a fleet may have paused it since this was read.
    const isOlder = own !== undefined && task.version < own.version;
    if (task.is_active) {
      this.ran = true;
      this.lost = undefined;
      if (!isOlder) this.own = undefined;
      return;
    }
    if (own === undefined) {
      // Not for buy_once: that version may come from its own trade.
      if (lost !== undefined && writesBetween({ version: lost }, task) === 1 && !isBuyOnce(task.config))
        this.stopped(task);
      return;
    }
    const stands = ownMarkerOf(task, policy)?.armed === 'off';
    // Two writes of others may hide a start and a stop. An apply that removed `@!` knew more.
    if (!isOlder && !stands && (own.marked || writesBetween(own, task) > 1)) this.own = undefined;
  }

  /** The pause of this run was answered with a higher version. */
  private stopped({ version }: LiveTask): void {
    this.ran = true;
    this.lost = undefined;
    this.own = { version, marked: false };
  }

  private marked(armed: Off, { is_active, version }: LiveTask): void {
    this.wrote = armed;
    if (!is_active && armed === 'off') this.own = { version, marked: true };
  }

  /** Set if a pause of this command stopped the task. */
  private get own(): ReturnType<Stops['get']> {
    return this.stops.get(keyOf(this.task));
  }

  private set own(own: ReturnType<Stops['get']>) {
    if (own === undefined) this.stops.delete(keyOf(this.task));
    else this.stops.set(keyOf(this.task), own);
  }

  get isOpen(): boolean {
    return !this.gone && this.step !== undefined;
  }

  /** It runs, and its pause needs no mark before. */
  get pausesFirst(): boolean {
    return this.task.is_active && this.step?.verb === 'pause';
  }

  /** The mark that the paused task lacks: it could not be written, or nothing was sent. */
  get missing(): Off | undefined {
    const marker = this.gone || this.task.is_active ? undefined : ownMarkerOf(this.task, this.policy);
    return marker && this.lacks(marker.armed);
  }

  /** A later apply leaves it off. null if that cannot be known: the task is gone or not owned, or git paused it. */
  get held(): boolean | null {
    const marker = this.gone || this.task.is_active ? undefined : ownMarkerOf(this.task, this.policy);
    if (marker === undefined || (isUnmarked(marker.armed) && !this.ran)) return null;
    return this.staysOff(marker.armed);
  }

  /**
   * The next step until a task is off and stays off. If it runs and an apply would hold it after a pause: pause. If it runs and an
   * apply would start it (no mark, a mark that is ahead, `stopped_tasks: resume`): first `@0!`, because a crash directly after the
   * pause must not look like a requested start. If it is paused: the table of `off-marks.ts`.
   */
  private get step(): OffStep | undefined {
    const { task, policy, refused } = this;
    const marker = ownMarkerOf(task, policy);
    if (task.is_active) {
      if (marker === undefined || refused.running || this.staysOff(marker.armed)) return PAUSE;
      return { verb: 'mark', armed: BEFORE_PAUSE };
    }
    const armed = marker === undefined || refused.paused ? undefined : this.lacks(marker.armed);
    return armed && { verb: 'mark', armed };
  }

  private lacks(armed: Armed): Off | undefined {
    const { own, ran, task } = this;
    // The task has no mark of this run: the service refused the mark while the task ran.
    if (isUnmarked(armed) && this.refused.running && own !== undefined) return 'off';
    const whose = own !== undefined ? 'own' : ran ? 'ran' : 'was-paused';
    return markOfPaused({ armed, version: task.version }, whose);
  }

  /**
   * True if the next apply holds a paused task of the project that the manifests want active, whatever version its pause creates.
   * Uses the table of DESIGN 3 with the worst version.
   */
  private staysOff(armed: Armed): boolean {
    const { type } = decideSwitch({
      state: 'active',
      active: false,
      version: worstPausedVersion(armed, this.task),
      armed,
      rearmed: false,
      adopted: false,
      buyOnce: isBuyOnce(this.task.config),
      resume: this.policy.stoppedTasks === 'hold' ? 'no' : 'configured',
    });
    return type === 'held';
  }
}

function keyOf({ collection, id }: LiveTask): string {
  return `${collection}/${id}`;
}

function isDone(step: OffStep, task: LiveTask): boolean {
  return step.verb === 'pause' ? !task.is_active : isSameArmed(armedOf(task), step.armed);
}

/** The task in a successful answer. Undefined if the answer shows neither that version nor a later one. */
function answerOf(known: LiveTask, outcome: Outcome): LiveTask | undefined {
  if (outcome.type !== 'ok') return undefined;
  const answered = answeredResource(known.collection, outcome);
  const fits = answered !== undefined && isTask(answered) && answered.id === known.id;
  return fits && answered.version >= known.version ? answered : undefined;
}

/** After this many rounds, a task that the service refuses to pause is not tried again. */
export const MOST_REFUSED = 2;

export class PausedTask extends SwitchOff {
  /** The running task before the first write to it. */
  found: LiveTask | undefined;
  refusedRounds = 0;
  /** Somebody started it again after its pause, and no later reading has shown it off. */
  restarted = false;
  /** What its last progress line tells. */
  told: PausedTask['ending']['status'] | 'again' | undefined;
  readonly requestIds: string[] = [];

  /** `late`: the time is over; `over`: that, or an interruption. */
  constructor(
    /** As it is now, under the name by which it was chosen. */
    public known: KnownTask,
    policy: OffPolicy,
    private readonly late: () => boolean,
    private readonly over: () => boolean,
    stops?: Stops,
  ) {
    super(known.task, policy, stops);
    if (known.task.is_active) this.found = known.task;
  }

  /** No time keeps a task running to which no pause was sent. A mark of a paused task is sent only in time. */
  override next(): Next<OffEnd> {
    const { task, attempts, sent } = this;
    const tried = task.is_active && attempts > 0 && sent.verb === 'pause';
    if (tried && this.late()) return { end: 'given-up' };
    const next = super.next();
    return 'send' in next && !task.is_active && this.over() ? { end: 'given-up' } : next;
  }

  override see(task: LiveTask): void {
    super.see(task);
    if (task.is_active) this.found ??= task;
    const { address, owner, marker } = this.known;
    this.known = { ...knownTask(task, this.policy), address, owner, marker };
  }

  /** Records the reading of a list. A page may be older than an answer that this run received. */
  reread(task: LiveTask): void {
    if (task.version < this.task.version) return;
    this.restarted = task.is_active && this.ran && !this.task.is_active;
    this.see(task);
  }

  /** Whether a mark is written on it: it is of the project, or of another one of the fleet. */
  get isMarked(): boolean {
    return ownMarkerOf(this.task, this.policy) !== undefined;
  }

  override get isOpen(): boolean {
    return this.refusedRounds < MOST_REFUSED && super.isOpen;
  }

  get status(): 'paused' | 'off' | 'running' | 'unknown' | 'gone' {
    if (this.gone) return 'gone';
    if (this.task.is_active) return this.uncertain ? 'unknown' : 'running';
    if (this.restarted) return 'unknown';
    return this.ran ? 'paused' : 'off';
  }

  /** Why it still runs, if it is tried again. */
  get again() {
    const { code = 'no answer', message = code } = this.failure?.error ?? {};
    if (!this.task.is_active || !this.isOpen || this.uncertain || this.late()) return undefined;
    return { type: 'chain-again', reason: code === 'lost' || code === 'unsent' ? message : code } as const;
  }

  get ending() {
    if (this.gone) return { status: 'done', text: 'deleted in the meantime' } as const;
    if (!this.task.is_active) return { status: 'done', text: 'paused' } as const;
    return { status: this.uncertain ? 'unknown' : 'failed', text: this.failure?.text ?? '' } as const;
  }
}
