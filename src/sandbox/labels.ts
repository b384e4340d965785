import { compareTexts } from '../model/compare-texts.ts';
import { bodyOf, checkBody, textOf } from './body.ts';
import { type Context, NO_CHANGES, type OperationOutcome } from './context.ts';
import { checkQuery } from './lists.ts';
import type { Change, StoredLabel } from './records.ts';
import { notFound, Refused } from './refusal.ts';
import { expectNoBody, isUuid, parseBody } from './request.ts';
import { countLabels, showLabel } from './resources.ts';
import { malformedId } from './tasks.ts';

/** The operations on labels (interface, "Labels"): no `ETag`, no `If-Match`. */

/** All labels of the account in one answer without `next_cursor`, by `sort_order` and then `created_at`. */
export function listLabels(context: Context): OperationOutcome {
  const { state, account, env, request } = context;
  checkQuery(request, [], env.choices);
  const counts = countLabels(context);
  const labels = [...state.holdings(account.id).labels.values()].sort(
    (a, b) => a.sort_order - b.sort_order || a.created_at - b.created_at || compareTexts(a.id, b.id),
  );
  const items = labels.map((label) => showLabel(label, counts, env.choices));
  return { status: 200, data: { items }, single: false, written: false, changes: NO_CHANGES };
}

export function getLabel(context: Context, id: string): OperationOutcome {
  return shown(context, findLabel(context, id), 200, false);
}

function findLabel({ state, account, env }: Context, id: string): StoredLabel {
  if (!isUuid(id)) throw malformedId(env.choices.malformed_id);
  const label = state.holdings(account.id).labels.get(id);
  if (label === undefined) throw notFound('The label');
  return label;
}

/** Throws `label_name_exists` when another label of the account has the name. */
export function expectFreeLabelName({ state, account, env }: Context, wanted: StoredLabel): void {
  const fold = (name: string) => (env.choices.label_name_case === 'ignored' ? name.toLowerCase() : name);
  for (const other of state.holdings(account.id).labels.values()) {
    if (other.id !== wanted.id && fold(other.name) === fold(wanted.name)) {
      throw new Refused('label_name_exists', 'Another label has this name.');
    }
  }
}

/** The default `sort_order` of a new label. */
export function nextSortOrder({ state, account, env }: Context): number {
  if (env.choices.label_default_order === 'zero') return 0;
  const orders = [...state.holdings(account.id).labels.values()].map((label) => label.sort_order);
  return Math.max(-1, ...orders) + 1;
}

export function patchLabel(context: Context, id: string): OperationOutcome {
  const { request, env } = context;
  const { choices } = env;
  const raw = parseBody(request, choices);
  const required = choices.label_patch_fields === 'both' ? ['name', 'sort_order'] : [];
  const check = () => checkBody(raw, { name: bodyOf('label', 'Patch'), nameLimit: 32, required }, choices);
  if (choices.check_order === 'body-first') check();
  const label = findLabel(context, id);
  const body = check();
  const record: StoredLabel = {
    ...label,
    ...(body.name === undefined ? {} : { name: textOf(body.name) }),
    ...(typeof body.sort_order === 'number' ? { sort_order: body.sort_order } : {}),
    updated_at: env.now,
  };
  expectFreeLabelName(context, record);
  return { ...shown(context, record, 200, true), changes: [{ type: 'label', record }] };
}

/** Deletes the label. Its tasks become unlabeled. */
export function deleteLabel(context: Context, id: string): OperationOutcome {
  const { state, account, env } = context;
  const { choices } = env;
  expectNoBody(context.request, choices);
  const label = findLabel(context, id);
  const changes: Change[] = [];
  for (const tasks of state.holdings(account.id).tasks.values()) {
    for (const task of tasks) {
      if (task.risk_label_id !== label.id) continue;
      const fields = {
        risk_label_id: null,
        ...(choices.label_delete_tasks === 'bumped' ? { version: task.version + choices.version_step } : {}),
        ...(choices.label_delete_updated_at === 'touched' ? { updated_at: env.now } : {}),
      };
      changes.push({ type: 'task-fields', id: task.id, fields });
    }
  }
  changes.push({ type: 'label-removed', id });
  const answer = choices.label_delete_answer;
  if (answer === '204') return { status: 204, single: true, written: true, changes };
  const data = answer === '200-null' ? null : { id, deleted: true };
  return { status: 200, data, single: true, written: true, changes };
}

function shown(context: Context, label: StoredLabel, status: number, written: boolean): OperationOutcome {
  const data = showLabel(label, countLabels(context), context.env.choices);
  return { status, data, single: true, written, changes: NO_CHANGES };
}
