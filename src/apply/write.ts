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

/** One write on the known state of a resource, and how its answer and later readings are judged. */
interface Write<R extends LiveResource> {
  readonly verb: TaskVerb;
  /** Name of the write in messages: "The pause". */
  readonly doing: string;
  /** The resource as this run left or expected it; every answer updates it. */
  readonly known: () => R;
  readonly render: (known: R) => JsonObject | null;
  /** Judges a successful answer; undefined if it does not show the expected state, and the resource has to be read. */
  readonly judge: (answered: R | undefined, body: JsonObject | null) => StepOutcome<R> | undefined;
  readonly decide: (reading: Reading<R>) => Decision;
  /** Adopts the state after a harmless write of somebody else, before the write is sent at that version. */
  readonly rebase: (reading: Reading<R>) => void;
  /** Writes the pending mark again; undefined if that worked. */
  readonly renewMark?: () => Promise<Failed<R> | undefined>;
  /** The failure for a change by somebody else; `stopped`: the task was stopped. */
  readonly moved: (reading: Reading<R>, stopped: boolean) => Failure;
  /** The failure for a deleted resource; default: {@link GONE}. */
  readonly gone?: (outcome: Outcome) => Failure;
}

/** Retries of a write that was not carried out; each is sent after a reading that showed the resource unchanged. */
const MOST_RETRIES = 4;
/** Harmless writes of others that one write accepts. */
const MOST_REBASES = 5;

/** Codes after which the resource is read first: their meaning depends on its current state. */
const READ_AFTER: ReadonlySet<string> = new Set(['version_conflict', 'not_found', 'config_must_be_paused']);

/**
 * Carries out one write (DESIGN 3 and 7): sends it with `If-Match` (labels have none), reads the resource after a stale
 * version and after a lost or doubtful answer, and follows the decision table until the write is done or must not be
 * done.
 * For a pause, a throttled request is no doubt: the service says that it did not carry it out. If somebody else paused
 * the task during the wait, it must not be started again; in the rare other case the task is left held.
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
      if (reason !== undefined) return failed({ ...reason, unchanged: true });
      retries += 1;
      if (retries > MOST_RETRIES) return failed({ ...exhausted(step.doing, outcome), unchanged: true });
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

/** The request for a verb on a resource, at the known version. */
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
 * The result, if the answer alone decides; undefined if the resource has to be read. `doubt`: an earlier request may
 * still be carried out, whatever the reason for this refusal.
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
      // It is not documented how the service answers to pausing a paused task or resuming a running one.
      if (!isCredentialError(outcome.code) && (verb === 'pause' || verb === 'resume')) return undefined;
      return failed(refusal(doing, outcome));
    case 'unsent':
      return doubt ? undefined : failed(refusal(doing, outcome));
    case 'lost':
      return undefined;
  }
}

/** The result if the resource is gone or cannot be read after a doubtful answer. */
function unseen<R extends LiveResource>(
  { verb, doing, gone }: Write<R>,
  outcome: Outcome,
  refused: boolean,
  look: Exclude<Look, { type: 'found' }>,
): StepOutcome<never> {
  if (look.type === 'gone') return verb === 'delete' ? DELETED : failed(gone?.(look.outcome) ?? GONE);
  // An earlier, throttled request may have been carried out.
  const repeated = outcome.type === 'error' && outcome.repeated === true;
  if (refused && !repeated) return failed(refusal(doing, outcome));
  return failed(unreadable(doing.toLowerCase(), look.outcome));
}

/** The failure if the resource is unchanged and the service gave a reason that a retry would not change. */
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
