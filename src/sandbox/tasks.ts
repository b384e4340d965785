import { isObject, type JsonObject, jsonEqual, objectIn } from '../model/json.ts';
import type { TaskKind } from '../model/kind.ts';
import { bodyOf, checkBody, checkStoredConfig, invalid, textOf, textsOf } from './body.ts';
import { type Context, NO_CHANGES, type OperationOutcome } from './context.ts';
import type { StoredTask } from './records.ts';
import { notFound, Refused } from './refusal.ts';
import { expectNoBody, isUuid, parseBody, parseIfMatch } from './request.ts';
import { showTask } from './resources.ts';
import { storedConfig, storedSet } from './storing.ts';

/** The operations on one existing task (interface, "States and transitions", "Tasks"). */

export function getTask(context: Context, kind: TaskKind, id: string): OperationOutcome {
  return shown(context, findTask(context, kind, id), false);
}

function findTask({ state, account, env }: Context, kind: TaskKind, id: string): StoredTask {
  if (!isUuid(id)) throw malformedId(env.choices.malformed_id);
  const task = state.tasks.get(id);
  if (task === undefined || task.account !== account.id || task.collection !== kind.collection) {
    throw notFound('The task');
  }
  return task;
}

export function malformedId(code: 'not_found' | 'invalid_request' | 'validation_error'): Refused {
  return new Refused(
    code,
    'The id is not a UUID.',
    code === 'validation_error' ? [{ path: 'id', reason: 'invalid_uuid' }] : [],
  );
}

export function expectVersion(resource: { readonly version: number }, version: number): void {
  if (resource.version !== version) {
    throw new Refused('version_conflict', `The latest version is v${resource.version}.`);
  }
}

/** Throws `not_found` unless the label belongs to the account. null is always valid. */
export function expectLabel({ state, account }: Context, id: string | null): void {
  if (id !== null && !state.holdings(account.id).labels.has(id)) throw notFound('The label');
}

export function patchTask(context: Context, kind: TaskKind, id: string): OperationOutcome {
  const { request, env } = context;
  const { choices } = env;
  const raw = parseBody(request, choices);
  const known = context.state.tasks.get(id);
  const target = known === undefined ? {} : { target: known.target_wallet };
  const rules = { name: bodyOf(kind.collection, 'Patch'), config: kind.config, ...target };
  const check = () => checkBody(raw, rules, choices);
  if (choices.check_order === 'body-first') check();
  const version = parseIfMatch(request, choices);
  const task = findTask(context, kind, id);
  expectVersion(task, version);
  if (choices.paused_order === 'before-body') expectPausedFor(raw, task);
  const body = check();
  expectPausedFor(body, task);
  if (!Object.hasOwn(body, 'config') && revalidates(task, context)) expectStartable(task, kind, context);
  const fields = patchedFields(kind, body, context);
  if (fields.risk_label_id !== undefined) expectLabel(context, fields.risk_label_id);
  return write(context, task, fields, choices.noop_patch === 'same-version');
}

/** Only `remark` and `risk_label_id` may change while a task is active. */
function expectPausedFor(body: unknown, task: StoredTask): void {
  if (!task.is_active || !isObject(body)) return;
  if (Object.hasOwn(body, 'config') || Object.hasOwn(body, 'linked_wallets')) {
    throw new Refused('config_must_be_paused', 'Pause the task before its config is changed.');
  }
}

function revalidates(task: StoredTask, { env }: Context): boolean {
  const answer = env.choices.remark_patch_revalidates;
  return answer === 'always' || (answer === 'when-paused' && !task.is_active);
}

function patchedFields(kind: TaskKind, body: JsonObject, { env }: Context): Partial<StoredTask> {
  const { choices } = env;
  const config = body.config;
  const linked = body.linked_wallets;
  const label = body.risk_label_id;
  return {
    ...(body.remark === undefined ? {} : { remark: textOf(body.remark) }),
    ...(label === undefined ? {} : { risk_label_id: label === null ? null : textOf(label) }),
    ...(linked === undefined ? {} : { linked_wallets: storedSet(textsOf(linked), choices) }),
    ...(config === undefined ? {} : { config: storedConfig(kind.config, objectIn(config), choices) }),
  };
}

function expectStartable(task: StoredTask, kind: TaskKind, { env }: Context): void {
  const fields = checkStoredConfig(kind.config, task.config, env.choices);
  if (fields.length > 0) throw invalid(fields);
}

export function switchTask(context: Context, kind: TaskKind, id: string, active: boolean): OperationOutcome {
  const { request, env } = context;
  const { choices } = env;
  expectNoBody(request, choices);
  const version = parseIfMatch(request, choices);
  const task = findTask(context, kind, id);
  expectVersion(task, version);
  if (task.is_active === active) {
    const answer = active ? choices.resume_active : choices.pause_paused;
    if (answer === 'same-version') return shown(context, task, true);
    if (answer !== 'new-version') {
      throw new Refused(answer, active ? 'The task is already active.' : 'The task is already paused.');
    }
  }
  if (active) expectStartable(task, kind, context);
  const fields = { is_active: active };
  return write(context, task, fields, false, {
    step: active ? 1 : choices.version_step,
    touch: choices.switch_updated_at === 'touched',
  });
}

export function deleteTask(context: Context, kind: TaskKind, id: string): OperationOutcome {
  expectNoBody(context.request, context.env.choices);
  const version = parseIfMatch(context.request, context.env.choices);
  const task = findTask(context, kind, id);
  expectVersion(task, version);
  if (task.is_active) throw new Refused('config_must_be_paused', 'Pause the task before it is deleted.');
  return { status: 204, single: true, written: true, changes: [{ type: 'task-removed', id }] };
}

function write(
  context: Context,
  task: StoredTask,
  fields: Partial<StoredTask>,
  quiet: boolean,
  how = { step: context.env.choices.version_step, touch: true },
): OperationOutcome {
  const unchanged = Object.entries(fields).every(([key, value]) =>
    jsonEqual(task[key as keyof StoredTask] as never, value as never),
  );
  if (quiet && unchanged) return shown(context, task, true);
  const all: Partial<StoredTask> = {
    ...fields,
    version: task.version + how.step,
    ...(how.touch ? { updated_at: context.env.now } : {}),
  };
  return {
    ...shown(context, { ...task, ...all }, true),
    changes: [{ type: 'task-fields', id: task.id, fields: all }],
  };
}

function shown({ env }: Context, task: StoredTask, written: boolean): OperationOutcome {
  const data = showTask(task, env.choices);
  return { status: 200, data, etag: task.version, single: true, written, changes: NO_CHANGES };
}
