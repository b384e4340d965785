import type { PlainParts } from '../core/model/generated/parts.ts';
import type { JsonObject } from '../core/model/json.ts';
import type { TaskCollection, TemplateCollection } from '../core/model/kind.ts';

/**
 * The records that the sandbox stores. A record is never changed in place: a change creates a new one. Times are in
 * milliseconds.
 */

export interface StoredAccount {
  readonly id: string;
  readonly login_username: string | null;
  readonly family_role: 'none' | 'primary' | 'member';
  readonly quota_max: number;
  /** Tasks that count against the quota but are not visible to this account (a family account). */
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
  /** Exact addresses or IPv4 networks (`10.0.0.0/8`). null allows every caller. */
  readonly ip_allowlist: readonly string[] | null;
}

export interface StoredTask extends PlainParts {
  readonly id: string;
  readonly account: string;
  readonly collection: TaskCollection;
  readonly remark: string;
  readonly is_active: boolean;
  readonly risk_label_id: string | null;
  /** Set only in the web application, and never shown. */
  readonly template_id: string | null;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** As stored. May contain legacy fields. */
  readonly config: JsonObject;
}

export interface StoredTemplate extends Made, Pick<StoredTask, 'version' | 'config'> {
  readonly collection: TemplateCollection;
  readonly name: string;
}

type Made = Pick<StoredTask, 'id' | 'account' | 'created_at' | 'updated_at'>;

export interface StoredLabel extends Made {
  readonly name: string;
  readonly sort_order: number;
}

export type Stored = StoredTask | StoredTemplate | StoredLabel;

/** What is stored about an `Idempotency-Key` for 24 hours. */
export interface StoredReplay {
  /** The key with its scope. */
  readonly key: string;
  /** A hash of path and body. */
  readonly fingerprint: string;
  readonly at: number;
  /** The first answer. null if the key is only bound to its body. */
  readonly answer: { readonly status: number; readonly body: string; readonly etag: string | null } | null;
  readonly resource: string | null;
}

/** One committed fact. The journal is a list of changes. Applying the same list twice gives the same state. */
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
