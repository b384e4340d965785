import { createHash } from 'node:crypto';
import { byKey } from '../../model/by-key.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { Change, Operation, Plan } from '../../model/generated/plan.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { TASK_KINDS } from '../../model/kind.ts';
import { remarkOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { canonicalWallets, currentConfig } from '../../model/shape.ts';

/** A change in an approval: everything that `--expect-changes` needs of the reviewed plan. */
export interface ListedChange {
  readonly address: string;
  /** Its actions, `update+start`; with `held` where the task stays paused though git wants it running. */
  readonly does: string;
  /** 32 hex digits: what would be done there, and to what. Two of one digest cannot be found in practice, 12 digits could. */
  readonly digest: string;
  /** 32 hex digits: what the address has afterwards, by which the rest of a change that was cut off is known again. */
  readonly outcome?: string;
}

/**
 * The plan with its digest, and each change to which something is done with its own. A plan's digest is
 * SHA-256 over what would be done and to what: project, environment, service, and the list of the changes, each by its own
 * digest over address, ids, actions, fields, starts and stops, the requests in their order, all of what is created, started
 * and deleted. Not over versions, marks, waits, tokens, times, commits, the tool's version, or what a base has as well; and
 * not over tasks to which nothing is done, so that a pause elsewhere voids no review (DESIGN 6).
 *
 * The environment is in it because the login name may be null: two accounts behind one base URL that both lack a task
 * would else have the same plan to create it, and the approval of one would be good for the other. What is deleted is in
 * it whole, since a deletion has no fields: somebody who edits a task after its deletion was approved needs it, and no
 * one can bring it back. So is what is started: where git and the service took a larger amount meanwhile, or where
 * `ignore_changes` lets it stand, no field says so, and the approval was for the start of another task.
 */
export function withDigests(plan: Plan): Plan {
  const changes = listChanges(plan);
  const listed = new Map(changes.map((change) => [change.address, change]));
  return {
    ...plan,
    changes: plan.changes.map((change) => {
      const { digest, outcome } = listed.get(change.address) ?? {};
      return {
        ...change,
        ...(digest === undefined ? {} : { digest }),
        ...(outcome === undefined ? {} : { outcome }),
      };
    }),
    digest: digestOfList(plan, changes),
  };
}

/**
 * The digest of a plan with this list: it proves that the list of an approved plan is complete and of this subject.
 * Outcomes are not part of it: what a change leaves unchanged may differ by now.
 */
export function digestOfList(plan: Plan, changes: readonly ListedChange[]): string {
  const list = changes.map(({ address, does, digest }) => ({ address, does, digest }));
  return sha256({ ...digestedSubject(plan), changes: list });
}

/**
 * SHA-256 over what a resume starts, and where: every task as it is stored, without the fields that every write
 * changes.
 */
export function resumeDigest(
  subject: ReturnType<typeof digestedSubject>,
  tasks: readonly LiveTask[],
): string {
  const started = tasks
    .toSorted((a, b) => compareTexts(a.id, b.id))
    .map(({ linked_wallets = [], ...task }) =>
      essence({ ...task, linked_wallets: [...canonicalWallets(linked_wallets)] }),
    );
  return sha256({ ...subject, started });
}

/** The list of a plan document: values may be hidden in it, but its digests stay those of the plan. */
export function listedIn({ changes }: Pick<Plan, 'changes'>): readonly ListedChange[] {
  return changes
    .flatMap(({ address, actions, held, digest, outcome }): ListedChange[] =>
      digest === undefined
        ? []
        : [
            {
              address,
              does: doesOf({ actions, held }),
              digest,
              ...(outcome === undefined ? {} : { outcome }),
            },
          ],
    )
    .sort(byAddress);
}

function doesOf({ actions, held }: Pick<Change, 'actions' | 'held'>): string {
  return [...actions, ...(held ? ['held'] : [])].join('+');
}

function byAddress(a: ListedChange, b: ListedChange): number {
  return compareTexts(a.address, b.address);
}

/** The changes to which something is done, in order of address. */
function listChanges(plan: Plan): readonly ListedChange[] {
  const chains = byKey(plan.operations, ({ address }) => address);
  const changes = plan.changes.flatMap((change): ListedChange[] => {
    const chain = chains.get(change.address) ?? [];
    const digested = digestedChange(change, chain);
    if (!isDone(digested)) return [];
    const outcome = outcomeOf(change, chain);
    return [
      {
        address: change.address,
        does: doesOf(change),
        digest: sha256(digested).slice(0, DIGITS),
        ...(outcome === undefined ? {} : { outcome: sha256(outcome).slice(0, DIGITS) }),
      },
    ];
  });
  return changes.sort(byAddress);
}

/** 128 bits: a shorter one would let the author of a change look for two that have the same. */
const DIGITS = 32;

/** The input of the digest: two plans have one digest where this is equal. */
export function digested(plan: Plan) {
  const chains = byKey(plan.operations, ({ address }) => address);
  return {
    ...digestedSubject(plan),
    changes: plan.changes
      .map((change) => digestedChange(change, chains.get(change.address) ?? []))
      .filter(isDone),
  };
}

function digestedSubject({
  project,
  environment,
  service: { base_url, login_username },
}: Pick<Plan, 'project' | 'environment' | 'service'>) {
  return { project, environment, base_url, login_username };
}

export type DigestedChange = ReturnType<typeof digestedChange>;

/** False for what is held or blocked, and for a mark that is brought up to date: nothing is done to what trades. */
function isDone({ actions, fields, steps }: DigestedChange): boolean {
  return steps.length + fields.length > 0
    ? !actions.includes('none')
    : actions.some((action) => action !== 'none' && action !== 'update');
}

function digestedChange(change: Change, operations: readonly Operation[]) {
  const told = change.fields.some(({ path }) => path === 'label');
  return {
    address: change.address,
    previous_address: change.previous_address,
    id: change.id,
    replaces_id: change.replaces_id,
    actions: change.actions,
    starts_trading: change.starts_trading,
    stops_trading: change.stops_trading,
    held: change.held,
    fields: change.fields.map(({ path, before, after, legacy }) => ({
      path,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(legacy === undefined ? {} : { legacy }),
    })),
    steps: operations.filter(isMoreThanMark).map((step) => stepOf(step, change, told)),
  };
}

/** Marks come and go with what earlier runs left; they decide nothing that is not said otherwise. */
function isMoreThanMark({ verb, body }: Operation): boolean {
  return verb !== 'mark' && !(verb === 'patch' && Object.keys(body ?? {}).every((key) => key === 'remark'));
}

export interface DigestedStep {
  readonly verb: Operation['verb'];
  readonly path: string;
  /** For a create: all that is sent, with the note for its remark. */
  readonly body?: JsonObject;
  /** For a delete: all that is lost. */
  readonly gone?: JsonObject;
  /** For the start of a task that does not run: the whole task as it was found. With the fields that is how it will run. */
  readonly started?: JsonObject;
}

/** Patches are told by the fields: a body repeats what is live already. So is the former task of a replacement. */
function stepOf(
  { verb, path, subject: id, body }: Operation,
  { actions, former, successor }: Change,
  labelTold: boolean,
): DigestedStep {
  if (verb === 'create') return { verb, path, body: withoutMark((body ?? {}) as JsonObject, labelTold) };
  const subject = [former, successor].find((resource) => resource?.id === id);
  if (subject == null) return { verb, path };
  const live = subject as JsonObject;
  if (verb === 'resume')
    return { verb, path, ...(live.is_active === true ? {} : { started: essence(live) }) };
  const lost = verb === 'delete' && (subject !== former || actions.includes('delete'));
  return { verb, path, ...(lost ? { gone: essence(live) } : {}) };
}

/** Without the label where a field names it: its id is known only once it is there, and somebody may have made it meanwhile. */
function withoutMark({ remark, risk_label_id: label, ...body }: JsonObject, labelTold: boolean): JsonObject {
  return {
    ...body,
    ...(label === undefined || labelTold ? {} : { risk_label_id: label }),
    ...(isObject(remark) ? { note: remark.note ?? '' } : {}),
  };
}

/** A live resource without what every write changes. */
function essence({ remark, version, created_at, updated_at, ...rest }: JsonObject): JsonObject {
  if (typeof remark !== 'string') return rest;
  return { ...rest, note: noteOf(remark) };
}

function noteOf(remark: Json | undefined): Json {
  if (typeof remark !== 'string') return isObject(remark ?? null) ? ((remark as JsonObject).note ?? '') : '';
  const { type, note } = remarkOf({ remark });
  return type === 'damaged' ? remark : note;
}

/**
 * The state of a task's address once its chain is carried out. Undefined where a chain cannot be left part-way: one request, or
 * no task. The label is not in it: it decides nothing of what is traded, and its id may not be known yet.
 */
function outcomeOf(change: Change, chain: readonly Operation[]): JsonObject | undefined {
  const kind = TASK_KINDS.find(({ collection }) => collection === change.kind);
  if (kind === undefined || !chain.some(({ verb }) => CUT_OFF.has(verb))) return undefined;
  const { address } = change;
  const subjects = [change.former, change.successor].flatMap((task) =>
    task == null ? [] : [task as JsonObject],
  );
  const created = chain.find(({ verb }) => verb === 'create');
  const stays = subjects.find(
    ({ id }) => !chain.some((step) => step.verb === 'delete' && step.subject === id),
  );
  if (created === undefined && stays === undefined) {
    return { address, gone: subjects.map((task) => ({ ...essence(task), is_active: null })) };
  }
  let task: JsonObject =
    created === undefined ? { ...stays } : { ...(created.body as JsonObject), is_active: false };
  for (const step of chain) {
    if (step.subject !== (created === undefined ? stays?.id : created.subject)) continue;
    if (step.verb === 'patch') task = { ...task, ...(step.body as JsonObject) };
    if (step.verb === 'pause' || step.verb === 'resume') task.is_active = step.verb === 'resume';
  }
  const { target_wallet = null, linked_wallets: linked, config, is_active: runs = false, remark } = task;
  return {
    address,
    runs,
    target_wallet,
    linked_wallets: Array.isArray(linked) ? [...canonicalWallets(linked as string[])] : [],
    config: isObject(config ?? null) ? currentConfig(kind.config, config as JsonObject) : null,
    note: noteOf(remark),
  };
}

const CUT_OFF: ReadonlySet<Operation['verb']> = new Set(['pause', 'resume', 'delete']);

/** SHA-256 over the whole document with `integrity` empty. */
export function planIntegrity(plan: Plan): string {
  return sha256({ ...plan, integrity: '' });
}

function sha256(value: unknown): string {
  // The plan is JSON by its schema; generated types say `unknown` where any JSON may stand.
  return createHash('sha256')
    .update(canonicalJson(value as Json))
    .digest('hex');
}
