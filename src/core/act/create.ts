import type { JsonObject } from '../model/json.ts';
import { type Collection, kindOf, LABEL_KIND, LIMITS, TASK_KINDS, TEMPLATE_KINDS } from '../model/kind.ts';
import {
  isBuyOnce,
  isLabel,
  isTask,
  type LiveLabel,
  type LiveResource,
  type LiveTask,
} from '../model/resource.ts';
import { FIRST_VERSION, isFirstVersion, writesBetween } from '../model/versions.ts';
import { walletsIn } from '../model/wallets.ts';
import type { Answer, Outcome, Refusal, Veto } from '../ports/api.ts';
import { isCredentialError } from '../service/resources/failure.ts';
import { answeredResource } from '../service/resources/resource.ts';
import { lightlyEdited, movedFields, patched } from './compare.ts';
import { findOwners, isOurs, type OwnerSearch } from './find-owners.ts';
import {
  idempotencyKey,
  isOld,
  KEY_LIFETIME,
  mayBeReplay,
  SEARCH_AMONG_REFUSED,
  SEARCH_AMONG_TAKEN,
} from './idempotency.ts';
import { templateEcho } from './label-and-template-step.ts';
import {
  echoed,
  type Failure,
  failed,
  labelGone,
  refusal,
  reportedError,
  type StepOutcome,
} from './outcome.ts';
import { type Intent, type Next, write } from './write.ts';

interface CreateStep extends OwnerSearch {
  readonly project: string;
  readonly address: string;
  readonly body: JsonObject;
  /** When the view showed no resource of this name, in milliseconds since the epoch. */
  readonly viewedAt: number;
  readonly isEndState: (resource: LiveResource) => boolean;
}

const MOST_SENDINGS = 6;

const MOST_LOOKS = 3;

/** Refusals that may be caused by an earlier create, by this run or another runner. */
const EXISTS: ReadonlySet<string> = new Set([
  'idempotency_conflict',
  'target_already_exists',
  'template_name_exists',
  'label_name_exists',
]);

/**
 * Creates the resource of an address exactly once (idempotency), whatever was sent before and by which runner (DESIGN 7).
 *
 * All runners go through the idempotency keys of an address from counter 0 on: two of them meet at the same key, and the
 * service accepts one create. A runner leaves a key for the next one only where the key creates nothing any more:
 * - The key is taken: the answer replays a resource that is gone or has another owner by now, or it is
 *   `idempotency_conflict` and a reading that began after that answer shows no resource of this name.
 * - The key keeps a refusal: a service that remembers refusals repeats one for 24 hours, though its cause is gone. A service
 *   that forgets refusals can still create with the key. So the create is sent twice, and the key is left where both were
 *   refused with the same code, and no cause is there, neither before the second sending nor right after it.
 *
 * A key with a lost answer is not left: that create may still be carried out. The search for a key is bounded by time.
 */
export async function runCreateStep(step: CreateStep): Promise<StepOutcome> {
  const view = { at: step.viewedAt };
  const { requests } = step;
  const worked = () => requests.clock.now() - requests.idle;
  const begun = worked();
  const { unseen } = step.readings;
  for (let counter = 0; ; counter += 1) {
    const earlier = await createdMeanwhile(step, view);
    if (earlier.type !== 'next') return earlier;
    const key = idempotencyKey(step.project, step.address, counter);
    const end = await write(new KeyedCreate({ ...step, viewedAt: view.at }, key), step.requests);
    if (end.type !== 'next') {
      // Even if the stored value differs, the create was carried out.
      if (end.type === 'done' || end.failure.kind === 'echo') unseen.clear();
      return end;
    }
    const { kept, taken } = end;
    const now = requests.clock.now();
    if (kept !== undefined && !unseen.has(kept.code)) unseen.set(kept.code, now);
    if (kept !== undefined && now - (unseen.get(kept.code) ?? now) >= SEARCH_AMONG_REFUSED)
      return failed(refusedCreate(step, kept));
    if (worked() - begun >= SEARCH_AMONG_TAKEN) return failed(noKeyIsFree(taken));
  }
}

/** A key that can create nothing any more: an earlier create used it, or the service remembers a refusal whose cause is gone. */
interface NextKey {
  readonly type: 'next';
  readonly taken?: Refusal;
  readonly kept?: Refusal;
}

const NEXT: NextKey = { type: 'next' };

type KeyOutcome = StepOutcome | NextKey;

function noKeyIsFree(taken: Refusal | undefined): Failure {
  const minutes = SEARCH_AMONG_TAKEN / 60_000;
  const why = taken === undefined ? '' : ` (${taken.code})`;
  const text = `Earlier creates used the idempotency keys of this address${why}, and no free key was found in ${minutes} minutes: each key is free again 24 hours after its create.`;
  return { kind: 'refused', text, ...(taken === undefined ? {} : { error: reportedError(taken) }) };
}

/**
 * Keys are remembered for 24 hours. An apply that was suspended for that long can no longer rely on them to find what
 * another apply created since the view was read. It may be suspended again while it reads, so it tries a few times.
 */
async function createdMeanwhile(step: CreateStep, view: { at: number }): Promise<KeyOutcome> {
  for (let look = 1; look <= MOST_LOOKS && step.requests.clock.now() - view.at >= KEY_LIFETIME; look += 1) {
    view.at = step.requests.clock.now();
    const end = await whatIsThere(step);
    if (end.type !== 'next') return end;
  }
  return NEXT;
}

async function whatIsThere(step: CreateStep): Promise<KeyOutcome> {
  const search = await findOwners(step);
  if (search.type === 'unreadable') return failed(refusal('Reading before the creation', search.outcome));
  return ownerAmong(step, search.owners);
}

async function ownerAmong(step: CreateStep, [owner, ...more]: readonly LiveResource[]): Promise<KeyOutcome> {
  if (owner === undefined) return NEXT;
  return more.length > 0 ? failed(several([owner, ...more])) : existing(step, owner);
}

/** The create under one key: the same request is sent again until it is known what came of it. */
class KeyedCreate implements Intent<KeyOutcome> {
  private sendings = 0;
  /** An answer was lost: that create may still be carried out. */
  private lost = false;
  /** The code of a refusal without a cause. */
  private baseless: string | undefined;
  private end: KeyOutcome | undefined;

  constructor(
    private readonly step: CreateStep,
    private readonly key: string,
  ) {}

  next(): Next<KeyOutcome> {
    const { step, key, end } = this;
    if (end !== undefined) return { end };
    const { path } = kindOf(step.identity.collection);
    return { send: { method: 'POST', path, body: step.body, idempotencyKey: key, veto: this.whileKept } };
  }

  /** The machine may sleep, or the request wait, longer than the service keeps the key of a create that came after the view. */
  private readonly whileKept: Veto = {
    isFresh: () => this.step.requests.clock.now() - this.step.viewedAt < KEY_LIFETIME,
    look: async () => ({ type: 'lost', detail: 'the key of the create is too old', requestId: undefined }),
  };

  async answered(outcome: Outcome): Promise<undefined> {
    this.sendings += 1;
    this.end = (await this.byAnswer(outcome)) ?? (await this.beforeAnother(outcome));
  }

  /** Everything is read while the answer is taken in. */
  read(): undefined {}

  private async byAnswer(outcome: Outcome): Promise<KeyOutcome | undefined> {
    const { step, baseless, lost } = this;
    if (outcome.type === 'ok') {
      const answered = answeredResource(step.identity.collection, outcome);
      if (answered !== undefined) return answeredBy(step, answered, outcome, this.sendings > 1);
    }
    if (outcome.type === 'unsent' && !lost) return failed(refusal('The creation', outcome));
    if (outcome.type !== 'error') {
      this.lost = true;
      return undefined;
    }
    const readings = baseless === undefined ? step.readings : step.readings.atOnce();
    const end = await refusedBy({ ...step, readings }, outcome, lost);
    if (end !== 'baseless') return end;
    if (baseless === outcome.code) return { type: 'next', kept: outcome };
    this.baseless = outcome.code;
    return undefined;
  }

  /** Waits, and looks what there is. Undefined if the create may be sent again. */
  private async beforeAnother(outcome: Outcome): Promise<KeyOutcome | undefined> {
    const { step, sendings } = this;
    const { requests } = step;
    const giveUp = () =>
      outcome.type === 'error' ? failed(refusedCreate(step, outcome)) : uncertain(step, outcome);
    if (outcome.type === 'unsent' || sendings === MOST_SENDINGS) return giveUp();
    await requests.backOff(sendings);
    if (!this.whileKept.isFresh()) return giveUp();
    if (outcome.type !== 'error') return undefined;
    const meanwhile = await whatIsThere({ ...step, readings: step.readings.atOnce() });
    return meanwhile.type === 'next' ? undefined : meanwhile;
  }
}

/** A `201`: new, or the replay of an earlier create with this key, whose resource may have gone or changed hands since. */
async function answeredBy(
  step: CreateStep,
  answered: LiveResource,
  answer: Answer,
  again: boolean,
): Promise<KeyOutcome> {
  if (!isOurs(step.identity, answered)) return othersAnswer(step, answered, answer);
  const fresh = isNew(answered) && !again && !mayBeReplay(answer);
  if (!fresh) return existing(step, answered);
  const fields = echo(step.body, answered);
  return fields.length === 0 ? { type: 'done', resource: answered } : echoed(answered, fields);
}

/** An answer without the expected marker or name: a replay of another create, or a service that changed it on storing. */
async function othersAnswer(step: CreateStep, answered: LiveResource, answer: Answer): Promise<KeyOutcome> {
  const known = step.identity.known.has(answered.id);
  if (known || !isNew(answered) || isOld(answer)) return NEXT;
  const look = await step.requests.look(step.identity.collection, answered.id);
  if (look.type === 'gone') return NEXT;
  return echoed(answered, echo(step.body, answered));
}

async function existing(step: CreateStep, shown: LiveResource): Promise<KeyOutcome> {
  const look = await step.requests.look(step.identity.collection, shown.id);
  if (look.type === 'gone') return NEXT;
  if (look.type === 'unreadable') return failed(unknown(look.outcome));
  return found(step, look.resource);
}

function found(step: CreateStep, resource: LiveResource): KeyOutcome {
  if (!isOurs(step.identity, resource)) return NEXT;
  const same = echo(step.body, resource).length === 0;
  if (same && isNew(resource)) return { type: 'done', resource };
  if (same && step.isEndState(resource)) return { type: 'done', resource, how: 'complete' };
  if (isTask(resource) && isOneEditAhead(step.body, resource)) {
    return { type: 'done', resource, how: 'edited' };
  }
  const text = `It already exists (${resource.id}) and has changed since it was created; the next apply continues from there.`;
  return failed({ kind: 'moved', text, foundId: resource.id });
}

/**
 * Exactly one write after the create, and it changed only note or label: it cannot hide a start and a stop. Tasks with
 * `buy_once` are excluded.
 */
function isOneEditAhead(body: JsonObject, task: LiveTask): boolean {
  const created = { ...patched({ ...task, risk_label_id: null }, body), is_active: false };
  const { target_wallet } = task;
  const buyOnce = isBuyOnce(task.config);
  return (
    writesBetween({ version: FIRST_VERSION }, task) === 1 &&
    body.target_wallet === target_wallet &&
    !buyOnce &&
    lightlyEdited(created, task)
  );
}

/** `unanswered`: the answer to an earlier request with this key was lost. `baseless`: no cause for the refusal exists. */
async function refusedBy(
  step: CreateStep,
  outcome: Refusal,
  unanswered: boolean,
): Promise<KeyOutcome | 'baseless'> {
  const { code } = outcome;
  // A request that was not answered, or was throttled, may still be carried out.
  const lost = unanswered || outcome.repeated === true;
  if (isCredentialError(code)) return failed(refusedCreate(step, outcome));
  if (!EXISTS.has(code) && !lost) return stands(step, outcome, undefined);
  const search = await findOwners(step);
  if (search.type === 'unreadable')
    return failed(lost ? unknown(search.outcome) : refusal('The creation', outcome));
  const end = await ownerAmong(step, search.owners);
  if (code === 'idempotency_conflict') return keyTaken(step, outcome, end, search.twins);
  if (end.type !== 'next') return end;
  return lost ? failed(refusedCreate(step, outcome)) : stands(step, outcome, search.resources);
}

async function stands(
  step: CreateStep,
  outcome: Refusal,
  seen: readonly LiveResource[] | undefined,
): Promise<KeyOutcome | 'baseless'> {
  return (await isCauseThere(step, outcome, seen)) ? failed(refusedCreate(step, outcome)) : 'baseless';
}

/** The key is used: `end` describes the resource that has the name now, if there is one. */
function keyTaken(
  step: CreateStep,
  outcome: Refusal,
  end: KeyOutcome,
  twins: readonly LiveTask[],
): KeyOutcome {
  // The runner that used the key created the resource of this address: a runner of the same project under another name.
  const twin = twins.find(({ target_wallet }) => target_wallet === step.body.target_wallet);
  if (end.type === 'next' && twin === undefined) return { type: 'next', taken: outcome };
  const failure = end.type === 'next' && twin !== undefined ? renamedMeanwhile(twin) : undefined;
  const told = failure === undefined ? end : failed(failure);
  if (told.type !== 'failed' || told.failure.error !== undefined) return told;
  return { ...told, failure: { ...told.failure, error: reportedError(outcome) } };
}

function renamedMeanwhile({ id }: LiveTask): Failure {
  const text = `It was created in the meantime with the marker of another project (${id}), by a runner that uses another name for this project: plan again.`;
  return { kind: 'moved', text };
}

function several(owners: readonly LiveResource[]): Failure {
  const ids = owners.map(({ id }) => id).sort();
  return { kind: 'moved', text: `Several resources now have this name: ${ids.join(', ')}.` };
}

/** No request was answered: a reading of the collection shows whether the create was carried out. */
async function uncertain(step: CreateStep, outcome: Outcome): Promise<KeyOutcome> {
  const search = await findOwners(step);
  const owner = search.type === 'found' && search.owners.length === 1 ? search.owners[0] : undefined;
  const end = owner === undefined ? NEXT : await existing(step, owner);
  // Without an answer, no other key may be tried: the first create may still be carried out.
  return end.type === 'next' ? failed(unknown(outcome)) : end;
}

function unknown(outcome: Outcome): Failure {
  const error = reportedError(outcome);
  const text = `It is unknown whether it was created: no usable answer came (${error.message}). The next apply finds out.`;
  return { kind: 'unknown', text, error };
}

function isNew(resource: LiveResource): boolean {
  return isLabel(resource) || isFirstVersion(resource);
}

/** The sent fields that the resource does not show as sent. */
function echo(body: JsonObject, resource: LiveResource): readonly string[] {
  if (isLabel(resource)) return labelEcho(resource, body);
  if (!isTask(resource)) return templateEcho(resource, body);
  const wanted = { ...resource, risk_label_id: null, ...body };
  return movedFields(wanted, resource, { risk_label_id: null, ...body });
}

function labelEcho({ name, sort_order }: LiveLabel, body: JsonObject): readonly string[] {
  const fields = name === body.name ? [] : ['name'];
  const order = sort_order === null || body.sort_order === undefined || sort_order === body.sort_order;
  return order ? fields : [...fields, 'sort_order'];
}

/**
 * True if the cause of a refused create exists (interface, "Errors" and "Limits"): no room, the target, the name, or a
 * missing label. Also true if the cause cannot be checked: the code has no visible cause, or the collection cannot be
 * read. `seen`: the collection as read after the refusal.
 */
async function isCauseThere(
  step: CreateStep,
  { code }: Refusal,
  seen: readonly LiveResource[] | undefined,
): Promise<boolean> {
  const { body, requests, readings } = step;
  const { collection } = step.identity;
  const now = requests.clock.now();
  if (now - (readings.unseen.get(code) ?? now) >= SEARCH_AMONG_REFUSED) return true;
  if (code === 'quota_exceeded' && kindOf(collection).family === 'task') return isQuotaUsed(step);
  if (code === 'not_found') {
    const label = body.risk_label_id;
    return typeof label !== 'string' || (await requests.look('label', label)).type !== 'found';
  }
  const cause = listedCause(code, step);
  if (cause === undefined) return true;
  const found: LiveResource[] = [];
  for (const { collection: one } of cause.kinds) {
    const pass = one === collection && seen !== undefined ? undefined : await readings.pass(one, requests);
    if (pass?.type === 'unreadable') return true;
    found.push(...(pass?.resources ?? seen ?? []));
  }
  return cause.isIn(found);
}

interface ListedCause {
  readonly kinds: readonly { readonly collection: Collection }[];
  readonly isIn: (resources: readonly LiveResource[]) => boolean;
}

/** The cause, if the lists of these kinds can show it; undefined for any other code. */
function listedCause(code: string, { identity, body }: CreateStep): ListedCause | undefined {
  const named = (resources: readonly LiveResource[]) =>
    resources.some((resource) => 'name' in resource && alike(resource.name, body.name));
  switch (code) {
    case 'quota_exceeded':
      return kindOf(identity.collection).family === 'template'
        ? { kinds: TEMPLATE_KINDS, isIn: ({ length }) => length >= LIMITS.templates }
        : { kinds: [LABEL_KIND], isIn: ({ length }) => length >= LIMITS.labels };
    case 'target_already_exists':
      return {
        kinds: TASK_KINDS,
        isIn: (tasks) => tasks.flatMap(walletsIn).some(({ wallet }) => wallet === body.target_wallet),
      };
    case 'template_name_exists':
      return { kinds: TEMPLATE_KINDS, isIn: named };
    case 'label_name_exists':
      return { kinds: [LABEL_KIND], isIn: named };
    default:
      return undefined;
  }
}

async function isQuotaUsed({ requests, readings }: CreateStep): Promise<boolean> {
  const read = await readings.account(requests);
  if (!read.ok) return true;
  const { used, max, remaining } = read.account.quota;
  return used >= max || remaining === 0;
}

/** It is not documented whether names that differ in case are the same. */
function alike(name: string, other: unknown): boolean {
  return typeof other === 'string' && name.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Describes why the service refused a create, in tradeform's own words if the code is specific enough. */
function refusedCreate({ identity, body }: CreateStep, outcome: Refusal): Failure {
  const failure = refusal('The creation', outcome);
  const label = body.risk_label_id;
  switch (outcome.code) {
    case 'not_found':
      return typeof label === 'string' ? labelGone(label, outcome) : failure;
    case 'quota_exceeded':
      return { ...failure, text: `No room for another ${LIMITED[kindOf(identity.collection).family]}.` };
    case 'target_already_exists':
      return { ...failure, text: 'Another task on the service already has this target wallet.' };
    default:
      return failure;
  }
}

const LIMITED = {
  task: 'task: the quota of the account is used up',
  template: 'template: the account has reached its limit',
  label: 'label: the account has reached its limit',
} as const;
