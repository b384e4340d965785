import { PLAIN_PARTS, TASK_PARTS } from '../model/generated/parts.ts';
import { type JsonObject, jsonEqual } from '../model/json.ts';
import {
  type ConfigDefinition,
  kindOf,
  type TaskCollection,
  type TemplateCollection,
} from '../model/kind.ts';
import { sameMarker } from '../model/marker.ts';
import { differingParts, PATCHED_PARTS, pick } from '../model/parts.ts';
import type { LiveLabel, LiveTask, LiveTemplate } from '../model/resource.ts';
import { canonicalText, configDifferences } from '../model/shape.ts';

/** The task that was read carries the marker that this body should write. */
export function tookMarker(read: LiveTask, body: JsonObject | null): boolean {
  return typeof body?.remark === 'string' && sameMarker({ remark: body.remark }, read);
}

/** Name of the config's definition in schemas/service.schema.json. */
export function definitionOf(collection: TaskCollection | TemplateCollection): ConfigDefinition {
  return kindOf(collection as TaskCollection).config;
}

export function sameConfig(a: LiveTask | LiveTemplate, b: { readonly config: JsonObject }): boolean {
  // The usual case: the service returns exactly what was sent or read before.
  if (jsonEqual(a.config, b.config)) return true;
  const definition = definitionOf(a.collection);
  return canonicalText(definition, a.config) === canonicalText(definition, b.config);
}

/** Compares what the task trades with: its config and its plain parts. */
export function sameSubstance(a: LiveTask, b: LiveTask): boolean {
  return differingParts(a, b, PLAIN_PARTS).length === 0 && sameConfig(a, b);
}

/** Exactly one write since, and it changed only note or label: the switch, the marker and the config are unchanged. */
export function lightlyEdited(expected: LiveTask, read: LiveTask): boolean {
  return (
    expected.is_active === read.is_active &&
    sameMarker(expected, read) &&
    sameSubstance(expected, read) &&
    (expected.remark !== read.remark || expected.risk_label_id !== read.risk_label_id)
  );
}

/** The task after a rendered patch; the version does not change. */
export function patched(task: LiveTask, body: JsonObject): LiveTask {
  const { remark, risk_label_id, config } = body;
  return {
    ...task,
    ...(typeof remark === 'string' ? { remark } : {}),
    ...(risk_label_id === null || typeof risk_label_id === 'string' ? { risk_label_id } : {}),
    ...pick(body, PATCHED_PARTS),
    ...(config === undefined ? {} : { config: config as JsonObject }),
  };
}

/** Equal in every part, the remark by its bytes, and in the config. */
export function sameTask(a: LiveTask, b: LiveTask): boolean {
  return differingParts(a, b, TASK_PARTS).length === 0 && sameConfig(a, b);
}

/** Compares name and sort_order; a sort_order that the service does not return counts as the wanted one. */
export function sameLabel(read: LiveLabel, wanted: LiveLabel): boolean {
  const orders = [read.sort_order, wanted.sort_order];
  return read.name === wanted.name && (orders.includes(null) || read.sort_order === wanted.sort_order);
}

/**
 * Names of the fields in which a reading differs from the expected state, for people; without values, which may be secret. `body`:
 * only what it sends.
 */
export function movedFields(expected: LiveTask, read: LiveTask, body?: JsonObject): readonly string[] {
  const asked = TASK_PARTS.filter(
    ({ sent, stored }) => body === undefined || (sent !== 'switch' && body[stored] !== undefined),
  );
  const switched = read.is_active ? 'it was started' : 'it was stopped';
  return [
    ...differingParts(expected, read, asked).map(({ name, sent }) => (sent === 'switch' ? switched : name)),
    ...(body === undefined || body.config !== undefined ? movedConfig(expected, read) : []),
  ];
}

/** `config.<path>` of every differing field. */
export function movedConfig(
  expected: LiveTask | LiveTemplate,
  read: { readonly config: JsonObject },
): readonly string[] {
  if (sameConfig(expected, read)) return [];
  const differences = configDifferences(definitionOf(expected.collection), expected.config, read.config);
  return differences.map(({ path }) => `config.${path}`);
}
