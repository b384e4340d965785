import type { PlainParts } from './generated/parts.ts';
import type { JsonObject } from './json.ts';
import type { Collection, TaskCollection, TemplateCollection } from './kind.ts';

/** A task as the service stores it (interface, "Task resources"); unknown fields are dropped on reading. */
export interface LiveTask extends PlainParts {
  readonly collection: TaskCollection;
  readonly id: string;
  readonly remark: string;
  readonly is_active: boolean;
  readonly risk_label_id: string | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly config: JsonObject;
}

export interface LiveTemplate
  extends Pick<LiveTask, 'id' | 'version' | 'created_at' | 'updated_at' | 'config'> {
  readonly collection: TemplateCollection;
  readonly name: string;
}

export interface LiveLabel {
  readonly collection: 'label';
  readonly id: string;
  readonly name: string;
  /** null if the service returned none. */
  readonly sort_order: number | null;
}

/** A resource that is identified by its name on the service. */
export type LiveNamed = LiveTemplate | LiveLabel;

export type LiveResource = LiveTask | LiveNamed;

/** Whether a config, live or wanted, is of a task that stops itself after one trade (interface, "Resources and their fields"). */
export function isBuyOnce(config: JsonObject | undefined): boolean {
  return config?.buy_once === true;
}

export function isTask(resource: LiveResource): resource is LiveTask {
  return 'target_wallet' in resource;
}

export function isLabel(resource: LiveResource): resource is LiveLabel {
  return resource.collection === 'label';
}

/** The version of a task or template; labels have none. */
export function versionOf(resource: LiveResource): number | undefined {
  return isLabel(resource) ? undefined : resource.version;
}

/** `GET /me` (interface, "Credential metadata"). */
export interface Account {
  readonly token_prefix: string;
  readonly login_username: string | null;
  readonly family_role: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
  readonly quota: { readonly max: number; readonly used: number; readonly remaining: number };
}

/** Everything one reading of the service showed (DESIGN 4). */
export interface LiveState {
  readonly account: Account;
  readonly tasks: readonly LiveTask[];
  readonly templates: readonly LiveTemplate[];
  readonly labels: readonly LiveLabel[];
  /** Collections that the token can read; a collection outside is unknown, not empty. */
  readonly visible: ReadonlySet<Collection>;
  /** False if the view could not be proven complete: then creates and deletes are refused. */
  readonly complete: boolean;
  /** False if only the clocks of the service prove the view: then creates and deletes need a second reading. */
  readonly confirmed: boolean;
  /** Why the view is not complete, or how it was proven, in one sentence for people. */
  readonly proof: string;
  /** When the reading began, in milliseconds since the epoch by the clock of this machine. */
  readonly readAt: number;
}

/** Every other account's credential is refused. At least one of the two fields is present. */
export interface AccountPin {
  readonly login_username?: string;
  readonly token_prefix?: string;
}
