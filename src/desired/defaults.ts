import { childSchema, OPEN, type SchemaNode } from '../manifest/schema.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';

/**
 * The value with every field that has a documented default, so that the complete config is always sent. What is complete
 * already is not copied: tasks share what they take from one base. Nothing is changed in place.
 */
export function withDefaults(value: JsonObject, schema: SchemaNode): JsonObject {
  let result: JsonObject | undefined;
  for (const [key, child] of Object.entries(value)) {
    const whole = complete(child, childSchema(schema, key));
    if (whole === child) continue;
    result ??= { ...value };
    result[key] = whole;
  }
  for (const [key, { default: standard }] of Object.entries(schema.properties ?? {})) {
    if (standard === undefined || Object.hasOwn(value, key)) continue;
    result ??= { ...value };
    result[key] = standard;
  }
  return result ?? value;
}

function complete(value: Json, schema: SchemaNode): Json {
  if (schema === OPEN) return value;
  if (isObject(value)) return withDefaults(value, schema);
  if (!Array.isArray(value)) return value;
  const items = value.map((item, index) => complete(item, childSchema(schema, index)));
  return items.every((item, index) => item === value[index]) ? value : items;
}
