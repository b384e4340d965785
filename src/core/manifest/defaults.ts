import { madeOnce } from '../model/by-key.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { anywhereBelow, childSchema, type SchemaNode } from './schema.ts';

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
