import type { JsonObject } from '../model/json.ts';
import type { TaskCollection, TemplateCollection } from '../model/kind.ts';

/** What the sandbox stores. Records are never changed in place: a change brings a new one. Times are milliseconds. */

export interface StoredAccount {
  readonly id: string;
  readonly login_username: string | null;
  readonly family_role: 'none' | 'primary' | 'member';
  readonly quota_max: number;
  /** Tasks that count against the quota but are not visible here (a family account). */
  readonly quota_elsewhere: number;
}

export interface StoredToken {
  /** The eight hex digits of `svc_live_<public_id>`. */
  readonly id: string;
  readonly account: string;
  readonly secret: string;
  /** `token_version`. */
  readonly version: number;
  readonly scopes: readonly string[];
  readonly expires_at: number | null;
  /** Exact addresses or IPv4 networks (`10.0.0.0/8`); null lets every caller in. */
  readonly ip_allowlist: readonly string[] | null;
}

export interface StoredTask {
  readonly id: string;
  readonly account: string;
  readonly collection: TaskCollection;
  readonly remark: string;
  readonly target_wallet: string;
  /** Copy-trade only. */
  readonly linked_wallets?: readonly string[];
  readonly is_active: boolean;
  readonly risk_label_id: string | null;
  /** Set in the web application only; never shown. */
  readonly template_id: string | null;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** As stored: may hold legacy fields. */
  readonly config: JsonObject;
}

export interface StoredTemplate {
  readonly id: string;
  readonly account: string;
  readonly collection: TemplateCollection;
  readonly name: string;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly config: JsonObject;
}

export interface StoredLabel {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly sort_order: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What an `Idempotency-Key` is remembered by for 24 hours. */
export interface StoredReplay {
  /** Key with its scope. */
  readonly key: string;
  /** Hash of path and body. */
  readonly fingerprint: string;
  readonly at: number;
  /** The answer as it was given; null where the key is only bound to its body. */
  readonly answer: { readonly status: number; readonly body: string; readonly etag: string | null } | null;
  /** The created resource. */
  readonly resource: string | null;
}

/** One committed fact; the journal is a list of them. Applying the same list twice gives the same state. */
export type Change =
  | { readonly type: 'account'; readonly record: StoredAccount }
  | { readonly type: 'token'; readonly record: StoredToken }
  | { readonly type: 'task'; readonly record: StoredTask }
  | { readonly type: 'task-fields'; readonly id: string; readonly fields: Partial<StoredTask> }
  | { readonly type: 'task-removed'; readonly id: string }
  | { readonly type: 'template'; readonly record: StoredTemplate }
  | { readonly type: 'template-removed'; readonly id: string }
  | { readonly type: 'label'; readonly record: StoredLabel }
  | { readonly type: 'label-removed'; readonly id: string }
  | { readonly type: 'replay'; readonly record: StoredReplay };
