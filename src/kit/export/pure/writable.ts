import { addressProblem } from '../../../core/manifest/addresses.ts';
import { amountProblem } from '../../../core/manifest/amounts.ts';
import { withDefaults } from '../../../core/manifest/defaults.ts';
import { readable } from '../../../core/manifest/invisible.ts';
import { childSchema, kindSchema, OPEN, type SchemaNode, schemaAt } from '../../../core/manifest/schema.ts';
import { canonicalDecimal, compareDecimals, isDecimal } from '../../../core/model/decimal.ts';
import { canonicalJson, isObject, type Json, type JsonObject, jsonEqual } from '../../../core/model/json.ts';
import type { ConfigDefinition, TaskKind, TemplateKind } from '../../../core/model/kind.ts';
import { configDifferences } from '../../../core/model/shape.ts';

/**
 * A config whose fields are each valid, changed where fields contradict each other (src/core/desired/rules): older snapshots may
 * hold what the service refuses today. Without contradictions, the values are unchanged.
 */
function coherent(definition: ConfigDefinition, config: JsonObject): JsonObject {
  if (definition === 'sniperConfig') return openRange(config, 'dev_min_amount', 'dev_max_amount');
  const whole = withBuySets(config);
  const ranged =
    whole.dev_sell_only === true ? whole : openRange(whole, 'min_trade_amount', 'max_trade_amount');
  const dexes = Array.isArray(ranged.selected_dexes) ? ranged.selected_dexes : [];
  return {
    ...ranged,
    ...(ranged.reentry_after_flat === true ? { reentry_after_flat: false } : {}),
    ...(dexes.includes('pump-fun') ? {} : { dev_sell_only: false, dev_sell_all_only: false }),
  };
}

/** Removes an upper bound that is below its lower bound. */
function openRange(config: JsonObject, lower: string, upper: string): JsonObject {
  const [least, most] = [config[lower], config[upper]];
  if (typeof least !== 'string' || typeof most !== 'string') return config;
  if (!isDecimal(least) || !isDecimal(most) || compareDecimals(most, least) >= 0) return config;
  return { ...config, [upper]: '' };
}

/** Greater than 0, but worth nothing. */
const LEAST_AMOUNT = '0.000000000001';

function withBuySets(config: JsonObject): JsonObject {
  const universal = buySet(config.buy_config_universal);
  const tiers = (Array.isArray(config.buy_config_tiers) ? config.buy_config_tiers : []).map(buySet);
  const tiered = config.buy_config_mode === 'tiered';
  return {
    ...config,
    buy_config_universal: tiered ? universal : withAmount(universal),
    buy_config_tiers: tiered ? (tiers.length === 0 ? [withAmount(universal)] : tiers.map(withAmount)) : tiers,
  };
}

function buySet(set: Json | undefined): Json {
  return isObject(set) ? openRange(set, 'market_cap_min', 'market_cap_max') : (set ?? {});
}

function isNothing(amount: Json | undefined): boolean {
  return (
    typeof amount === 'string' && (amount === '' || (isDecimal(amount) && compareDecimals(amount, '0') === 0))
  );
}

function withAmount(set: Json): Json {
  return isObject(set) && isNothing(set.amount_sol) ? { ...set, amount_sol: LEAST_AMOUNT } : set;
}

/** A stored config in a form that a manifest can have. */
interface WritableConfig {
  /** Valid for the present write schema with the defaults filled in. Values equal to a default are left out. */
  readonly config: JsonObject;
  /** Legacy fields that the schema no longer has. Leaving them out plans no change. */
  readonly dropped: readonly { readonly path: string; readonly value: Json }[];
  /** Fields whose stored value no manifest can express: `config.selected_dexes`. `config` holds a stand-in for them. */
  readonly unsayable: readonly string[];
}

/**
 * A stored snapshot, which the present schema may refuse, in a form that a manifest can have. Every value that can be expressed
 * stays unchanged. Except for legacy fields, every difference from the snapshot is named in `unsayable`.
 */
export function writableConfig(kind: TaskKind | TemplateKind, stored: JsonObject): WritableConfig {
  const schema = configSchema(kind);
  const dropped: { path: string; value: Json }[] = [];
  const mended = mendObject(schema, stored, '', dropped);
  const whole = coherent(kind.config, withDefaults(mended, schema));
  const paths = configDifferences(kind.config, stored, whole)
    .filter(({ legacy }) => legacy !== true)
    .map(({ path }) => `config.${namedPart(schema, path)}`);
  const unsayable = [...new Set(paths)].filter(
    (path) => !paths.some((other) => other !== path && path.startsWith(`${other}.`)),
  );
  return { config: withoutDefaults(whole, schema), dropped, unsayable };
}

export function configSchema(kind: TaskKind | TemplateKind): SchemaNode {
  return schemaAt(kindSchema(kind.manifestKind) ?? OPEN, ['spec', 'config']);
}

/** The part of a path that consists of named fields: no list elements, and nothing below a value with undocumented fields. */
function namedPart(schema: SchemaNode, path: string): string {
  const named: string[] = [];
  let node = schema;
  for (const segment of path.split('.')) {
    const [field = ''] = segment.split('[', 1);
    if (!Object.hasOwn(node.properties ?? {}, field)) break;
    named.push(field);
    node = childSchema(node, field);
    if (field !== segment || node === OPEN) break;
  }
  return named.join('.');
}

type Dropped = { path: string; value: Json }[];

function mendObject(schema: SchemaNode, value: JsonObject, path: string, dropped: Dropped): JsonObject {
  const properties = schema.properties ?? {};
  const result: JsonObject = {};
  for (const key of Object.keys(properties)) {
    const child = childSchema(schema, key);
    const at = path === '' ? key : `${path}.${key}`;
    const stored = Object.hasOwn(value, key) ? value[key] : undefined;
    const mended = stored === undefined ? undefined : mend(child, stored, at, dropped);
    const needed = schema.required?.includes(key) === true && child.default === undefined;
    const written = mended ?? (needed ? standIn(child) : undefined);
    if (written !== undefined) result[key] = written;
  }
  for (const [key, stored] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) continue;
    if (schema.additionalProperties === true && isKey(key)) result[key] = openValue(stored, 0);
    else if (schema.additionalProperties !== true)
      dropped.push({ path: path === '' ? key : `${path}.${key}`, value: stored });
  }
  return result;
}

/** The value in a form that the schema accepts. Undefined if there is none. */
function mend(schema: SchemaNode, value: Json, path: string, dropped: Dropped): Json | undefined {
  if (schema === OPEN) return openValue(value, 0);
  if (schema['x-decimal'] !== undefined) return mendAmount(schema, value);
  if (schema['x-address'] === true)
    return typeof value === 'string' && addressProblem(value) === undefined ? value : undefined;
  if (schema.enum !== undefined) return schema.enum.some((one) => jsonEqual(one, value)) ? value : undefined;
  if (schema.type === 'array')
    return Array.isArray(value) ? mendList(schema, value, path, dropped) : undefined;
  if (schema.type === 'object') return isObject(value) ? mendObject(schema, value, path, dropped) : undefined;
  return typeof value === schema.type ? value : undefined;
}

function mendList(schema: SchemaNode, items: readonly Json[], path: string, dropped: Dropped): Json {
  const mended = items.flatMap((item, index) => {
    const written = mend(childSchema(schema, index), item, `${path}[${index}]`, dropped);
    return written === undefined ? [] : [written];
  });
  const once =
    schema['x-set'] === true || schema.uniqueItems === true
      ? [...new Map(mended.map((item) => [canonicalJson(item), item])).values()]
      : mended;
  const kept = once.slice(0, schema.maxItems ?? once.length);
  const missing = (schema.minItems ?? 0) - kept.length;
  return missing > 0 ? [...kept, standIn(childSchema(schema, 0))] : kept;
}

/** Legacy snapshots may hold amounts as JSON numbers or in another spelling. The same value is no change. */
function mendAmount(schema: SchemaNode, value: Json): Json | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value);
  return [text, canonicalDecimal(text)].find((one) => amountProblem(one, schema) === undefined);
}

const MOST_NESTED = 32;
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', '<<']);

function isKey(key: string): boolean {
  return !FORBIDDEN.has(key) && readable(key) === key;
}

/**
 * For a place without a documented type: numbers that YAML would change become texts, and keys and characters that manifests
 * forbid are removed.
 */
function openValue(value: Json, depth: number): Json {
  if (depth > MOST_NESTED) return null;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : String(value);
  if (typeof value === 'string') return readable(value);
  if (Array.isArray(value)) return value.map((item) => openValue(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isKey(key))
      .map(([key, item]) => [key, openValue(item, depth + 1)]),
  );
}

/** Without the fields that the schema's defaults restore. */
function withoutDefaults(value: JsonObject, schema: SchemaNode): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) => {
      const node = childSchema(schema, key);
      if (node.default !== undefined && jsonEqual(node.default, child)) return [];
      return [[key, isObject(child) && node !== OPEN ? withoutDefaults(child, node) : child] as const];
    }),
  );
}

/**
 * The value in a manifest if the stored value cannot be expressed and the schema requires one: the smallest valid value. It is
 * never sent, because `lifecycle.ignore_changes` keeps the stored value.
 */
function standIn(schema: SchemaNode): Json {
  if (schema.default !== undefined) return schema.default;
  const range = schema['x-decimal'];
  if (range !== undefined) {
    if (range.above !== undefined) return LEAST_AMOUNT;
    return range.empty === true ? '' : (range.min ?? '0');
  }
  if (schema.enum !== undefined) return schema.enum[0] ?? null;
  if (schema.type === 'array')
    return Array.from({ length: schema.minItems ?? 0 }, () => standIn(childSchema(schema, 0)));
  if (schema.type === 'object')
    return Object.fromEntries((schema.required ?? []).map((key) => [key, standIn(childSchema(schema, key))]));
  if (schema.type === 'boolean') return false;
  return schema === OPEN ? {} : '';
}
