import type { Seed, SeedAccount, SeedToken } from '../core/model/generated/sandbox.ts';
import { partsIn } from '../core/model/parts.ts';
import type { Change, StoredAccount, StoredTask, StoredTemplate, StoredToken } from './records.ts';

export const ALL_SCOPES = ['sniper', 'copytrade', 'transfersnipe'].flatMap((prefix) => [
  `${prefix}:read`,
  `${prefix}:write`,
  `${prefix}:delete`,
]);

const DEFAULT_QUOTA = 100;
const FIRST_TOKEN = 0x5a4d0b0c;

/** The changes that create a seed's state from nothing. Ids, secrets and times that the seed lacks come from `env`. */
export function seedChanges(seed: Seed, env: { readonly now: number; newId(): string }): readonly Change[] {
  const changes: Change[] = [];
  let tokens = 0;
  for (const [index, account] of seed.accounts.entries()) {
    const record: StoredAccount = {
      id: account.id ?? `account-${index + 1}`,
      login_username: account.login_username ?? null,
      family_role: account.family_role ?? 'none',
      quota_max: account.quota?.max ?? DEFAULT_QUOTA,
      quota_elsewhere: account.quota?.elsewhere ?? 0,
    };
    changes.push({ type: 'account', record });
    for (const token of account.tokens ?? [{}]) {
      changes.push({ type: 'token', record: storedToken(token, record.id, tokens, env) });
      tokens += 1;
    }
    changes.push(...holdings(account, record.id, env));
  }
  return changes;
}

function storedToken(seed: SeedToken, account: string, index: number, env: { newId(): string }): StoredToken {
  const preset = `svc_live_${(FIRST_TOKEN + index).toString(16)}`;
  const [prefix = '', secret] = (seed.token ?? preset).split('.');
  return {
    id: prefix.slice('svc_live_'.length),
    account,
    secret: secret ?? env.newId().replaceAll('-', ''),
    version: seed.token_version ?? 1,
    scopes: seed.scopes ?? ALL_SCOPES,
    expires_at: seed.expires_at == null ? null : Date.parse(seed.expires_at),
    ip_allowlist: seed.ip_allowlist ?? null,
  };
}

function holdings(seed: SeedAccount, account: string, env: { now: number; newId(): string }): Change[] {
  const times = (made: { readonly created_at?: string; readonly updated_at?: string }) => {
    const created_at = made.created_at === undefined ? env.now : Date.parse(made.created_at);
    return {
      created_at,
      updated_at: made.updated_at === undefined ? created_at : Date.parse(made.updated_at),
    };
  };
  const labels = new Map<string, string>();
  const templates = new Map<string, string>();
  const changes: Change[] = [];
  for (const label of seed.labels ?? []) {
    const id = label.id ?? env.newId();
    labels.set(label.name, id);
    const { name, sort_order = 0 } = label;
    changes.push({ type: 'label', record: { id, account, name, sort_order, ...times(label) } });
  }
  for (const template of seed.templates ?? []) {
    const record: StoredTemplate = {
      id: template.id ?? env.newId(),
      account,
      collection: `${template.kind}-template`,
      name: template.name,
      version: template.version ?? 1,
      ...times(template),
      config: template.config,
    };
    templates.set(template.name, record.id);
    changes.push({ type: 'template', record });
  }
  for (const task of seed.tasks ?? []) {
    const record: StoredTask = {
      id: task.id ?? env.newId(),
      account,
      collection: task.kind,
      remark: task.remark ?? '',
      ...partsIn(task, task.kind),
      is_active: task.is_active ?? false,
      risk_label_id: labels.get(task.label ?? '') ?? null,
      template_id: templates.get(task.template ?? '') ?? null,
      version: task.version ?? (task.is_active === true ? 2 : 1),
      ...times(task),
      config: task.config,
    };
    changes.push({ type: 'task', record });
  }
  return changes;
}
