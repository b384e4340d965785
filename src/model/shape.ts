import service from '../../schemas/service.schema.json' with { type: 'json' };
import { compareTexts } from './compare-texts.ts';
import { canonicalDecimal } from './decimal.ts';
import { canonicalJson, isObject, type Json, type JsonObject, jsonEqual } from './json.ts';
import type { ConfigDefinition } from './kind.ts';

/** The part of JSON Schema that schemas/service.schema.json uses, with its annotations. */
export interface Shape {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly default?: Json;
  readonly 'x-decimal'?: object;
  readonly 'x-set'?: boolean;
  readonly 'x-open'?: boolean;
}

const DEFINITIONS = service.definitions as unknown as Readonly<Record<string, Shape>>;

/** A definition of schemas/service.schema.json, with `$ref` followed; siblings of the reference win. */
export function resolveShape(shape: Shape): Shape {
  if (shape.$ref === undefined) return shape;
  const { $ref, ...siblings } = shape;
  const definition = DEFINITIONS[$ref.slice('#/definitions/'.length)];
  if (definition === undefined) throw new Error(`unknown definition: ${$ref}`);
  return { ...resolveShape(definition), ...siblings };
}

const RESOLVED = new Map<Shape, Shape>();

function resolved(shape: Shape): Shape {
  let result = RESOLVED.get(shape);
  if (result === undefined) {
    result = resolveShape(shape);
    RESOLVED.set(shape, result);
  }
  return result;
}

export function definition(name: string): Shape {
  const shape = DEFINITIONS[name];
  if (shape === undefined) throw new Error(`unknown definition: ${name}`);
  return resolved(shape);
}

/** Whether a list is a set, so its order means nothing: `linked_wallets`, `config.buy_config_tiers[1].selected_dexes`. */
export function isUnordered(path: string): boolean {
  const below = ({ properties, items }: Shape, key: string) => resolveShape(properties?.[key] ?? items ?? {});
  const keys = path.split(/\.|(?=\[)/);
  return Object.keys(DEFINITIONS).some((name) => keys.reduce(below, definition(name))['x-set'] === true);
}

/**
 * The canonical form in which desired and live configs are compared (DESIGN 5): decimals by exact value, sets sorted,
 * everything else as it is. Fields that are not in the schema are kept: inside open objects they are compared,
 * elsewhere they are legacy.
 */
export function canonicalConfig(name: ConfigDefinition, config: JsonObject): JsonObject {
  return canonical(definition(name), config) as JsonObject;
}

/**
 * The canonical form without legacy fields, and with defaults for missing required fields. If two configs are equal in
 * this form, today's write schema sees no difference.
 */
export function currentConfig(name: ConfigDefinition, config: JsonObject): JsonObject {
  return current(definition(name), canonicalConfig(name, config)) as JsonObject;
}

function current(shape: Shape | undefined, value: Json): Json {
  if (shape === undefined) return value;
  const { properties, items, required, 'x-open': open } = resolved(shape);
  if (Array.isArray(value)) return value.map((item) => current(items, item));
  if (!isObject(value) || properties === undefined) return value;
  const kept = Object.entries(value).filter(([key]) => open === true || Object.hasOwn(properties, key));
  const filled = (required ?? []).flatMap((key) => {
    const standard = Object.hasOwn(value, key) ? undefined : resolved(properties[key] ?? {}).default;
    return standard === undefined ? [] : [[key, standard] as const];
  });
  return Object.fromEntries([
    ...kept.map(([key, item]) => [key, current(properties[key], item)] as const),
    ...filled,
  ]);
}

/** Canonical form of `linked_wallets`: a set. */
export function canonicalWallets(wallets: readonly string[]): readonly string[] {
  return [...wallets].sort();
}

function canonical(shape: Shape | undefined, value: Json): Json {
  if (shape === undefined) return canonicalUntyped(value);
  const { type, properties, items, 'x-decimal': decimal, 'x-set': set } = resolved(shape);
  if (decimal !== undefined) return canonicalAmount(value);
  if (Array.isArray(value)) {
    const list = value.map((item) => canonical(items, item));
    return set === true ? list.sort((a, b) => compareTexts(canonicalJson(a), canonicalJson(b))) : list;
  }
  if (isObject(value) && type === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, canonical(properties?.[key], item)]),
    );
  }
  return value;
}

/** Legacy snapshots can contain amounts as JSON numbers: equal values are equal. */
function canonicalAmount(value: Json): Json {
  if (typeof value === 'number') return canonicalDecimal(String(value));
  return typeof value === 'string' ? canonicalDecimal(value) : value;
}

/** Where the interface documents no type, a service may still normalise amounts: `0.50` and `0.5` are equal. */
function canonicalUntyped(value: Json): Json {
  if (typeof value === 'string') return canonicalDecimal(value);
  if (Array.isArray(value)) return value.map(canonicalUntyped);
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, canonicalUntyped(item)]));
  }
  return value;
}

/** One differing field. A key that is absent means that the field is absent; values are as written, not canonical. */
export interface FieldDifference {
  /** `relay_mode.tip_amount`, `buy_config_tiers[1].relay_tip`. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
  /** Live only and unknown to the write schema; or required today, absent in the snapshot and wanted at its default. */
  readonly legacy?: true;
}

/**
 * Every field in which two configs differ, in the order of the schema. Legacy differences are marked: they plan nothing
 * by themselves and are sent with the next config patch (DESIGN 5).
 */
export function configDifferences(
  name: ConfigDefinition,
  before: JsonObject,
  after: JsonObject,
): readonly FieldDifference[] {
  // Nearly all configs are equal without conversion, which is much faster to find out.
  if (jsonEqual(before, after)) return [];
  const differences: FieldDifference[] = [];
  compareObjects(definition(name), before, after, '', differences);
  return differences;
}

function compareObjects(
  shape: Shape,
  before: JsonObject,
  after: JsonObject,
  prefix: string,
  into: FieldDifference[],
): void {
  const known = Object.keys(shape.properties ?? {});
  const extra = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => !Object.hasOwn(shape.properties ?? {}, key))
    .sort();
  for (const key of [...known, ...extra]) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    compareField(shape, key, path, before, after, into);
  }
}

function compareField(
  parent: Shape,
  key: string,
  path: string,
  before: JsonObject,
  after: JsonObject,
  into: FieldDifference[],
): void {
  const child = parent.properties?.[key];
  const was = Object.hasOwn(before, key) ? before[key] : undefined;
  const is = Object.hasOwn(after, key) ? after[key] : undefined;
  if (was === undefined && is === undefined) return;
  if (was === undefined || is === undefined) {
    into.push({
      path,
      ...(was === undefined ? {} : { before: was }),
      ...(is === undefined ? {} : { after: is }),
      ...(isLegacyField(parent, key, was, is) ? { legacy: true } : {}),
    });
    return;
  }
  compareValues(child, was, is, path, into);
}

function isLegacyField(parent: Shape, key: string, a: Json | undefined, b: Json | undefined): boolean {
  const child = parent.properties?.[key];
  if (b === undefined) return child === undefined && parent['x-open'] !== true && a !== undefined;
  if (child === undefined || parent.required?.includes(key) !== true) return false;
  const standard = resolved(child).default;
  return standard !== undefined && jsonEqual(standard, b);
}

function compareValues(
  child: Shape | undefined,
  a: Json,
  b: Json,
  path: string,
  into: FieldDifference[],
): void {
  if (jsonEqual(a, b)) return;
  const shape = child === undefined ? undefined : resolved(child);
  if (isObject(a) && isObject(b)) {
    compareObjects(shape?.type === 'object' ? shape : { 'x-open': true }, a, b, path, into);
    return;
  }
  const items = shape?.items;
  const listOfObjects =
    Array.isArray(a) && Array.isArray(b) && a.length === b.length && [...a, ...b].every(isObject);
  if (listOfObjects && Array.isArray(a) && Array.isArray(b)) {
    a.forEach((item, index) => {
      compareValues(items, item, b[index] ?? null, `${path}[${index}]`, into);
    });
    return;
  }
  if (!jsonEqual(canonical(child, a), canonical(child, b))) into.push({ path, before: a, after: b });
}

/** Every leaf of a config, in the order of the schema: objects are descended into, arrays are leaves. */
export function configLeaves(
  name: ConfigDefinition,
  config: JsonObject,
): readonly { path: string; value: Json }[] {
  const leaves: { path: string; value: Json }[] = [];
  const walk = (shape: Shape | undefined, value: Json, path: string): void => {
    if (!isObject(value)) {
      leaves.push({ path, value });
      return;
    }
    const properties = shape === undefined ? {} : (resolved(shape).properties ?? {});
    const known = Object.keys(properties).filter((key) => Object.hasOwn(value, key));
    const extra = Object.keys(value)
      .filter((key) => !Object.hasOwn(properties, key))
      .sort();
    for (const key of [...known, ...extra]) {
      walk(properties[key], value[key] ?? null, path === '' ? key : `${path}.${key}`);
    }
  };
  walk(definition(name), config, '');
  return leaves;
}
