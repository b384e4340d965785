import { isObject, type JsonObject, jsonEqual, objectIn } from '../core/model/json.ts';
import { type Kind, type LabelKind, LIMITS, type TaskKind, type TemplateKind } from '../core/model/kind.ts';
import { PATCHED_PARTS, partsIn, pick } from '../core/model/parts.ts';
import { type BodyRules, bodyOf, checkBody, checkStoredConfig, invalid, textOf, textsOf } from './body.ts';
import type { Context, OperationOutcome } from './context.ts';
import type { Change, Stored, StoredLabel, StoredTask, StoredTemplate } from './records.ts';
import { notFound, Refused, refusedField } from './refusal.ts';
import { expectNoBody, isUuid, parseBody, parseIfMatch } from './request.ts';
import { showResource } from './resources.ts';
import { ofAccount, quotaUsed } from './state.ts';
import { storedConfig, storedSet } from './storing.ts';

/**
 * The operations on tasks, templates and labels except their lists (interface, "States and transitions", "Tasks", "Templates",
 * "Labels"). A label has no version: no `ETag`, no `If-Match`.
 */

export function get(context: Context, kind: Kind, id: string): OperationOutcome {
  return shown(context, find(context, kind, id), 'resource');
}

function find(context: Context, kind: TaskKind, id: string): StoredTask;
function find(context: Context, kind: Kind, id: string): Stored;
function find({ state, account, env }: Context, kind: Kind, id: string): Stored {
  if (!isUuid(id))
    throw refusedField(env.choices.malformed_id, 'The id is not a UUID.', 'id', 'invalid_uuid');
  const records = { task: state.tasks, template: state.templates, label: state.labels };
  const record = records[kind.family].get(id);
  const other = record !== undefined && 'collection' in record && record.collection !== kind.collection;
  if (record?.account !== account.id || other) throw notFound(`The ${kind.family}`);
  return record;
}

/** The version that `If-Match` wants. Undefined for a label. */
function wantedVersion({ request, env }: Context, { family }: Kind): number | undefined {
  return family === 'label' ? undefined : parseIfMatch(request, env.choices);
}

function expectVersion(record: Stored, version: number | undefined): void {
  if ('version' in record && record.version !== version) {
    throw new Refused('version_conflict', `The latest version is v${record.version}.`);
  }
}

function rulesOf(kind: Kind, verb: 'Create' | 'Patch', { env: { choices } }: Context): BodyRules {
  const name = bodyOf(kind.collection, verb);
  if (kind.family === 'task') return { name, config: kind.config };
  if (kind.family === 'template') return { name, config: kind.config, nameLimit: LIMITS.templateName };
  const needed =
    verb === 'Create'
      ? { name: ['sort_order'], both: choices.label_create_fields === 'both' }
      : { name: ['name', 'sort_order'], both: choices.label_patch_fields === 'both' };
  return { name, nameLimit: LIMITS.labelName, required: needed.both ? needed.name : [] };
}

type Fields = Partial<Omit<StoredTask & StoredLabel, 'collection'>>;

/** The fields of a checked body, as they are stored. */
function fieldsOf(
  kind: Kind,
  { remark, name, sort_order, risk_label_id: label, config, ...rest }: JsonObject,
  { env: { choices } }: Context,
): Fields {
  const parts = Object.entries(pick(rest, PATCHED_PARTS)).map(([name, value]) => [
    name,
    Array.isArray(value) ? storedSet(textsOf(value), choices) : value,
  ]);
  return {
    ...(remark === undefined ? {} : { remark: textOf(remark) }),
    ...(name === undefined ? {} : { name: textOf(name) }),
    ...(typeof sort_order === 'number' ? { sort_order } : {}),
    ...(label === undefined ? {} : { risk_label_id: label === null ? null : textOf(label) }),
    ...Object.fromEntries(parts),
    ...(config === undefined || kind.family === 'label'
      ? {}
      : { config: storedConfig(kind.config, objectIn(config), choices) }),
  };
}

export function patch(context: Context, kind: Kind, id: string): OperationOutcome {
  const { request, env, state } = context;
  const { choices } = env;
  const raw = parseBody(request, choices);
  const rules = { ...rulesOf(kind, 'Patch', context), target: state.tasks.get(id)?.target_wallet };
  const check = () => checkBody(raw, rules, choices);
  if (choices.check_order === 'body-first') check();
  const version = wantedVersion(context, kind);
  const record = find(context, kind, id);
  expectVersion(record, version);
  if (choices.paused_order === 'before-body') expectPausedFor(raw, record);
  const body = check();
  expectPausedFor(body, record);
  if (kind.family === 'task' && !Object.hasOwn(body, 'config') && revalidates(record, context)) {
    expectStartable(record, kind, context);
  }
  const fields = fieldsOf(kind, body, context);
  if (fields.risk_label_id !== undefined) expectLabel(context, fields.risk_label_id);
  const { name = 'name' in record ? record.name : '' } = fields;
  if (kind.family !== 'task') expectFreeName(context, kind, { id, name });
  return write(context, kind, record, fields, {
    quiet: kind.family !== 'label' && choices.noop_patch === 'same-version',
  });
}

/** Only `remark` and `risk_label_id` may change while a task is active. */
function expectPausedFor(body: unknown, record: Stored): void {
  if (!('is_active' in record && record.is_active) || !isObject(body)) return;
  if (Object.hasOwn(body, 'config') || Object.keys(pick(body, PATCHED_PARTS)).length > 0) {
    throw new Refused('config_must_be_paused', 'Pause the task before its config is changed.');
  }
}

function revalidates(record: Stored, { env }: Context): record is StoredTask {
  const answer = env.choices.remark_patch_revalidates;
  if (!('is_active' in record)) return false;
  return answer === 'always' || (answer === 'when-paused' && !record.is_active);
}

function expectStartable(task: StoredTask, kind: TaskKind, { env }: Context): void {
  const fields = checkStoredConfig(kind.config, task.config, env.choices);
  if (fields.length > 0) throw invalid(fields);
}

export function switchTask(context: Context, kind: TaskKind, id: string, active: boolean): OperationOutcome {
  const { request, env } = context;
  const { choices } = env;
  expectNoBody(request, choices);
  const version = wantedVersion(context, kind);
  const task = find(context, kind, id);
  expectVersion(task, version);
  if (task.is_active === active) {
    const answer = active ? choices.resume_active : choices.pause_paused;
    if (answer === 'same-version') return shown(context, task);
    if (answer !== 'new-version') {
      throw new Refused(answer, active ? 'The task is already active.' : 'The task is already paused.');
    }
  }
  if (active) expectStartable(task, kind, context);
  const touch = choices.switch_updated_at === 'touched';
  return write(context, kind, task, { is_active: active }, active ? { step: 1, touch } : { touch });
}

/** A deleted label or template is taken from the tasks that name it. */
export function remove(context: Context, kind: Kind, id: string): OperationOutcome {
  const { request, env } = context;
  expectNoBody(request, env.choices);
  const version = wantedVersion(context, kind);
  const record = find(context, kind, id);
  expectVersion(record, version);
  if ('is_active' in record && record.is_active) {
    throw new Refused('config_must_be_paused', 'Pause the task before it is deleted.');
  }
  const links = kind.family === 'task' ? [] : unlinked(context, kind, id);
  const changes: readonly Change[] = [...links, { type: `${kind.family}-removed`, id }];
  const answer = kind.family === 'label' ? env.choices.label_delete_answer : '204';
  if (answer === '204') return { status: 204, of: 'write', changes };
  return { status: 200, data: answer === '200-null' ? null : { id, deleted: true }, of: 'write', changes };
}

function unlinked({ state, account, env }: Context, kind: TemplateKind | LabelKind, id: string): Change[] {
  const { choices, now } = env;
  const [link, delete_tasks, touched] =
    kind.family === 'label'
      ? ['risk_label_id' as const, choices.label_delete_tasks, choices.label_delete_updated_at === 'touched']
      : ['template_id' as const, choices.template_delete_tasks, false];
  const step = delete_tasks === 'bumped' ? choices.version_step : 0;
  const linked = [...state.holdings(account.id).tasks.values()].flatMap((tasks) =>
    [...tasks].filter((task) => task[link] === id),
  );
  return linked.map((task) => ({
    type: 'task-fields',
    id: task.id,
    fields: { [link]: null, version: task.version + step, ...(touched ? { updated_at: now } : {}) },
  }));
}

/** The write of fields. `quiet`: fields that change nothing make no new version. */
function write(
  context: Context,
  kind: Kind,
  record: Stored,
  fields: Fields,
  { quiet = false, touch = true, step = context.env.choices.version_step as number },
): OperationOutcome {
  const before = record as unknown as JsonObject;
  const unchanged = Object.entries(fields as JsonObject).every(([key, value]) =>
    jsonEqual(before[key], value),
  );
  if (quiet && unchanged) return shown(context, record);
  const all = {
    ...fields,
    ...('version' in record ? { version: record.version + step } : {}),
    ...(touch ? { updated_at: context.env.now } : {}),
  };
  const changed: Stored = { ...record, ...all };
  const change =
    kind.family === 'task'
      ? { type: 'task-fields', id: record.id, fields: all }
      : { type: kind.family, record: changed };
  return { ...shown(context, changed), changes: [change as Change] };
}

function shown(context: Context, record: Stored, of: 'resource' | 'write' = 'write'): OperationOutcome {
  const data = showResource(record, context);
  const etag = 'version' in record ? { etag: record.version } : {};
  return { status: 200, data, ...etag, of };
}

/**
 * A create in two steps, so that the idempotency key can be checked before or after the body: the first call checks the body,
 * the second checks the account and creates the resource. A task starts paused, and the first version is 1.
 */
export function create(context: Context, kind: Kind, raw: unknown): () => Created {
  const body = checkBody(raw, rulesOf(kind, 'Create', context), context.env.choices);
  return () => {
    const record = newRecord(context, kind, body);
    if ('risk_label_id' in record) expectLabel(context, record.risk_label_id);
    const expectFree = () =>
      kind.family === 'task'
        ? expectFreeTarget(context, record as StoredTask, kind)
        : expectFreeName(context, kind, record as StoredTemplate | StoredLabel);
    const checks = [expectFree, () => expectRoom(context, kind)];
    if (context.env.choices.create_order === 'quota-first') checks.reverse();
    for (const check of checks) check();
    const changes = [{ type: kind.family, record } as Change];
    return { ...shown(context, record), status: 201, changes, resource: record.id };
  };
}

export interface Created extends OperationOutcome {
  /** The id of the new resource. */
  readonly resource: string;
}

function newRecord(context: Context, kind: Kind, body: JsonObject): Stored {
  const { account, env } = context;
  const owned = { id: env.newId(), account: account.id };
  const times = { created_at: env.now, updated_at: env.now };
  const fields = fieldsOf(kind, body, context);
  switch (kind.family) {
    case 'task':
      return {
        ...{ ...owned, collection: kind.collection, remark: '', ...partsIn(body, kind.collection) },
        ...{ is_active: false, risk_label_id: null, template_id: null, version: 1, ...times, config: {} },
        ...fields,
      };
    case 'template':
      return { ...owned, collection: kind.collection, name: '', version: 1, ...times, config: {}, ...fields };
    case 'label':
      return { ...owned, name: '', sort_order: nextSortOrder(context), ...times, ...fields };
  }
}

function nextSortOrder({ state, account, env }: Context): number {
  if (env.choices.label_default_order === 'zero') return 0;
  const orders = ofAccount(state.labels, account).map((label) => label.sort_order);
  return Math.max(-1, ...orders) + 1;
}

/** Throws `not_found` unless the label belongs to the account. null is always valid. */
function expectLabel({ state, account }: Context, id: string | null): void {
  if (id !== null && state.labels.get(id)?.account !== account.id) throw notFound('The label');
}

/** Throws `template_name_exists` or `label_name_exists` if another one of the account has the name. */
function expectFreeName(
  { state, account, env }: Context,
  { family, collection }: TemplateKind | LabelKind,
  wanted: Pick<StoredLabel, 'id' | 'name'>,
): void {
  const { choices } = env;
  const fold = (name: string) => (choices[`${family}_name_case`] === 'ignored' ? name.toLowerCase() : name);
  const everywhere = family === 'label' || choices.template_names === 'across-kinds';
  const records: ReadonlyMap<string, StoredTemplate | StoredLabel> =
    family === 'label' ? state.labels : state.templates;
  for (const other of ofAccount(records, account)) {
    if (other.id === wanted.id || fold(other.name) !== fold(wanted.name)) continue;
    if (everywhere || ('collection' in other && other.collection === collection)) {
      throw new Refused(`${family}_name_exists`, `Another ${family} has this name.`);
    }
  }
}

function expectFreeTarget({ state, account, env }: Context, task: StoredTask, kind: TaskKind): void {
  const { target_unique, target_taken_by } = env.choices;
  if (target_unique === 'copy-trade' && !kind.uniqueTarget) return;
  const holdings = state.holdings(account.id);
  const sameTarget = [...(holdings.targets.get(task.target_wallet) ?? [])];
  const taken = sameTarget.some(
    (id) => target_unique === 'across-kinds' || state.tasks.get(id)?.collection === kind.collection,
  );
  const linked =
    target_taken_by === 'target-or-linked' &&
    [...(holdings.tasks.get('copy-trade') ?? [])].some((other) =>
      other.linked_wallets?.includes(task.target_wallet),
    );
  if (taken || (linked && kind.uniqueTarget)) {
    throw new Refused('target_already_exists', 'The target wallet is already used by an existing task.');
  }
}

/** The quota of tasks, at most 1,000 templates, at most 20 labels. */
function expectRoom({ state, account, env }: Context, { family }: Kind): void {
  if (family === 'task') {
    if (quotaUsed(state, account) < account.quota_max) return;
    throw new Refused('quota_exceeded', `The quota of ${account.quota_max} tasks is reached.`);
  }
  const most = family === 'label' ? LIMITS.labels : LIMITS.templates;
  const held = family === 'label' ? state.labels : state.templates;
  if (ofAccount<StoredTemplate | StoredLabel>(held, account).length < most) return;
  const code = family === 'label' ? 'quota_exceeded' : env.choices.template_limit_code;
  throw new Refused(code, `The limit of ${most} ${family}s is reached.`);
}
