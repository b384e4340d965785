import type { JsonObject } from '../model/json.ts';
import { kindOf } from '../model/kind.ts';
import type { LiveLabel, LiveResource, LiveTask } from '../model/resource.ts';
import type { Answer, Outcome } from '../ports/api.ts';
import { lightlyEdited, patched } from './compare.ts';
import { type Failure, isCredentialError, refusal, reportedError } from './failure.ts';
import { findOwners, type Identity, isOurs } from './find-owners.ts';
import { idempotencyKey, KEY_LIFETIME, MOST_COUNTERS, mayBeReplay } from './idempotency.ts';
import { templateEcho } from './plain-step.ts';
import { isLabel, isTask, readResource } from './read-resource.ts';
import { echoDifferences } from './task-step.ts';
import { backoff, type Wire } from './wire.ts';

export interface CreateStep {
  readonly identity: Identity;
  /** For the idempotency key. */
  readonly project: string;
  readonly address: string;
  /** As it is sent. */
  readonly body: JsonObject;
  /** When the view showed nothing by this name, in milliseconds since the epoch. */
  readonly viewedAt: number;
  /** True where a resource that exists already is exactly what the chain leads to. */
  readonly isEndState: (resource: LiveResource) => boolean;
}

export type CreateEnd =
  /** `edited`: somebody has written a note or a label since. */
  | { readonly type: 'created'; readonly resource: LiveResource; readonly edited?: boolean }
  /** It exists already, and is what the whole chain was to bring about. */
  | { readonly type: 'complete'; readonly resource: LiveResource }
  | { readonly type: 'echo'; readonly resource: LiveResource; readonly fields: readonly string[] }
  | {
      readonly type: 'failed';
      readonly failure: Failure;
      /** It exists already, otherwise than this create would leave it. */
      readonly existing?: LiveResource;
    };

const MOST_SENDINGS = 6;

const MOST_LOOKS = 3;

/** Refusals that may come from a create of ours, or of another runner, that has already been carried out. */
const EXISTS: ReadonlySet<string> = new Set([
  'idempotency_conflict',
  'target_already_exists',
  'template_name_exists',
  'label_name_exists',
]);

/** Creates the resource of an address exactly once, whatever was sent before and whoever else is at it (DESIGN 7). */
export async function runCreateStep(step: CreateStep, wire: Wire): Promise<CreateEnd> {
  const earlier = await createdMeanwhile(step, wire);
  if (earlier !== 'next') return earlier;
  for (let counter = 0; counter < MOST_COUNTERS; counter += 1) {
    const end = await withKey(step, idempotencyKey(step.project, step.address, counter), wire);
    if (end !== 'next') return end;
  }
  const text = `${MOST_COUNTERS} idempotency keys of this address are taken by earlier creates; they are free again after 24 hours.`;
  return { type: 'failed', failure: { kind: 'refused', text } };
}

type KeyEnd = CreateEnd | 'next';

/**
 * Keys are remembered for 24 hours: an apply that stood still for that long may no longer rely on them to find what
 * another one has created since the view was read. It may stand still again while it looks, a few times.
 */
async function createdMeanwhile(step: CreateStep, wire: Wire): Promise<KeyEnd> {
  let { viewedAt } = step;
  for (let look = 1; look <= MOST_LOOKS && wire.clock.now() - viewedAt >= KEY_LIFETIME; look += 1) {
    viewedAt = wire.clock.now();
    const search = await findOwners(step.identity, wire);
    if (search.type === 'unreadable')
      return failed(refusal('The reading before the creation', search.outcome));
    const [owner, second] = search.owners;
    if (second !== undefined) return failed(several(search.owners));
    if (owner !== undefined) return existing(step, owner, wire);
  }
  return 'next';
}

async function withKey(step: CreateStep, key: string, wire: Wire): Promise<KeyEnd> {
  const { path } = kindOf(step.identity.collection);
  const firstSent = wire.clock.now();
  let lost = false;
  for (let sending = 1; ; sending += 1) {
    const outcome = await wire.write({ method: 'POST', path, body: step.body, idempotencyKey: key });
    if (outcome.type === 'ok') {
      const answered = readResource(step.identity.collection, outcome.data, outcome.version);
      if (answered !== undefined) return answeredBy(step, answered, outcome, wire);
    }
    if (outcome.type === 'error') return refusedBy(step, outcome, lost || outcome.repeated === true, wire);
    if (outcome.type === 'unsent') {
      return lost ? uncertain(step, outcome, wire) : failed(refusal('The creation', outcome));
    }
    lost = true;
    if (sending === MOST_SENDINGS) return uncertain(step, outcome, wire);
    await wire.sleep(backoff(sending));
    // A machine may have slept for longer than it was asked to.
    if (wire.clock.now() - firstSent > KEY_LIFETIME) return uncertain(step, outcome, wire);
  }
}

/** A `201`: new, or the replay of an earlier create with this key, whose resource may have gone or changed hands since. */
async function answeredBy(
  step: CreateStep,
  answered: LiveResource,
  answer: Answer,
  wire: Wire,
): Promise<KeyEnd> {
  if (!isOurs(step.identity, answered)) return foreignAnswer(step, answered, answer, wire);
  const created = typeof answer.data?.created_at === 'string' ? answer.data.created_at : undefined;
  if (isFirstVersion(answered) && !mayBeReplay(created, answer.date)) return fresh(step, answered);
  return existing(step, answered, wire);
}

/** An answer that does not carry our marker or name: a replay of something else, or a service that stores it altered. */
async function foreignAnswer(
  step: CreateStep,
  answered: LiveResource,
  answer: Answer,
  wire: Wire,
): Promise<KeyEnd> {
  const created = typeof answer.data?.created_at === 'string' ? answer.data.created_at : undefined;
  const known = step.identity.known.has(answered.id);
  if (known || !isFirstVersion(answered) || mayBeReplay(created, answer.date)) return 'next';
  const look = await wire.look(step.identity.collection, answered.id);
  if (look.type === 'gone') return 'next';
  return { type: 'echo', resource: answered, fields: echo(step.body, answered) };
}

async function existing(step: CreateStep, shown: LiveResource, wire: Wire): Promise<KeyEnd> {
  const look = await wire.look(step.identity.collection, shown.id);
  if (look.type === 'gone') return 'next';
  if (look.type === 'unreadable') return failed(unknown(look.outcome));
  return found(step, look.resource);
}

function found(step: CreateStep, resource: LiveResource): KeyEnd {
  if (!isOurs(step.identity, resource)) return 'next';
  const same = echo(step.body, resource).length === 0;
  if (same && isFirstVersion(resource)) return { type: 'created', resource };
  if (same && step.isEndState(resource)) return { type: 'complete', resource };
  if (isTask(resource) && isOneEditAhead(step.body, resource)) {
    return { type: 'created', resource, edited: true };
  }
  const text = `It exists already (${resource.id}) and has changed since it was created; the next apply goes on from there.`;
  return { type: 'failed', failure: { kind: 'moved', text }, existing: resource };
}

/** One write after the creation, visibly a note or a label: it hides no start and stop. With `buy_once` nothing is gone over. */
function isOneEditAhead(body: JsonObject, task: LiveTask): boolean {
  const created = { ...patched({ ...task, risk_label_id: null }, body), is_active: false };
  const { target_wallet } = task;
  const buyOnce = task.config.buy_once === true;
  return (
    task.version === 2 && body.target_wallet === target_wallet && !buyOnce && lightlyEdited(created, task)
  );
}

function fresh(step: CreateStep, resource: LiveResource): CreateEnd {
  const fields = echo(step.body, resource);
  return fields.length === 0 ? { type: 'created', resource } : { type: 'echo', resource, fields };
}

async function refusedBy(
  step: CreateStep,
  outcome: Outcome & { type: 'error' },
  lost: boolean,
  wire: Wire,
): Promise<KeyEnd> {
  const { code } = outcome;
  if (!EXISTS.has(code) && (!lost || isCredentialError(code))) return failed(explained(step, outcome));
  const search = await findOwners(step.identity, wire);
  if (search.type === 'unreadable')
    return failed(lost ? unknown(search.outcome) : refusal('The creation', outcome));
  const [owner, second] = search.owners;
  if (owner !== undefined && second === undefined) return existing(step, owner, wire);
  if (second !== undefined) return failed(several(search.owners));
  if (code !== 'idempotency_conflict') return failed(explained(step, outcome));
  // Whoever took the key made what this address names: a runner of the same project that calls it otherwise by now.
  const twin = search.twins.find(({ target_wallet }) => target_wallet === step.body.target_wallet);
  return twin === undefined ? 'next' : failed(renamedMeanwhile(twin));
}

function renamedMeanwhile({ id }: LiveTask): Failure {
  const text = `It was created meanwhile with the marker of another project (${id}), by a runner that calls this project otherwise: plan again.`;
  return { kind: 'moved', text };
}

function several(owners: readonly LiveResource[]): Failure {
  const ids = owners.map(({ id }) => id).sort();
  return { kind: 'moved', text: `Several resources carry this name meanwhile: ${ids.join(', ')}.` };
}

/** No answer to any sending: the collection tells whether it was carried out. */
async function uncertain(step: CreateStep, outcome: Outcome, wire: Wire): Promise<KeyEnd> {
  const search = await findOwners(step.identity, wire);
  const owner = search.type === 'found' && search.owners.length === 1 ? search.owners[0] : undefined;
  const end = owner === undefined ? 'next' : await existing(step, owner, wire);
  // Without an answer a further key must not be tried: the first may still be carried out.
  return end === 'next' ? failed(unknown(outcome)) : end;
}

function explained(step: CreateStep, outcome: Outcome & { type: 'error' }): Failure {
  const failure = refusal('The creation', outcome);
  switch (outcome.code) {
    case 'not_found':
      return { ...failure, text: `The label ${String(step.body.risk_label_id)} is gone from the service.` };
    case 'quota_exceeded':
      return { ...failure, text: `No room for another ${LIMITED[kindOf(step.identity.collection).family]}.` };
    case 'target_already_exists':
      return { ...failure, text: 'Another task on the service has this target wallet already.' };
    default:
      return failure;
  }
}

const LIMITED = {
  task: 'task: the quota of the account is used up',
  template: 'template: the account has as many as it may',
  label: 'label: the account has as many as it may',
} as const;

function unknown(outcome: Outcome): Failure {
  const error = reportedError(outcome);
  const text = `Whether it was created is not known: no usable answer came (${error.message}). The next apply finds out.`;
  return { kind: 'unknown', text, error };
}

function isFirstVersion(resource: LiveResource): boolean {
  return isLabel(resource) || resource.version === 1;
}

/** The sent fields that a resource does not show as they were sent. */
function echo(body: JsonObject, resource: LiveResource): readonly string[] {
  if (isLabel(resource)) return labelEcho(resource, body);
  if (!isTask(resource)) return templateEcho(resource, body);
  const wanted = { ...resource, risk_label_id: null, ...body };
  const fields = echoDifferences(wanted, resource, { risk_label_id: null, ...body });
  return resource.target_wallet === body.target_wallet ? fields : ['target_wallet', ...fields];
}

function labelEcho({ name, sort_order }: LiveLabel, body: JsonObject): readonly string[] {
  const fields = name === body.name ? [] : ['name'];
  const order = sort_order === null || body.sort_order === undefined || sort_order === body.sort_order;
  return order ? fields : [...fields, 'sort_order'];
}

function failed(failure: Failure): CreateEnd {
  return { type: 'failed', failure };
}
