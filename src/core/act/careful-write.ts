import type { JsonObject } from '../model/json.ts';
import type { LiveResource } from '../model/resource.ts';
import type { Outcome } from '../ports/api.ts';
import { isCredentialError } from '../service/resources/failure.ts';
import { answeredResource } from '../service/resources/resource.ts';
import type { Decision, Reading, TaskVerb } from './decide.ts';
import { type Failure, failed, GONE, labelGone, refusal, type StepOutcome, unreadable } from './outcome.ts';
import type { Look } from './requests.ts';
import { type Intent, type Next, requestOf } from './write.ts';

/** Retries of a write that was not carried out; each is sent after a reading that showed the resource unchanged. */
const MOST_RETRIES = 4;
/** Harmless writes of others that one write accepts. */
const MOST_REBASES = 5;

/** Codes after which the resource is read first: their meaning depends on its current state. */
const READ_AFTER: ReadonlySet<string> = new Set(['version_conflict', 'not_found', 'config_must_be_paused']);

const DELETED: StepOutcome<never> = { type: 'done', resource: undefined };

/**
 * One write on the known state of a resource (DESIGN 3 and 7): it is sent with `If-Match` (labels have none), the resource is
 * read after a stale version and after a lost or doubtful answer, and the decision table is followed until the write is done or
 * must not be done. For a pause, a throttled request is no doubt: the service says that it did not carry it out. If somebody else
 * paused the task during the wait, it must not be started again; in the rare other case the task is left held.
 */
export abstract class CarefulWrite<R extends LiveResource> implements Intent<StepOutcome<R>> {
  /** The last answer was that the version is another one by now. */
  protected isStale = false;
  /** An earlier request may still be carried out, whatever the reason for the latest refusal. */
  private doubt = false;
  private retries = 0;
  private rebases = 0;
  private end: StepOutcome<R> | undefined;

  constructor(
    readonly verb: TaskVerb,
    /** Name of the write in messages: "The pause". */
    private readonly doing: string,
    /** As it is sent. */
    protected body: JsonObject | null = null,
  ) {}

  /** The resource as this run left or expected it. */
  protected abstract get known(): R;
  protected render(): JsonObject | null {
    return this.body;
  }
  /** Judges a successful answer; undefined if it does not show the expected state, and the resource has to be read. */
  protected abstract shownBy(answered: R | undefined): StepOutcome<R> | undefined;
  protected abstract decide(reading: Reading<R>): Decision;
  /** Adopts the state after a harmless write of somebody else, before the write is sent at that version. */
  protected rebase(_reading: Reading<R>, _decision: Decision): void {}
  /** The failure for a change by somebody else; `stopped`: the task was stopped. */
  protected abstract moved(reading: Reading<R>, stopped: boolean): Failure<R>;
  protected gone(_outcome: Outcome): Failure<R> {
    return GONE;
  }
  protected ended(end: StepOutcome<R>): StepOutcome<R> {
    return end;
  }

  next(): Next<StepOutcome<R>> {
    if (this.end !== undefined) return { end: this.ended(this.end) };
    this.body = this.render();
    return { send: requestOf(this.verb, this.known, this.body) };
  }

  answered(outcome: Outcome): R | undefined {
    this.isStale = outcome.type === 'error' && outcome.code === 'version_conflict';
    this.end = this.byAnswer(outcome);
    if (this.end !== undefined) return undefined;
    const isAnswered = outcome.type === 'error' || outcome.type === 'vetoed';
    this.doubt ||= !isAnswered || (outcome.repeated === true && this.verb !== 'pause');
    return this.known;
  }

  read(look: Look, outcome: Outcome): number | undefined {
    if (look.type !== 'found') {
      this.end = this.unseen(outcome, look);
      return undefined;
    }
    const reading = { before: this.known, body: this.body, refused: !this.doubt, read: look.resource as R };
    const decision = this.decide(reading);
    if (decision === 'done') this.end = { type: 'done', resource: reading.read };
    else if (decision === 'retry') return this.retry(outcome);
    else if ((decision === 'rebase' || decision === 'renew-mark') && this.rebases < MOST_REBASES) {
      this.rebases += 1;
      this.doubt = false;
      this.rebase(reading, decision);
    } else this.end = failed(this.moved(reading, decision === 'stopped'));
    return undefined;
  }

  /** The result, if the answer alone decides; undefined if the resource has to be read. */
  private byAnswer(outcome: Outcome): StepOutcome<R> | undefined {
    const { verb, doing, doubt, known } = this;
    switch (outcome.type) {
      case 'ok': {
        if (verb === 'delete') return DELETED;
        const answered = answeredResource(known.collection, outcome) as R | undefined;
        return this.shownBy(answered?.id === known.id ? answered : undefined);
      }
      case 'vetoed':
      case 'error':
        if (READ_AFTER.has(outcome.code) || outcome.repeated || doubt) return undefined;
        // It is not documented how the service answers to pausing a paused task or resuming a running one.
        if (!isCredentialError(outcome.code) && (verb === 'pause' || verb === 'resume')) return undefined;
        return failed(refusal(doing, outcome));
      case 'unsent':
        return doubt ? undefined : failed(refusal(doing, outcome));
      case 'lost':
        return undefined;
    }
  }

  /**
   * The result if the resource is gone or cannot be read after an answer that does not decide. A refusal is none either: of a request
   * that a proxy delivers twice, the second delivery is refused because the first one was carried out.
   */
  private unseen(outcome: Outcome, look: Exclude<Look, { type: 'found' }>): StepOutcome<R> {
    const { verb, doing } = this;
    if (look.type === 'gone') return verb === 'delete' ? DELETED : failed(this.gone(look.outcome));
    const unsent = outcome.type === 'vetoed' && !this.doubt;
    return failed(unsent ? refusal(doing, outcome) : unreadable(doing, outcome, look.outcome));
  }

  /** The resource is unchanged: the same again, unless the service gave a reason that a retry would not change. */
  private retry(outcome: Outcome): number | undefined {
    const { doing } = this;
    this.retries += 1;
    const reason = explained(doing, outcome, this.body);
    if (reason === undefined && this.retries <= MOST_RETRIES) return this.retries;
    const failure = reason ?? refusal(doing, outcome);
    const often = `${doing} failed ${MOST_RETRIES + 1} times. The last time: ${failure.error?.message ?? ''}.`;
    const text = reason === undefined ? often : failure.text;
    // What follows another step has a later version, which an earlier request cannot meet.
    const late =
      this.verb === 'pause' || this.verb === 'resume'
        ? `${text} An earlier request may still be carried out.`
        : text;
    this.end = failed({ ...failure, ...(this.doubt ? { text: late } : { text, unchanged: true }) });
    return undefined;
  }
}

/** The failure if the service gave a reason that a retry would not change. */
function explained(doing: string, outcome: Outcome, body: JsonObject | null): Failure<never> | undefined {
  if (outcome.type === 'vetoed') return refusal(doing, outcome);
  if (outcome.type !== 'error' || outcome.code === 'version_conflict') return undefined;
  if (outcome.code !== 'not_found') return refusal(doing, outcome);
  const label = body?.risk_label_id;
  return typeof label === 'string' ? labelGone(label, outcome) : undefined;
}
