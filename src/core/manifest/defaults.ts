import { madeOnce } from '../model/by-key.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { anywhereBelow, childSchema, kindSchema, type SchemaNode, schemaId, UNKNOWN } from './schema.ts';

/** Fields of a schema that have a documented default. */
const OWN = new WeakMap<SchemaNode, readonly (readonly [string, Json])[]>();
const holdsDefaults = anywhereBelow((schema) => ownDefaults(schema).length > 0);

/**
 * The value with every documented default, so that the complete config is always sent. A complete value is not copied, so that
 * tasks share what they take from one preset or template. Nothing is changed in place.
 */
export function withDefaults(value: JsonObject, schema: SchemaNode): JsonObject {
  if (!holdsDefaults(schema)) return value;
  let result: JsonObject | undefined;
  for (const key of Object.keys(value)) {
    const child = value[key] ?? null;
    const whole = complete(child, childSchema(schema, key));
    if (whole === child) continue;
    result ??= { ...value };
    result[key] = whole;
  }
  for (const [key, standard] of ownDefaults(schema)) {
    if (Object.hasOwn(value, key)) continue;
    result ??= { ...value };
    result[key] = standard;
  }
  return result ?? value;
}

function complete(value: Json, schema: SchemaNode): Json {
  if (typeof value !== 'object' || !holdsDefaults(schema)) return value;
  if (isObject(value)) return withDefaults(value, schema);
  if (!Array.isArray(value)) return value;
  const items = value.map((item, index) => complete(item, childSchema(schema, index)));
  return items.every((item, index) => item === value[index]) ? value : items;
}

function ownDefaults(schema: SchemaNode): readonly (readonly [string, Json])[] {
  return madeOnce(OWN, schema, () =>
    Object.entries(schema.properties ?? {}).flatMap(
      ([key, { default: standard }]): (readonly [string, Json])[] =>
        standard === undefined ? [] : [[key, standard]],
    ),
  );
}

/** The fields of a manifest in the order of its kind's schema. Unknown fields come last, by name. */
export function orderedAsSchema(manifest: JsonObject): JsonObject {
  const { kind, spec } = manifest;
  const purpose = isObject(spec) && typeof spec.for === 'string' ? spec.for : undefined;
  const id = schemaId(String(kind), purpose);
  return inOrder(manifest, (id === undefined ? undefined : kindSchema(id)) ?? UNKNOWN) as JsonObject;
}

function inOrder(value: Json, schema: SchemaNode): Json {
  if (Array.isArray(value)) return value.map((item, index) => inOrder(item, childSchema(schema, index)));
  if (!isObject(value)) return value;
  const known = Object.keys(schema.properties ?? {}).filter((key) => Object.hasOwn(value, key));
  const others = Object.keys(value).filter((key) => !known.includes(key));
  return Object.fromEntries(
    [...known, ...others.sort()].map((key) => [key, inOrder(value[key] ?? null, childSchema(schema, key))]),
  );
}
