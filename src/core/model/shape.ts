import service from '../../../schemas/service.schema.json' with { type: 'json' };
import { madeOnce } from './by-key.ts';
import { compareTexts } from './compare-texts.ts';
import { canonicalDecimal } from './decimal.ts';
import { given } from './given.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from './json.ts';
import type { ConfigDefinition } from './kind.ts';

/** The part of JSON Schema that the schemas of the service and of manifests use, with its annotations. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly uniqueItems?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly 'x-decimal'?: DecimalRange;
  readonly 'x-unit'?: string;
  readonly 'x-address'?: boolean;
  readonly 'x-set'?: boolean;
  readonly 'x-open'?: boolean;
  readonly 'x-text'?: boolean;
  readonly 'x-name'?: boolean;
  readonly 'x-uuid'?: boolean;
  readonly pattern?: string;
  readonly 'x-duration'?: boolean;
  /** A scalar of any type: a variable, a column. */
  readonly 'x-scalar'?: boolean;
  /** Everything below has the types of another manifest: a patch. */
  readonly 'x-loose'?: boolean;
}

interface DecimalRange {
  readonly min?: string;
  readonly max?: string;
  /** The value must be greater than this. */
  readonly above?: string;
  /** The empty string is allowed: it disables the bound. */
  readonly empty?: boolean;
}

const DEFINITIONS = service.definitions as unknown as Readonly<Record<string, SchemaNode>>;

const RESOLVED = new WeakMap<SchemaNode, SchemaNode>();

/** The shape with `$ref` followed; siblings of the reference win. */
export function resolveShape(shape: SchemaNode): SchemaNode {
  if (shape.$ref === undefined) return shape;
  return madeOnce(RESOLVED, shape, () => {
    const { $ref = '', ...siblings } = shape;
    return { ...definition($ref.slice('#/definitions/'.length)), ...siblings };
  });
}

/** A definition of schemas/service.schema.json. */
export function definition(name: string): SchemaNode {
  const shape = DEFINITIONS[name];
  if (shape === undefined) throw new Error(`unknown definition: ${name}`);
  return resolveShape(shape);
}

/** Whether a list is a set, so its order means nothing: `linked_wallets`, `config.buy_config_tiers[1].selected_dexes`. */
export function isUnordered(path: string): boolean {
  const below = ({ properties, items }: SchemaNode, key: string) =>
    resolveShape(properties?.[key] ?? items ?? {});
  const keys = path.split(/\.|(?=\[)/);
  return Object.keys(DEFINITIONS).some((name) => keys.reduce(below, definition(name))['x-set'] === true);
}

/**
 * The canonical form in which desired and live configs are compared (DESIGN 5), as JSON text: decimals by exact value, sets sorted,
 * everything else as it is. Fields that are not in the schema are kept: inside open objects they are compared, elsewhere they are
 * legacy. `bare`: without the fields, outside of lists, whose value is the documented default.
 */
export function canonicalText(name: ConfigDefinition, config: JsonObject, bare = false): string {
  return textOf(config, definition(name), bare);
}

/** Text that JSON writes as it is. */
const PLAIN = /^[ !#-[\]-~]*$/;
/** By shape and names: the fields in the order of their names. Most objects of a shape have the names of the one before. */
const FIELDS = new Map<SchemaNode | undefined, { last: Fields; readonly known: Map<string, Fields> }>();
type Fields = ReturnType<typeof fieldsOf>;
/** The most sets of names that are kept for a shape. */
const MOST_KNOWN = 100;

function fieldsOf(keys: readonly string[], { properties = {} }: SchemaNode = {}) {
  const sorted = keys.toSorted().map((key) => {
    const shape = properties[key] && resolveShape(properties[key]);
    const standard = shape?.default === undefined ? undefined : textOf(shape.default, shape, false);
    return { key, name: `${JSON.stringify(key)}:`, shape, standard };
  });
  return { keys, sorted };
}

function fieldsIn(value: JsonObject, shape: SchemaNode | undefined): Fields['sorted'] {
  const keys = Object.keys(value);
  const seen = madeOnce(FIELDS, shape, () => ({ last: fieldsOf(keys, shape), known: new Map() }));
  const { last } = seen;
  if (last.keys.length !== keys.length || last.keys.some((key, index) => key !== keys[index])) {
    const names = JSON.stringify(keys);
    seen.last = seen.known.get(names) ?? fieldsOf(keys, shape);
    // What is stored on the service may have any names, of any length: those are not kept.
    const isPlain = keys.every((key) => shape?.properties?.[key] !== undefined);
    if (isPlain && seen.known.size < MOST_KNOWN) seen.known.set(names, seen.last);
  }
  return seen.last.sorted;
}

/** `shape`: resolved. */
function textOf(value: Json, shape: SchemaNode | undefined, bare: boolean): string {
  if (Array.isArray(value)) {
    const items = shape?.items && resolveShape(shape.items);
    const texts = value.map((item) => textOf(item, items, false));
    if (shape?.['x-set'] === true) texts.sort(compareTexts);
    return `[${texts.join(',')}]`;
  }
  if (!isObject(value)) {
    const scalar = canonicalScalar(value, shape);
    return typeof scalar === 'string' && PLAIN.test(scalar) ? `"${scalar}"` : JSON.stringify(scalar);
  }
  let text = '';
  for (const { key, name, shape: below, standard } of fieldsIn(value, shape)) {
    const item = value[key] ?? null;
    if (bare && standard !== undefined && textOf(item, below, false) === standard) continue;
    text += (text === '' ? name : `,${name}`) + textOf(item, below, bare);
  }
  return `{${text}}`;
}

/**
 * The canonical form without legacy fields, and with defaults for missing required fields. If two configs are equal in
 * this form, today's write schema sees no difference.
 */
export function currentConfig(name: ConfigDefinition, config: JsonObject): JsonObject {
  const canonical = JSON.parse(canonicalText(name, config)) as Json;
  return mapShaped(definition(name), canonical, (value, at) => {
    const { properties, 'x-open': open } = at ?? {};
    if (at === undefined || properties === undefined || !isObject(value)) return value;
    const kept = Object.entries(value).filter(([key]) => open === true || Object.hasOwn(properties, key));
    return Object.fromEntries([...kept, ...missingDefaults(at, value)]);
  }) as JsonObject;
}

/** The defaults of required fields that an object lacks. */
export function missingDefaults({ properties, required = [] }: SchemaNode, value: JsonObject) {
  return required.flatMap((key) => {
    const standard = Object.hasOwn(value, key) ? undefined : resolveShape(properties?.[key] ?? {}).default;
    return standard === undefined ? [] : [[key, standard] as const];
  });
}

/** The value after `change` was made to each part of it, the inner parts first. A part that the schema lacks has no shape. */
export function mapShaped(
  shape: SchemaNode | undefined,
  value: Json,
  change: (part: Json, shape: SchemaNode | undefined) => Json,
): Json {
  const at = shape && resolveShape(shape);
  if (Array.isArray(value))
    return change(
      value.map((item) => mapShaped(at?.items, item, change)),
      at,
    );
  if (!isObject(value)) return change(value, at);
  const parts = Object.entries(value).map(
    ([key, item]) => [key, mapShaped(at?.properties?.[key], item, change)] as const,
  );
  return change(Object.fromEntries(parts), at);
}

/** Where the interface documents no type, a service may still normalise amounts: `0.50` and `0.5` are equal. */
function canonicalScalar(value: Json, at: SchemaNode | undefined): Json {
  const amount = at?.['x-decimal'] !== undefined;
  // Legacy snapshots can contain amounts as JSON numbers: equal values are equal.
  if (amount && typeof value === 'number') return canonicalDecimal(String(value));
  return (amount || at === undefined) && typeof value === 'string' ? canonicalDecimal(value) : value;
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
  shape: SchemaNode,
  before: JsonObject,
  after: JsonObject,
  prefix: string,
  into: FieldDifference[],
): void {
  for (const key of namesIn(shape, before, after)) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    const is = Object.hasOwn(after, key) ? after[key] : undefined;
    if (was !== undefined && is !== undefined) compareValues(shape.properties?.[key], was, is, path, into);
    else if (was !== is) {
      const legacy = isLegacyField(shape, key, is) ? ({ legacy: true } as const) : {};
      into.push({ path, ...given({ before: was, after: is }), ...legacy });
    }
  }
}

/** The names in these objects: in the order of the schema, then the others, sorted. */
function namesIn({ properties = {} }: SchemaNode, ...objects: readonly JsonObject[]): readonly string[] {
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  const known = Object.keys(properties).filter((key) => names.has(key));
  return [...known, ...[...names].filter((key) => !Object.hasOwn(properties, key)).sort()];
}

/** Of a field that only one of two configs has; `after`: its value there. */
function isLegacyField(parent: SchemaNode, key: string, after: Json | undefined): boolean {
  const child = parent.properties?.[key];
  if (after === undefined) return child === undefined && parent['x-open'] !== true;
  if (child === undefined || parent.required?.includes(key) !== true) return false;
  const standard = resolveShape(child).default;
  return standard !== undefined && jsonEqual(standard, after);
}

function compareValues(
  child: SchemaNode | undefined,
  a: Json,
  b: Json,
  path: string,
  into: FieldDifference[],
): void {
  if (jsonEqual(a, b)) return;
  const shape = child && resolveShape(child);
  if (isObject(a) && isObject(b)) {
    compareObjects(shape?.type === 'object' ? shape : { 'x-open': true }, a, b, path, into);
    return;
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length && [...a, ...b].every(isObject)) {
    for (const [index, item] of a.entries())
      compareValues(shape?.items, item, b[index] ?? null, `${path}[${index}]`, into);
  } else if (textOf(a, shape, false) !== textOf(b, shape, false)) into.push({ path, before: a, after: b });
}

/** Every leaf of a config, in the order of the schema: objects are descended into, arrays are leaves. */
export function configLeaves(
  name: ConfigDefinition,
  config: JsonObject,
): readonly { path: string; value: Json }[] {
  const leaves: { path: string; value: Json }[] = [];
  const walk = (shape: SchemaNode | undefined, value: Json, path: string): void => {
    if (!isObject(value)) {
      leaves.push({ path, value });
      return;
    }
    const at = resolveShape(shape ?? {});
    for (const key of namesIn(at, value))
      walk(at.properties?.[key], value[key] ?? null, path === '' ? key : `${path}.${key}`);
  };
  walk(definition(name), config, '');
  return leaves;
}
