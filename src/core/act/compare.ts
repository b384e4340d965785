import { type JsonObject, jsonEqual } from '../model/json.ts';
import { type Collection, type ConfigDefinition, kindOf } from '../model/kind.ts';
import { sameMarker } from '../model/marker.ts';
import type { LiveLabel, LiveTask, LiveTemplate } from '../model/resource.ts';
import { canonicalText, canonicalWallets, configDifferences } from '../model/shape.ts';

/** The task that was read carries the marker that this body should write. */
export function tookMarker(read: LiveTask, body: JsonObject | null): boolean {
  return typeof body?.remark === 'string' && sameMarker({ remark: body.remark }, read);
}

/** Name of the config's definition in schemas/service.schema.json. */
export function definitionOf(collection: Exclude<Collection, 'label'>): ConfigDefinition {
  const kind = kindOf(collection as Collection);
  if (kind.family === 'label') throw new Error('a label has no config');
  return kind.config;
}

export function sameConfig(a: LiveTask | LiveTemplate, b: { readonly config: JsonObject }): boolean {
  // The usual case: the service returns exactly what was sent or read before.
  if (jsonEqual(a.config, b.config)) return true;
  const definition = definitionOf(a.collection);
  return canonicalText(definition, a.config) === canonicalText(definition, b.config);
}

export function sameWallets(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return jsonEqual([...canonicalWallets(a ?? [])], [...canonicalWallets(b ?? [])]);
}

/** Compares what the task trades with: config, linked wallets and target. */
export function sameSubstance(a: LiveTask, b: LiveTask): boolean {
  return (
    a.target_wallet === b.target_wallet && sameWallets(a.linked_wallets, b.linked_wallets) && sameConfig(a, b)
  );
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
  const { remark, risk_label_id, linked_wallets, config } = body;
  return {
    ...task,
    ...(typeof remark === 'string' ? { remark } : {}),
    ...(risk_label_id === null || typeof risk_label_id === 'string' ? { risk_label_id } : {}),
    ...(Array.isArray(linked_wallets) ? { linked_wallets: linked_wallets as string[] } : {}),
    ...(config === undefined ? {} : { config: config as JsonObject }),
  };
}

/** Equal in every field that a patch can change (the remark by its bytes), and in `is_active`. */
export function sameTask(a: LiveTask, b: LiveTask): boolean {
  return (
    a.is_active === b.is_active &&
    a.remark === b.remark &&
    a.risk_label_id === b.risk_label_id &&
    sameSubstance(a, b)
  );
}

/** Compares name and sort_order; a sort_order that the service does not return counts as the wanted one. */
export function sameLabel(read: LiveLabel, wanted: LiveLabel): boolean {
  const orders = [read.sort_order, wanted.sort_order];
  return read.name === wanted.name && (orders.includes(null) || read.sort_order === wanted.sort_order);
}

/** Names of the fields in which a reading differs from the expected state, for people; without values, which may be secret. */
export function movedFields(expected: LiveTask, read: LiveTask): readonly string[] {
  const moved: string[] = [];
  if (expected.is_active !== read.is_active) moved.push(read.is_active ? 'it was started' : 'it was stopped');
  if (expected.remark !== read.remark) moved.push('remark');
  if (expected.risk_label_id !== read.risk_label_id) moved.push('label');
  if (!sameWallets(expected.linked_wallets, read.linked_wallets)) moved.push('linked_wallets');
  if (expected.target_wallet !== read.target_wallet) moved.push('target_wallet');
  moved.push(...movedConfig(expected, read));
  return moved;
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
