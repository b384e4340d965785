import type { Location } from '../diagnostics/diagnostic.ts';
import type { Address } from '../model/address.ts';
import type { PlainParts } from '../model/generated/parts.ts';
import type { JsonObject } from '../model/json.ts';
import type { Collection, TaskCollection, TemplateCollection } from '../model/kind.ts';

interface DesiredBase {
  readonly address: Address;
  /** `metadata.name`. */
  readonly name: string;
  /** `metadata.id`: the id of the resource to adopt. */
  readonly id?: string;
  /** `metadata.previous_name`: of a task without the collection, else the name on the service before a rename. */
  readonly previousName?: string;
  /** The place of `path` (`config.buy_amount`, `remark`, …). For an absent field, the nearest enclosing place. */
  readonly origin: (path: string) => Location | undefined;
  /** The row of a task set that gives this task. No export changes it. */
  readonly row?: () => Location;
  /**
   * Fields with values from the environment, which are never shown: `config.…` and the paths of `SECRETABLE`.
   */
  readonly secrets?: readonly string[];
  /** The text of the manifest at a path of `secrets`: the reference, `${env.NAME}`, and not the value. */
  readonly written?: (path: string) => string;
}

/** A task as the manifests want it, in the service's own form. */
export interface DesiredTask extends DesiredBase, PlainParts {
  readonly collection: TaskCollection;
  readonly state: 'active' | 'paused' | 'manual';
  readonly rearm?: string;
  /** The note of the remark, trimmed. */
  readonly note: string;
  /** `metadata.name` of a Label manifest. null without a label. */
  readonly label: string | null;
  /** Complete, valid for the write schema, decimals as written. */
  readonly config: JsonObject;
  /** `lifecycle.ignore_changes`: `config.…`, or what `IGNORABLE` names. */
  readonly ignoreChanges: readonly string[];
  readonly adopt: 'auto' | 'never';
  /** The task as git describes it, if this one has live values that `--only` keeps. */
  readonly described?: DesiredTask;
  /** True if `--only` cannot decide a field that git changed: the version in the marker stays, so that the change stays pending. */
  readonly undecided?: boolean;
}

export interface DesiredTemplate extends DesiredBase {
  readonly collection: TemplateCollection;
  /** `spec.name`: the name on the service. */
  readonly shownName: string;
  readonly config: JsonObject;
}

export interface DesiredLabel extends DesiredBase {
  readonly collection: 'label';
  readonly shownName: string;
  readonly sort_order: number;
}

/** What a `Removal` names: a template or label that must not exist, or a task that loses its marker. */
export interface DesiredRemoval {
  readonly address: Address;
  readonly collection: Collection;
  /** For a template or label its name on the service, for a task `metadata.name`. */
  readonly name: string;
  /** `metadata.name` of its Removal. */
  readonly manifest: string;
  /** Undefined if the file has changed since. */
  readonly origin: () => Location | undefined;
}

export type DesiredResource = DesiredTask | DesiredTemplate | DesiredLabel;

/** The compiled manifests of one environment. The planner compares them with the live state. */
export interface DesiredState {
  readonly project: string;
  /** `Project.metadata.previous_name`: tasks with the marker of that project belong to this project if a manifest names them. */
  readonly previousProject?: string;
  /** null if the project file names no environments. */
  readonly environment: string | null;
  /** Sorted by address. Addresses are unique. */
  readonly tasks: readonly DesiredTask[];
  readonly templates: readonly DesiredTemplate[];
  readonly labels: readonly DesiredLabel[];
  /** Sorted by address. No removal has the address or name of a manifest. */
  readonly removals: readonly DesiredRemoval[];
  readonly pruneTasks: 'delete' | 'pause' | 'never';
  readonly stoppedTasks: 'hold' | 'resume';
  readonly settle: { readonly update: number; readonly replace: number };
  readonly wallets: ReadonlyMap<string, string>;
}
