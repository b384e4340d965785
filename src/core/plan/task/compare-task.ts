import type { DesiredTask } from '../../desired/state.ts';
import type { PlainParts, TaskPart } from '../../model/generated/parts.ts';
import type { Field } from '../../model/generated/plan.ts';
import { given } from '../../model/given.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ConfigDefinition, TaskKind } from '../../model/kind.ts';
import { type Marker, remarkOf } from '../../model/marker.ts';
import {
  canonicalPart,
  differingParts,
  PATCHED_PARTS,
  partsIn,
  partsOfKind,
  pick,
  writtenParts,
} from '../../model/parts.ts';
import type { LiveTask } from '../../model/resource.ts';
import { configDifferences, configLeaves, type FieldDifference } from '../../model/shape.ts';
import { passesWriteSchema } from '../../model/write-schema.ts';

/** The label for a name: a live label, or one that this plan creates. */
export type LabelRef = { readonly id: string } | { readonly ref: string };

export interface LabelBook {
  /** The label by `metadata.name`; undefined if it is not available. */
  ref(name: string): LabelRef | undefined;
  shownName(name: string): string;
  /** Shown name of a live label; its id if unknown. */
  liveName(id: string): string;
}

/** The desired task as it should be on the service, with the live values of `lifecycle.ignore_changes`. */
export interface Wanted {
  readonly note: string;
  readonly label: LabelRef | null;
  readonly parts: PlainParts;
  readonly config: JsonObject;
}

export interface TaskDifference {
  readonly label: boolean;
  /** Those that differ. */
  readonly parts: readonly TaskPart[];
  readonly config: boolean;
  /** It cannot be written while the task runs. */
  readonly trades: boolean;
  /** The stored config is one that the service would refuse today. */
  readonly legacy: boolean;
  readonly fields: readonly Field[];
  /** Shown only if a config patch is sent anyway. */
  readonly legacyFields: readonly Field[];
}

/** Applies `ignore_changes`: the live value is kept, an absent one stays absent. */
export function wantedOf(desired: DesiredTask, task: LiveTask | undefined, labels: LabelBook): Wanted {
  const label = desired.label === null ? null : (labels.ref(desired.label) ?? null);
  const { collection, note: wanted, config } = desired;
  const plain = { note: wanted, label, parts: partsIn(desired, collection), config };
  if (task === undefined || desired.ignoreChanges.length === 0) return plain;
  const ignored = new Set(desired.ignoreChanges);
  return {
    note: ignored.has('remark') ? remarkOf(task).note.trim() : plain.note,
    label: ignored.has('label')
      ? task.risk_label_id === null
        ? null
        : { id: task.risk_label_id }
      : plain.label,
    parts: keptParts(desired, task),
    config: keptConfig(desired, task.config),
  };
}

export function keptParts(desired: DesiredTask, live: LiveTask): PlainParts {
  const { collection, ignoreChanges } = desired;
  const ignored = partsOfKind(collection).filter(({ name }) => ignoreChanges.includes(name));
  return { ...partsIn(desired, collection), ...pick(live, ignored) };
}

export function keptConfig(
  { config, ignoreChanges }: Pick<DesiredTask, 'config' | 'ignoreChanges'>,
  live: JsonObject,
): JsonObject {
  return ignoreChanges
    .filter((path) => path === 'config' || path.startsWith('config.'))
    .reduce((kept, path) => keepLive(kept, live, path.split('.').slice(1)), config);
}

function keepLive(desired: JsonObject, live: JsonObject, path: readonly string[]): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return live;
  const before = Object.hasOwn(live, key) ? live[key] : undefined;
  const { [key]: after, ...others } = desired;
  if (rest.length > 0 && (isObject(after) || isObject(before))) {
    // Only the named field is ignored. If one side lacks the object, the rest of it comes from the manifest.
    const kept = keepLive(isObject(after) ? after : {}, isObject(before) ? before : {}, rest);
    return after === undefined && Object.keys(kept).length === 0 ? others : { ...desired, [key]: kept };
  }
  return before === undefined ? others : { ...desired, [key]: before };
}

/** Compares field by field (DESIGN 5). */
export function compareTask(
  kind: TaskKind,
  desired: DesiredTask,
  wanted: Wanted,
  task: LiveTask,
  labels: LabelBook,
): TaskDifference {
  const differences = configDifferences(kind.config, task.config, wanted.config);
  const plain = differences.filter(({ legacy }) => legacy !== true);
  const { note } = remarkOf(task);
  const label = labelValue(wanted.label) !== task.risk_label_id;
  const parts = differingParts(task, wanted.parts, PATCHED_PARTS);
  const fields: Field[] = [];
  if (note.trim() !== wanted.note) fields.push(field(desired, 'remark', note, wanted.note));
  if (label) {
    const was = task.risk_label_id === null ? null : labels.liveName(task.risk_label_id);
    fields.push(field(desired, 'label', was, labelName(desired, wanted, labels)));
  }
  for (const part of parts)
    fields.push(field(desired, part.name, canonicalPart(task, part), canonicalPart(wanted.parts, part)));
  fields.push(...plain.map((difference) => fieldOfConfig(desired, difference)));
  return {
    label,
    parts,
    config: plain.length > 0,
    trades: plain.length > 0 || parts.length > 0,
    // Computed on demand: few plans need it, and it takes as long as all other comparisons together.
    get legacy() {
      return !passesWriteSchema(kind.config, task.config);
    },
    fields,
    legacyFields: differences
      .filter(({ legacy }) => legacy === true)
      .map((item) => fieldOfConfig(desired, item)),
  };
}

function labelName(desired: DesiredTask, wanted: Wanted, labels: LabelBook): string | null {
  if (wanted.label === null) return null;
  if ('id' in wanted.label) return labels.liveName(wanted.label.id);
  return desired.label === null ? null : labels.shownName(desired.label);
}

export function createdFields(kind: TaskKind, desired: DesiredTask, labels: LabelBook): readonly Field[] {
  const label = desired.label === null ? undefined : labels.shownName(desired.label);
  const { target_wallet, ...parts } = writtenParts(desired, kind.collection);
  const values = { target_wallet, remark: desired.note || undefined, label, ...parts };
  const fields = Object.entries(given(values)).map(([path, value]) => field(desired, path, undefined, value));
  return [...fields, ...createdConfig(kind.config, desired)];
}

export function createdConfig(
  definition: ConfigDefinition,
  desired: Pick<DesiredTask, 'origin' | 'config'>,
): readonly Field[] {
  const leaves = configLeaves(definition, desired.config);
  return leaves.map(({ path, value }) => fieldOfConfig(desired, { path, after: value }));
}

export function fieldOfConfig(origins: Pick<DesiredTask, 'origin'>, difference: FieldDifference): Field {
  const { path, before, after, legacy } = difference;
  return { ...field(origins, `config.${path}`, before, after), ...(legacy === true ? { legacy } : {}) };
}

/** A field of the plan; undefined stands for an absent field. */
export function field(
  { origin }: Pick<DesiredTask, 'origin'>,
  path: string,
  before: Json | undefined,
  after: Json | undefined,
): Field {
  const place = origin(path);
  return {
    path,
    ...given({ before, after }),
    sensitive: false,
    ...(place === undefined ? {} : { origin: { file: place.file, line: place.line, column: place.column } }),
  };
}

/** The fields `project` and `name`, if the marker changes them. */
export function identityFields(
  desired: Pick<DesiredTask, 'origin' | 'name'>,
  marker: Marker | undefined,
  project: string,
): readonly Field[] {
  if (marker === undefined) return [];
  return [
    ...(marker.project === project
      ? []
      : [{ path: 'project', before: marker.project, after: project, sensitive: false }]),
    ...(marker.name === desired.name ? [] : [field(desired, 'name', marker.name, desired.name)]),
  ];
}

/** The `risk_label_id` of a body: an id, a reference to a label that the plan creates, or null. */
export function labelValue(label: LabelRef | null): Json {
  if (label === null) return null;
  return 'id' in label ? label.id : { ref: label.ref };
}
