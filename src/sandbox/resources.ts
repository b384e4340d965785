import type { JsonObject } from '../model/json.ts';
import type { TaskCollection } from '../model/kind.ts';
import type { Choices } from './choices.ts';
import type { Context } from './context.ts';
import type { Stored, StoredLabel, StoredTask, StoredTemplate } from './records.ts';
import { quotaUsed } from './state.ts';

/** ISO 8601 with UTC offset. */
function timestamp(milliseconds: number, choices: Choices): string {
  const text = new Date(milliseconds).toISOString();
  switch (choices.timestamp_form) {
    case 'milliseconds':
      return text;
    case 'seconds':
      return `${text.slice(0, 19)}Z`;
    case 'microseconds-offset':
      return `${text.slice(0, 23)}000+00:00`;
  }
}

export function showResource(record: Stored, context: Context): JsonObject {
  const { choices } = context.env;
  if ('sort_order' in record) return showLabel(record, context);
  return 'is_active' in record ? showTask(record, choices) : showTemplate(record, choices);
}

/** Interface, "Task resources (common fields)". */
export function showTask(task: StoredTask, choices: Choices): JsonObject {
  const unlabeled = task.risk_label_id === null && choices.unlabeled_shown === 'absent';
  return {
    id: task.id,
    remark: task.remark,
    target_wallet: task.target_wallet,
    ...(task.linked_wallets === undefined ? {} : { linked_wallets: [...task.linked_wallets] }),
    is_active: task.is_active,
    ...(unlabeled ? {} : { risk_label_id: task.risk_label_id }),
    version: task.version,
    created_at: timestamp(task.created_at, choices),
    updated_at: timestamp(task.updated_at, choices),
    config: task.config,
    ...extra(choices),
  };
}

/** Interface, "Template resources". */
export function showTemplate(template: StoredTemplate, choices: Choices): JsonObject {
  return {
    id: template.id,
    name: template.name,
    config: template.config,
    version: template.version,
    created_at: timestamp(template.created_at, choices),
    updated_at: timestamp(template.updated_at, choices),
    ...extra(choices),
  };
}

/** Interface, "Label resource". */
export function showLabel(label: StoredLabel, { state, account, env }: Context): JsonObject {
  const { choices } = env;
  const { tasks } = state.holdings(account.id);
  const count = (kind: TaskCollection) =>
    [...(tasks.get(kind) ?? [])].filter(({ risk_label_id }) => risk_label_id === label.id).length;
  const full = () => ({
    sniper_count: count('sniper'),
    copy_trade_count: count('copy-trade'),
    color: null,
    created_at: timestamp(label.created_at, choices),
    updated_at: timestamp(label.updated_at, choices),
  });
  return {
    id: label.id,
    name: label.name,
    sort_order: label.sort_order,
    transfer_snipe_count: count('transfer-snipe'),
    ...(choices.label_fields === 'full' ? full() : {}),
    ...extra(choices),
  };
}

/** Interface, "Credential metadata". */
export function showCredential({ state, account, token, env }: Context): JsonObject {
  const { choices } = env;
  const used = quotaUsed(state, account);
  const sent = choices.me_defaults === 'sent';
  return {
    token_prefix: `svc_live_${token.id}`,
    token_version: token.version,
    scopes: [...token.scopes],
    expires_at: token.expires_at === null ? null : timestamp(token.expires_at, choices),
    quota: { max: account.quota_max, used, remaining: Math.max(0, account.quota_max - used) },
    ...(sent || account.login_username !== null ? { login_username: account.login_username } : {}),
    ...(sent || account.family_role !== 'none' ? { family_role: account.family_role } : {}),
    ...extra(choices),
  };
}

function extra(choices: Choices): JsonObject {
  return choices.extra_fields === 'some' ? { x_future: { note: 'not in version 1.0.0', items: [1] } } : {};
}
