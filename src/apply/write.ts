import type { JsonObject } from '../model/json.ts';
import { kindOf } from '../model/kind.ts';
import { type LiveResource, versionOf } from '../model/resource.ts';
import type { Outcome, WriteRequest } from '../ports/api.ts';
import { isCredentialError } from '../service/resources/failure.ts';
import { answeredResource } from '../service/resources/resource.ts';
import type { Decision, Reading, TaskVerb } from './decide.ts';
import {
  type Failed,
  type Failure,
  failed,
  GONE,
  labelGone,
  refusal,
  type StepOutcome,
  unreadable,
} from './outcome.ts';
import type { Look, Requests } from './requests.ts';

/** One write on what is known of a resource, and how its answer and later readings are judged. */
export interface Write<R extends LiveResource> {
  readonly verb: TaskVerb;
  /** As in "The pause". */
  readonly doing: string;
  /** As this run left or expected it; moves on with every answer. */
  readonly known: () => R;
  readonly render: (known: R) => JsonObject | null;
  /** What a successful answer proves; undefined where it does not show what it should, and the resource has to be read. */
  readonly judge: (answered: R | undefined, body: JsonObject | null) => StepOutcome<R> | undefined;
  readonly decide: (reading: Reading<R>) => Decision;
  /** Takes over the resource that a harmless write of somebody else made, before the write is sent at its version. */
  readonly rebase: (reading: Reading<R>) => void;
  /** Writes the pending mark once more; undefined where that worked. */
  readonly renewMark?: () => Promise<Failed<R> | undefined>;
  /** Says what somebody changed; `stopped`: the task was stopped. */
  readonly moved: (reading: Reading<R>, stopped: boolean) => Failure;
  /** Describes a resource that is gone, where {@link GONE} does not. */
  readonly gone?: (outcome: Outcome) => Failure;
}

/** Retries of a write that was not carried out; each is sent after a reading that showed the resource unchanged. */
const MOST_RETRIES = 4;
/** Harmless writes of others that one write goes on from. */
const MOST_REBASES = 5;

/** Codes after which the resource is read before anything else: what they say depends on what it is now. */
const READ_AFTER: ReadonlySet<string> = new Set(['version_conflict', 'not_found', 'config_must_be_paused']);

/**
 * Carries one write out: sends it with `If-Match` (labels have none), reads the resource after a stale version and after a lost
 * or doubtful answer, and goes on by the decision table until the write is done or must not be done (DESIGN 3 and 7).
 *
 * A throttled request is no doubt for a pause: the service says that it did not carry it out, and whoever paused the
 * task while this run was told to wait must not see it started again. In the rare other case it is left held.
 */
export async function write<R extends LiveResource>(
  step: Write<R>,
  requests: Requests,
): Promise<StepOutcome<R>> {
  let doubt = false;
  let retries = 0;
  let rebases = 0;
  for (;;) {
    const before = step.known();
    const body = step.render(before);
    const outcome = await requests.write(requestOf(step.verb, before, body));
    const answered = byAnswer(step, outcome, doubt, before, body);
    if (answered !== undefined) return answered;

    doubt ||= outcome.type !== 'error' || (outcome.repeated === true && step.verb !== 'pause');
    const refused = !doubt;
    const look = await requests.lookSince(before);
    if (look.type !== 'found') return unseen(step, outcome, refused, look);
    const reading = { before, body, refused, read: look.resource as R };
    const decision = step.decide(reading);
    if (decision === 'done') return { type: 'done', resource: reading.read };
    if (decision === 'retry') {
      const reason = explained(step.doing, outcome, body);
      if (reason !== undefined) return failed(reason);
      retries += 1;
      if (retries > MOST_RETRIES) return failed(exhausted(step.doing, outcome));
      await requests.backOff(retries);
      continue;
    }
    const harmless = decision === 'rebase' || decision === 'renew-mark';
    if (!harmless || rebases === MOST_REBASES) {
      return { type: 'failed', failure: step.moved(reading, decision === 'stopped'), reading };
    }
    rebases += 1;
    step.rebase(reading);
    doubt = false;
    const notRenewed = decision === 'renew-mark' ? await step.renewMark?.() : undefined;
    if (notRenewed !== undefined) return notRenewed;
  }
}

const DELETED: StepOutcome<never> = { type: 'done', resource: undefined };

/** The request that carries a verb out on a resource, at the version that is known. */
export function requestOf(verb: TaskVerb, known: LiveResource, body: JsonObject | null): WriteRequest {
  const path = `${kindOf(known.collection).path}/${known.id}`;
  const version = versionOf(known);
  const guard = version === undefined ? {} : { ifMatch: version };
  switch (verb) {
    case 'pause':
    case 'resume':
      return { method: 'POST', path: `${path}/${verb}`, ...guard };
    case 'delete':
      return { method: 'DELETE', path, ...guard };
    case 'mark':
    case 'patch':
      return { method: 'PATCH', path, ...guard, body: body ?? {} };
  }
}

/**
 * The end of the write where the answer alone decides; undefined where the resource has to be read. `doubt`: an earlier
 * sending may be carried out yet, whatever this one was refused for.
 */
function byAnswer<R extends LiveResource>(
  { verb, doing, judge }: Write<R>,
  outcome: Outcome,
  doubt: boolean,
  known: R,
  body: JsonObject | null,
): StepOutcome<R> | undefined {
  switch (outcome.type) {
    case 'ok': {
      if (verb === 'delete') return DELETED;
      const answered = answeredResource(known.collection, outcome) as R | undefined;
      return judge(answered?.id === known.id ? answered : undefined, body);
    }
    case 'error':
      if (READ_AFTER.has(outcome.code) || outcome.repeated || doubt) return undefined;
      // Pausing a paused task and resuming a running one: what the service says to that is not shown.
      if (!isCredentialError(outcome.code) && (verb === 'pause' || verb === 'resume')) return undefined;
      return failed(refusal(doing, outcome));
    case 'unsent':
      return doubt ? undefined : failed(refusal(doing, outcome));
    case 'lost':
      return undefined;
  }
}

/** After a doubtful answer the resource is gone, or cannot be read. */
function unseen<R extends LiveResource>(
  { verb, doing, gone }: Write<R>,
  outcome: Outcome,
  refused: boolean,
  look: Exclude<Look, { type: 'found' }>,
): StepOutcome<never> {
  if (look.type === 'gone') return verb === 'delete' ? DELETED : failed(gone?.(look.outcome) ?? GONE);
  // An earlier, throttled sending may have been carried out all the same.
  const repeated = outcome.type === 'error' && outcome.repeated === true;
  if (refused && !repeated) return failed(refusal(doing, outcome));
  return failed(unreadable(doing.toLowerCase(), look.outcome));
}

/** The resource is unchanged, and the service gave a reason that a retry would not change. */
function explained(doing: string, outcome: Outcome, body: JsonObject | null): Failure | undefined {
  if (outcome.type !== 'error' || outcome.code === 'version_conflict') return undefined;
  if (outcome.code !== 'not_found') return refusal(doing, outcome);
  const label = body?.risk_label_id;
  return typeof label === 'string' ? labelGone(label, outcome) : undefined;
}

function exhausted(doing: string, outcome: Outcome): Failure {
  const failure = refusal(doing, outcome);
  const text = `${doing} was sent ${MOST_RETRIES + 1} times without success: ${failure.error?.message ?? ''}.`;
  return { ...failure, text };
}
