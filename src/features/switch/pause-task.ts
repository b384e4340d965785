import { type Failure, refusal, unreadable } from '../../apply/outcome.ts';
import { markBody } from '../../apply/render-body.ts';
import type { Requests } from '../../apply/requests.ts';
import { requestOf } from '../../apply/write.ts';
import { isSameArmed, type Off } from '../../model/armed.ts';
import { armedOf } from '../../model/marker.ts';
import { isTask, type LiveTask } from '../../model/resource.ts';
import {
  markedByUs,
  nextOffStep,
  type OffMemory,
  type OffPolicy,
  type OffStep,
  seen,
  stoppedByUs,
} from '../../plan/switch/pause-steps.ts';
import type { Outcome } from '../../ports/api.ts';
import { isCredentialError } from '../../service/resources/failure.ts';
import { answeredResource } from '../../service/resources/resource.ts';

/** The goal for a task: paused, or paused and marked so that it stays off. */
export type OffGoal = 'paused' | 'marked';

interface OffEnd {
  /** The task in the last answer or reading. Undefined if it was deleted. */
  readonly task: LiveTask | undefined;
  readonly memory: OffMemory;
  /** The last mark that was written. */
  readonly wrote?: Off;
  /** Why the goal was not reached. */
  readonly failure?: Failure;
  /** The service refused for a reason that a retry does not change. */
  readonly hopeless?: true;
}

const MOST_ATTEMPTS = 10;
/** After this many attempts, a missing mark no longer delays the pause. */
const MOST_MARKS = 3;
/** After this many refusals of an unchanged task, the refusal counts as final. */
const MOST_REFUSALS = 2;

type Step = Exclude<OffStep, { type: 'none' }>;

const DOING: Readonly<Record<Step['type'], string>> = {
  mark: 'The mark',
  pause: 'The pause',
};

/**
 * Pauses one task, whatever others do to it at the same time. After a stale version or a lost answer it reads the task and takes
 * the next step from the result, by `nextOffStep`. Every request carries the last known version, so that a late delivery has no
 * effect.
 */
export async function switchOff(
  found: LiveTask,
  goal: OffGoal,
  policy: OffPolicy,
  before: OffMemory,
  requests: Requests,
): Promise<OffEnd> {
  const run = new OffRun(found, before, policy, requests);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const step = nextOffStep(run.known, policy, run.memory);
    if (step.type === 'none' || (goal === 'paused' && !run.known.is_active)) return run.reached();
    const end = await run.take(step, attempt);
    if (end !== undefined) return end;
  }
  return run.given();
}

class OffRun {
  known: LiveTask;
  memory: OffMemory;
  private failure: Failure | undefined;
  private wrote: Off | undefined;
  private refusals = 0;
  private marks = 0;
  private readonly policy: OffPolicy;
  private readonly requests: Requests;

  constructor(found: LiveTask, memory: OffMemory, policy: OffPolicy, requests: Requests) {
    this.known = found;
    this.memory = seen(memory, found, policy);
    this.policy = policy;
    this.requests = requests;
  }

  /** A mark that was given up is reported as well. */
  reached(): OffEnd {
    const { running, paused } = this.memory.refused;
    return running || paused ? this.given() : this.soFar();
  }

  given(): OffEnd {
    const { failure } = this;
    return { ...this.soFar(), ...(failure === undefined ? {} : { failure }) };
  }

  private soFar(): OffEnd {
    const { known, memory, wrote } = this;
    return { task: known, memory, ...(wrote === undefined ? {} : { wrote }) };
  }

  /** Sends one step, and reads the task after an ambiguous result. Returns an end only if it cannot continue. */
  async take(step: Step, attempt: number): Promise<OffEnd | undefined> {
    const { known, policy } = this;
    const body = step.type === 'mark' ? markBody(known, policy, step.armed) : null;
    const outcome = await this.requests.write(requestOf(step.type, known, body));
    const answered = answerOf(this.known, outcome);
    if (answered !== undefined && isDone(step, answered)) {
      this.done(step, answered);
      return undefined;
    }
    this.failure = refusal(DOING[step.type], outcome);
    const lost = outcome.type === 'lost' || (outcome.type === 'ok' && answered === undefined);
    if (step.type === 'pause' && lost) this.memory = { ...this.memory, lost: this.known.version };
    if (outcome.type === 'error' && isCredentialError(outcome.code))
      return { ...this.given(), hopeless: true };
    const look = await this.requests.lookSince(this.known);
    if (look.type === 'gone') return { task: undefined, memory: this.memory };
    if (look.type === 'found' && isTask(look.resource))
      return this.weigh(step, outcome, look.resource, attempt);
    if (look.type === 'unreadable') this.failure = unreadable(DOING[step.type].toLowerCase(), look.outcome);
    await this.requests.backOff(attempt);
    return undefined;
  }

  private done(step: Step, answered: LiveTask): void {
    const higher = answered.version > this.known.version;
    this.known = answered;
    if (step.type === 'mark') {
      this.wrote = step.armed;
      this.memory = markedByUs(this.memory, step.armed, answered);
    } else if (higher) this.memory = stoppedByUs(this.memory, answered);
    // Paused at the same version: somebody else, or the task's own trade, was faster.
    this.memory = seen(this.memory, answered, this.policy);
  }

  /** What a reading means for a step without a clear result. */
  private async weigh(
    step: Step,
    outcome: Outcome,
    read: LiveTask,
    attempt: number,
  ): Promise<OffEnd | undefined> {
    const untouched = read.version === this.known.version && read.is_active === this.known.is_active;
    this.known = read;
    this.memory = seen(this.memory, read, this.policy);
    if (isDone(step, read)) {
      if (step.type === 'mark') this.wrote = step.armed;
      return undefined;
    }
    const refused =
      outcome.type === 'ok' || (outcome.type === 'error' && outcome.code !== 'version_conflict');
    if (step.type === 'mark') {
      this.marks += 1;
      if ((untouched && refused) || this.marks === MOST_MARKS) this.memory = withoutMark(this.memory, read);
      return undefined;
    }
    if (!untouched) return undefined;
    if (refused) this.refusals += 1;
    if (this.refusals === MOST_REFUSALS) return { ...this.given(), hopeless: true };
    await this.requests.backOff(attempt - 1);
    return undefined;
  }
}

function withoutMark(memory: OffMemory, { is_active }: LiveTask): OffMemory {
  const refused = is_active ? { running: true } : { paused: true };
  return { ...memory, refused: { ...memory.refused, ...refused } };
}

function isDone(step: Step, task: LiveTask): boolean {
  if (step.type === 'pause') return !task.is_active;
  return isSameArmed(armedOf(task), step.armed);
}

/** The task in a successful answer. Undefined if the answer shows neither that version nor a later one. */
function answerOf(known: LiveTask, outcome: Outcome): LiveTask | undefined {
  if (outcome.type !== 'ok') return undefined;
  const answered = answeredResource(known.collection, outcome);
  return answered !== undefined &&
    isTask(answered) &&
    answered.id === known.id &&
    answered.version >= known.version
    ? answered
    : undefined;
}
