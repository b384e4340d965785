import type { JsonObject } from '../model/json.ts';
import { kindOf } from '../model/kind.ts';
import type { LiveTask, LiveTemplate } from '../model/resource.ts';
import type { Outcome, WriteRequest } from '../ports/api.ts';
import { answeredResource } from '../service/resources/resource.ts';
import type { Decision, TaskVerb } from './decide.ts';
import { type Failure, isCredentialError, labelGone, refusal, unreadable } from './failure.ts';
import { backoff, type Wire } from './requests.ts';

export type Versioned = LiveTask | LiveTemplate;

/** What an answer's resource says about its operation. */
export type Verdict<R> =
  | { readonly type: 'done'; readonly resource: R | undefined; readonly text?: string }
  /** A success that does not show what it should: read. */
  | { readonly type: 'ambiguous' }
  | { readonly type: 'echo'; readonly resource: R; readonly fields: readonly string[] };

/** One write on a known version, and how its answer and later readings are judged. */
export interface GuardedStep<R extends Versioned> {
  readonly verb: TaskVerb;
  /** As in "The pause". */
  readonly doing: string;
  /** As this run left or expected it; moves on with every answer. */
  known: () => R;
  readonly render: (known: R) => JsonObject | null;
  readonly judge: (answered: R | undefined, body: JsonObject | null) => Verdict<R>;
  readonly decide: (refused: boolean, body: JsonObject | null, read: R) => Decision;
  /** Takes over a resource that somebody else's harmless write left, before the step is done anew. */
  readonly goOn: (read: R, body: JsonObject | null) => void;
  /** Writes the mark anew; undefined where that worked. */
  readonly renew?: () => Promise<StepEnd<R> | undefined>;
}

export type StepEnd<R> =
  /** `resource` is undefined after a delete. */
  | { readonly type: 'done'; readonly resource: R | undefined; readonly text?: string }
  | { readonly type: 'echo'; readonly resource: R; readonly fields: readonly string[] }
  /** Somebody stopped the task. */
  | ({ readonly type: 'stopped' } & Reading<R>)
  | ({ readonly type: 'moved' } & Reading<R>)
  | { readonly type: 'gone' }
  | { readonly type: 'failed'; readonly failure: Failure };

/** What was known, what was sent (`refused` as in the decision table's situation), and what is there. */
export interface Reading<R> {
  readonly before: R;
  readonly body: JsonObject | null;
  readonly refused: boolean;
  readonly read: R;
}

const MOST_REPEATS = 4;
const MOST_ANEW = 5;

/** Codes after which the resource is read before anything else: what they say depends on what it is now. */
const READ_AFTER: ReadonlySet<string> = new Set(['version_conflict', 'not_found', 'config_must_be_paused']);

/**
 * Carries one guarded write out: sends it with `If-Match`, reads after a lost or doubtful answer, and goes on by the
 * decision table until the operation is done or must not be done (DESIGN 3 and 7).
 *
 * A throttled request is no doubt for a pause: the service says that it did not carry it out, and whoever paused the
 * task while this run was told to wait must not see it started again. In the rare other case it is left held.
 */
export async function carryOut<R extends Versioned>(step: GuardedStep<R>, wire: Wire): Promise<StepEnd<R>> {
  let doubt = false;
  let repeats = 0;
  let anew = 0;
  for (;;) {
    const known = step.known();
    const body = step.render(known);
    const outcome = await wire.write(request(step.verb, known, body));
    const end = judged(step, outcome, doubt, known, body);
    if (end !== undefined) return end;

    doubt ||= outcome.type !== 'error' || (outcome.repeated === true && step.verb !== 'pause');
    const refused = !doubt;
    const look = await wire.lookSince(known);
    if (look.type === 'gone') return step.verb === 'delete' ? done<R>() : { type: 'gone' };
    if (look.type === 'unreadable') {
      // Nobody can see whether an earlier, throttled sending was carried out all the same.
      const repeated = outcome.type === 'error' && outcome.repeated === true;
      const failure =
        refused && !repeated
          ? refusal(step.doing, outcome)
          : unreadable(step.doing.toLowerCase(), look.outcome);
      return { type: 'failed', failure };
    }
    const read = look.resource as R;
    const reading = { before: known, body, refused, read };
    const decision = step.decide(refused, body, read);
    const final = afterReading(step, decision, outcome, reading);
    if (final !== undefined) return final;

    if (decision.type === 'again') {
      repeats += 1;
      if (repeats > MOST_REPEATS) return { type: 'failed', failure: exhausted(step, outcome) };
      await wire.sleep(backoff(repeats));
      continue;
    }
    anew += 1;
    if (anew > MOST_ANEW) return { type: 'moved', ...reading };
    step.goOn(read, body);
    doubt = false;
    const failed = decision.type === 'renew' ? await step.renew?.() : undefined;
    if (failed !== undefined) return failed;
  }
}

function request(verb: TaskVerb, known: Versioned, body: JsonObject | null): WriteRequest {
  const path = `${kindOf(known.collection as LiveTask['collection']).path}/${known.id}`;
  switch (verb) {
    case 'pause':
    case 'resume':
      return { method: 'POST', path: `${path}/${verb}`, ifMatch: known.version };
    case 'delete':
      return { method: 'DELETE', path, ifMatch: known.version };
    case 'mark':
    case 'patch':
      return { method: 'PATCH', path, ifMatch: known.version, body: body ?? {} };
  }
}

/**
 * The end of the step where the answer alone decides; undefined where the resource has to be read. `doubt`: an earlier
 * sending may be carried out yet, whatever this one was refused for.
 */
function judged<R extends Versioned>(
  step: GuardedStep<R>,
  outcome: Outcome,
  doubt: boolean,
  known: R,
  body: JsonObject | null,
): StepEnd<R> | undefined {
  switch (outcome.type) {
    case 'ok': {
      if (step.verb === 'delete') return done<R>();
      const answered = answeredResource(known.collection, outcome) as R | undefined;
      const verdict = step.judge(answered?.id === known.id ? answered : undefined, body);
      return verdict.type === 'ambiguous' ? undefined : verdict;
    }
    case 'error':
      if (READ_AFTER.has(outcome.code) || outcome.repeated || doubt) return undefined;
      // Pausing a paused task and resuming a running one: what the service says to that is not shown.
      if (!isCredentialError(outcome.code) && (step.verb === 'pause' || step.verb === 'resume'))
        return undefined;
      return { type: 'failed', failure: refusal(step.doing, outcome) };
    case 'unsent':
      return doubt ? undefined : { type: 'failed', failure: refusal(step.doing, outcome) };
    case 'lost':
      return undefined;
  }
}

function afterReading<R extends Versioned>(
  step: GuardedStep<R>,
  decision: Decision,
  outcome: Outcome,
  reading: Reading<R>,
): StepEnd<R> | undefined {
  switch (decision.type) {
    case 'done':
      return done(reading.read);
    case 'stopped':
      return { type: 'stopped', ...reading };
    case 'stop':
    case 'stale':
      return { type: 'moved', ...reading };
    case 'again':
      return explained(step, outcome, reading.body);
    case 'redo':
    case 'renew':
      return undefined;
  }
}

/** The resource is unchanged, and the service gave a reason that a repetition would not change. */
function explained<R extends Versioned>(
  step: GuardedStep<R>,
  outcome: Outcome,
  body: JsonObject | null,
): StepEnd<R> | undefined {
  if (outcome.type !== 'error' || outcome.code === 'version_conflict') return undefined;
  if (outcome.code !== 'not_found') return { type: 'failed', failure: refusal(step.doing, outcome) };
  const label = body?.risk_label_id;
  return typeof label === 'string' ? { type: 'failed', failure: labelGone(label, outcome) } : undefined;
}

function exhausted(step: { readonly doing: string }, outcome: Outcome): Failure {
  const failure = refusal(step.doing, outcome);
  const text = `${step.doing} was sent ${MOST_REPEATS + 1} times and not carried out: ${failure.error?.message ?? ''}.`;
  return { ...failure, text };
}

function done<R>(resource?: R): StepEnd<R> {
  return { type: 'done', resource };
}
