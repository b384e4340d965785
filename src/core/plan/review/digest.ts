import { createHash } from 'node:crypto';
import { collectionOf } from '../../model/address.ts';
import { isUnmarked } from '../../model/armed.ts';
import { byKey } from '../../model/by-key.ts';
import { resourcesBefore } from '../../model/change.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { Change, Operation, Plan } from '../../model/generated/plan.ts';
import { given } from '../../model/given.ts';
import { canonicalJson, isObject, type Json, type JsonObject, objectIn } from '../../model/json.ts';
import { TASK_KINDS, TEMPLATE_KINDS } from '../../model/kind.ts';
import { remarkOf, replacesTag } from '../../model/marker.ts';
import { canonicalParts } from '../../model/parts.ts';
import type { LiveResource, LiveTask } from '../../model/resource.ts';
import { currentConfig } from '../../model/shape.ts';

/** A change in an approval: everything that `--expect FILE` needs of the reviewed plan. */
export interface ListedChange {
  readonly address: string;
  /** Its actions, `update+start`. With `held` if the task stays paused although git wants it running. */
  readonly does: string;
  /**
   * 32 hex digits: what would be done, and to what. In practice nobody can find two changes with one digest; with 12 digits
   * somebody could.
   */
  readonly digest: string;
  /** 32 hex digits: the state of the address afterwards. It identifies the rest of an interrupted change, and a change that is done. */
  readonly outcome?: string;
  /** The resource that must be gone afterwards, or that git lets go of. */
  readonly id?: string;
}

/**
 * The plan with its digest, and with a digest for each change that does something. The plan's digest is SHA-256 over what would be
 * done and to what: project, environment, service, and the list of changes. Each change is in it with its own digest over address,
 * ids, actions, fields, starts and stops, the requests in order with what each writes and how long it waits, and everything that is
 * created, started and deleted. Which change waits for which is covered as well. The digest does not cover versions, the marks that
 * only keep a task off (see {@link isUpkeep}), tokens, times, commits, the tool's version, or what a base has as well. It does not
 * cover tasks that the plan leaves alone either, so a pause elsewhere invalidates no review (DESIGN 6).
 *
 * The environment is included because the login name may be null. Two accounts behind one base URL that both lack a task would
 * otherwise have the same plan to create it, and approving one plan would approve the other. A deleted task is included
 * completely, because a deletion has no fields: somebody who edits a task after its deletion was approved needs the task, and
 * nobody can restore it. A started task is included completely as well: if git and the service both took a larger amount in the
 * meantime, or if `ignore_changes` keeps one, no field shows it, and the approval was for the start of a different task.
 */
export function withDigests(plan: Plan): Plan {
  const chains = chainsOf(plan);
  const changes = plan.changes.map(({ digest: _, outcome: __, ...change }) => ({
    ...change,
    ...digestsOf(change, chains.get(change.address) ?? []),
  }));
  return { ...plan, changes, digest: digestOfList(plan, listedIn({ changes }), orderOf(plan)) };
}

export function chainsOf(plan: Pick<Plan, 'operations'>): ReadonlyMap<string, readonly Operation[]> {
  return byKey(plan.operations, ({ address }) => address);
}

function digestsOf(change: Change, chain: readonly Operation[]): Pick<Change, 'digest' | 'outcome'> {
  const whole = digestedChange(change, chain);
  if (!isDone(whole)) return {};
  return { digest: shortSha(whole), outcome: outcomeOf(change, chain) };
}

/**
 * The digest of a plan with this list: it proves that the list of an approved plan is complete and of this subject.
 * Outcomes are not part of it: what a change leaves unchanged may differ by now. `order`: see {@link orderOf}.
 */
export function digestOfList(
  plan: Plan,
  changes: readonly ListedChange[],
  order: string | undefined,
): string {
  const list = changes.map(({ address, does, digest }) => ({ address, does, digest }));
  return sha256({ ...digestedSubject(plan), changes: list, ...given({ order }) });
}

/**
 * 32 hex digits: which operations wait for which, beyond the order within a change. Undefined if none does. It is no part of the
 * digests of changes: what an interrupted run has done, the rest does not wait for.
 */
export function orderOf({ operations }: Pick<Plan, 'operations'>): string | undefined {
  const named = new Map(operations.map(({ id, address, verb, subject }) => [id, [address, verb, subject]]));
  const waits = operations.flatMap(({ id, needs }) =>
    needs.length === 0 ? [] : [[named.get(id) ?? id, needs.map((need) => named.get(need) ?? need)]],
  );
  if (waits.length === 0) return undefined;
  const texts = waits.map((wait) => canonicalJson(wait as Json)).sort(compareTexts);
  return shortSha(texts);
}

interface Resumed {
  readonly starts: readonly LiveTask[];
  /** Ids of the tasks that only lose the mark of the switch. */
  readonly settles: readonly string[];
  /** The names of the labels that it deletes. */
  readonly thaws: readonly string[];
}

/** SHA-256 over what a resume does, and where: every task as stored, without the fields that every write changes. */
export function resumeDigest(
  subject: Omit<ReturnType<typeof digestedSubject>, 'previous_project'>,
  { starts, settles, thaws }: Resumed,
): string {
  const started = starts
    .toSorted((a, b) => compareTexts(a.id, b.id))
    .map((task) => essence({ ...(task as unknown as JsonObject), ...canonicalParts(task) }));
  return sha256({
    ...subject,
    started,
    settled: settles.toSorted(compareTexts),
    thaws: thaws.toSorted(compareTexts),
  });
}

/**
 * The changes to which something is done, in order of address. In a document, values may be hidden, but the digests stay those of
 * the plan.
 */
export function listedIn({ changes }: Pick<Plan, 'changes'>): readonly ListedChange[] {
  return changes
    .flatMap(
      ({ address, actions, held, digest, outcome, id: own, replaces_id: replaced }): ListedChange[] => {
        const does = [...actions, ...(held ? ['held'] : [])].join('+');
        const id = actions.includes('delete') || actions.includes('release') ? own : replaced;
        return digest === undefined
          ? []
          : [{ address, does, digest, ...given({ outcome, id: id ?? undefined }) }];
      },
    )
    .sort((a, b) => compareTexts(a.address, b.address));
}

/** 128 bits: a shorter one would let the author of a change look for two that have the same. */
const DIGITS = 32;

function shortSha(value: unknown): string {
  return sha256(value).slice(0, DIGITS);
}

/** The input of the digest: two plans have the same digest if their inputs are equal. */
export function digested(plan: Plan) {
  const chains = chainsOf(plan);
  return {
    ...digestedSubject(plan),
    order: orderOf(plan),
    changes: plan.changes
      .map((change) => digestedChange(change, chains.get(change.address) ?? []))
      .filter(isDone),
  };
}

function digestedSubject({
  project,
  previous_project,
  environment,
  service: { base_url, login_username },
}: Pick<Plan, 'project' | 'previous_project' | 'environment' | 'service'>) {
  return { project, previous_project: previous_project ?? null, environment, base_url, login_username };
}

export type DigestedChange = ReturnType<typeof digestedChange>;

/** False for what is held or blocked, and where only a mark is brought up to date: nothing is done to what trades. */
function isDone({ steps }: DigestedChange): boolean {
  return steps.length > 0;
}

function digestedChange(change: Change, operations: readonly Operation[]) {
  const { address, previous_address, id, replaces_id, actions, held } = change;
  const { starts_trading, stops_trading } = change;
  return {
    ...{ address, previous_address, id, replaces_id, actions, starts_trading, stops_trading, held },
    fields: change.fields.map(({ path, before, after, legacy }) => ({
      path,
      ...given({ before, after, legacy }),
    })),
    steps: operations.filter((step) => !isUpkeep(step, change)).map((step) => stepOf(step, change)),
  };
}

const KEEPS_OFF: ReadonlySet<string> = new Set(['settled', 'off', 'kept-off', 'held']);

/**
 * True for a request that only brings the marker of an owned task up to date: its version, or its mark, so that the task stays off or
 * its next stop counts as somebody's. Whether one is needed depends on what earlier runs left. `contradictionIn` proves such a mark
 * from the task in the plan, and `checkFresh` that task from the live one.
 */
function isUpkeep({ verb, subject, body }: Operation, change: Change): boolean {
  const { remark, ...more } = (body ?? {}) as JsonObject;
  if (verb !== 'patch' || !isObject(remark ?? null) || Object.keys(more).length > 0) return false;
  const { note, mark, rearm, replaces } = remark as JsonObject;
  const live = resourcesBefore(change).find(({ id }) => id === subject);
  if (live === undefined || typeof live.remark !== 'string') return false;
  const { marker, note: before } = remarkOf({ remark: live.remark });
  return (
    marker !== undefined &&
    (KEEPS_OFF.has(mark as string) || (mark === 'none' && isUnmarked(marker.armed))) &&
    !change.fields.some(({ path }) => path === 'project' || path === 'name') &&
    marker.name === change.name &&
    before.trim() === note &&
    (marker.rearm ?? null) === rearm &&
    (replaces === null || replacesTag(replaces as string) === marker.replaces)
  );
}

export interface DigestedStep {
  readonly verb: Operation['verb'];
  /** Id of the resource, or the placeholder of the one that the plan creates: requests are made from it. */
  readonly subject: string;
  /** For a mark or a patch: what it writes. Their values are in the fields of the change, or equal the live ones. */
  readonly writes?: readonly string[];
  readonly marker?: JsonObject;
  readonly settle_ms?: number;
  readonly read_first?: true;
  /** For a create: the complete body, with the note in place of its remark. */
  readonly body?: JsonObject;
  /** For a delete: everything that is lost. */
  readonly gone?: JsonObject;
  /** For the start of a paused task: the whole task as found. Together with the fields, this is how the task will run. */
  readonly started?: JsonObject;
}

/**
 * The body of a patch is left out, because the fields contain its changes and the rest equals the live values (the planner has made
 * both). So is the former task of a replacement.
 */
function stepOf({ verb, subject, body, settle_ms, read_first }: Operation, change: Change): DigestedStep {
  const { remark, ...more } = (body ?? {}) as JsonObject;
  const step = {
    verb,
    subject,
    ...(isObject(remark ?? null) ? { marker: markerOf(remark as JsonObject) } : {}),
    ...given({ settle_ms, read_first }),
  };
  const told = change.fields.some(({ path }) => path === 'label');
  if (verb === 'create') return { ...step, body: withoutMark((body ?? {}) as JsonObject, told) };
  if (verb === 'mark' || verb === 'patch') {
    const released = typeof remark === 'string' ? ['remark'] : [];
    return { ...step, writes: [...released, ...Object.keys(more)].sort(compareTexts) };
  }
  const live = resourcesBefore(change).find(({ id }) => id === subject);
  if (live === undefined) return step;
  if (verb === 'resume') return { ...step, ...(live.is_active === true ? {} : { started: essence(live) }) };
  const lost = verb === 'delete' && (live !== change.former || change.actions.includes('delete'));
  return { ...step, ...(lost ? { gone: essence(live) } : {}) };
}

/** What the manifests say of a marker. Of the marks that keep a task off, which one depends on earlier runs. */
function markerOf({ mark, rearm = null, replaces = null }: JsonObject): JsonObject {
  return { mark: KEEPS_OFF.has(mark as string) ? 'off' : (mark ?? null), rearm, replaces };
}

/**
 * Without the label if a field names it. The id of a label is known only after its creation, and somebody may have created it in
 * the meantime.
 */
function withoutMark({ remark, risk_label_id: label, ...body }: JsonObject, labelTold: boolean): JsonObject {
  return {
    ...body,
    ...(label === undefined || labelTold ? {} : { risk_label_id: label }),
    ...(isObject(remark) ? { note: remark.note ?? '' } : {}),
  };
}

/** A live resource without the fields that every write changes. */
function essence({ remark, version, created_at, updated_at, ...rest }: JsonObject): JsonObject {
  if (typeof remark !== 'string') return rest;
  return { ...rest, note: noteOf(remark) };
}

function noteOf(remark: Json | undefined): Json {
  if (typeof remark !== 'string') return isObject(remark ?? null) ? ((remark as JsonObject).note ?? '') : '';
  const { type, note } = remarkOf({ remark });
  return type === 'damaged' ? remark : note;
}

function outcomeOf({ address, ...change }: Change, chain: readonly Operation[]): string {
  const subjects = resourcesBefore(change);
  const created = chain.find(({ verb }) => verb === 'create');
  const stays = subjects.find(
    ({ id }) => !chain.some((step) => step.verb === 'delete' && step.subject === id),
  );
  if (created === undefined && stays === undefined)
    return shortSha({ address, gone: subjects.map((task) => ({ ...essence(task), is_active: null })) });
  let resource: JsonObject =
    created === undefined ? { ...stays } : { ...(created.body as JsonObject), is_active: false };
  for (const step of chain) {
    if (step.subject !== (created === undefined ? stays?.id : created.subject)) continue;
    if (step.verb === 'patch') resource = { ...resource, ...(step.body as JsonObject) };
    if (step.verb === 'pause' || step.verb === 'resume') resource.is_active = step.verb === 'resume';
  }
  return stateOf(address, resource);
}

/**
 * 32 hex digits: a resource as it is at an address. The label is not included, because it does not affect trading and its id may be
 * unknown; neither is the place of a label.
 */
export function stateOf(address: string, resource: Pick<LiveResource, never>): string {
  const kind = [...TASK_KINDS, ...TEMPLATE_KINDS].find(
    ({ collection }) => collection === collectionOf(address),
  );
  const { name, config, is_active: runs, remark } = resource as JsonObject;
  return shortSha({
    address,
    ...{ name: String(name ?? '').trim(), note: String(noteOf(remark)).trim(), runs: runs === true },
    ...canonicalParts(resource),
    config: kind === undefined ? null : currentConfig(kind.config, objectIn(config)),
  });
}

function sha256(value: unknown): string {
  // The plan is JSON by its schema. Generated types say `unknown` for any JSON value.
  return createHash('sha256')
    .update(canonicalJson(value as Json))
    .digest('hex');
}
