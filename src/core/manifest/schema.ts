import schemas from '../model/generated/manifest-schema.json' with { type: 'json' };
import type { Json, JsonObject } from '../model/json.ts';
import { KINDS } from '../model/kind.ts';
import type { SchemaNode } from '../model/shape.ts';

export type { SchemaNode } from '../model/shape.ts';

const DEFINITIONS = schemas.definitions as unknown as Readonly<Record<string, SchemaNode>>;
const REFERENCE = '#/definitions/';

/** The `kind:` of every manifest that tradeform knows, including the project file. */
export const KIND_NAMES: readonly string[] = schemas.kinds;

/** The name that a text means: in any case, with or without dashes, or by the collection of a kind. */
export function nameCalled(text: string, names: readonly string[] = KIND_NAMES): string | undefined {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '');
  const meant = KINDS.find(({ collection }) => collection === text)?.manifestKind ?? text;
  return names.find((name) => plain(name) === plain(meant));
}

/** The schema of a kind, by its name. For kinds with `for`, by `schemaId`. */
export function kindSchema(id: string): SchemaNode | undefined {
  return Object.hasOwn(DEFINITIONS, id) ? DEFINITIONS[id] : undefined;
}

/** `Preset` and `sniper` give `PresetSniper`. The id of a kind without `for` is its name. An unknown `for` gives undefined. */
export function schemaId(kind: string, purpose: string | undefined): string | undefined {
  if (kindSchema(kind) !== undefined) return kind;
  const words = (purpose ?? '').split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const id = kind + words.join('');
  return kindSchema(id) === undefined ? undefined : id;
}

/** The possible values of `for`. Empty for a kind without `for`. */
export function purposesOf(kind: string): readonly string[] {
  return Object.keys(DEFINITIONS).flatMap((id) => {
    const purpose =
      id.startsWith(kind) && id !== kind ? schemaAt(DEFINITIONS[id] ?? {}, ['spec', 'for']).const : undefined;
    return typeof purpose === 'string' ? [purpose] : [];
  });
}

/** A place whose type the interface does not document. Any value passes through. */
export const OPEN: SchemaNode = {};
/** A place whose type is known only later. A scalar keeps its source text if a number would lose it. */
export const LOOSE: SchemaNode = { 'x-scalar': true };
/** A place that the schema lacks. Its value is not analysed. */
export const UNKNOWN: SchemaNode = {};

/** The schema of a field, list item or map entry. */
export function childSchema(parent: SchemaNode, key: string | number): SchemaNode {
  if (parent === OPEN || parent === UNKNOWN || parent === LOOSE) return parent;
  if (parent['x-loose'] === true) return LOOSE;
  if (typeof key === 'number') return parent.type === 'array' ? resolved(parent.items ?? OPEN) : UNKNOWN;
  const { properties, additionalProperties } = parent;
  if (properties !== undefined && Object.hasOwn(properties, key)) return resolved(properties[key] ?? UNKNOWN);
  if (typeof additionalProperties === 'object') return resolved(additionalProperties);
  return additionalProperties === true ? OPEN : UNKNOWN;
}

const BY_REFERENCE: ReadonlyMap<string, SchemaNode> = new Map(
  Object.entries(DEFINITIONS).map(([name, schema]) => [REFERENCE + name, schema]),
);

/** A reference has no siblings, so its target replaces it completely. */
function resolved(schema: SchemaNode): SchemaNode {
  return schema.$ref === undefined ? schema : (BY_REFERENCE.get(schema.$ref) ?? UNKNOWN);
}

/**
 * Returns a function that says whether a schema or any schema below it passes the test. Each schema is visited once, so that
 * most values of thousands of manifests need no visit at all.
 */
export function anywhereBelow(test: (schema: SchemaNode) => boolean): (schema: SchemaNode) => boolean {
  const known = new WeakMap<SchemaNode, boolean>();
  const look = (schema: SchemaNode): boolean => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    // For a schema within itself: one visit too many is better than one too few.
    known.set(schema, true);
    const found = test(schema) || schemasIn(schema).some(look);
    known.set(schema, found);
    return found;
  };
  return look;
}

function schemasIn(schema: SchemaNode): readonly SchemaNode[] {
  const { properties = {}, items, additionalProperties } = schema;
  return [
    ...Object.keys(properties).map((key) => childSchema(schema, key)),
    ...(items === undefined ? [] : [resolved(items)]),
    ...(typeof additionalProperties === 'object' ? [resolved(additionalProperties)] : []),
  ];
}

/**
 * Calls `visit` for each list and mapping of a value whose schema `holds`, the outer ones first. The path is that of the part; it
 * changes after the call.
 */
export function visitWhere(
  holds: (schema: SchemaNode) => boolean,
  value: Json,
  schema: SchemaNode,
  visit: (part: Json[] | JsonObject, schema: SchemaNode, path: readonly (string | number)[]) => void,
  path: (string | number)[] = [],
): void {
  if (typeof value !== 'object' || value === null || !holds(schema)) return;
  visit(value, schema, path);
  const within = (key: string | number, child: Json) => {
    // Most values are scalars, with nothing below them.
    if (typeof child !== 'object') return;
    path.push(key);
    visitWhere(holds, child, childSchema(schema, key), visit, path);
    path.pop();
  };
  if (Array.isArray(value)) for (const [index, item] of value.entries()) within(index, item);
  else for (const key of Object.keys(value)) within(key, value[key] ?? null);
}

export function schemaAt(schema: SchemaNode, path: readonly (string | number)[]): SchemaNode {
  return path.reduce<SchemaNode>(childSchema, schema);
}
