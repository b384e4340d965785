import { childSchema, OPEN, type SchemaNode } from '../manifest/schema.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';

/**
 * A copy in which every field with a documented default stands, so that the complete config is always sent. What stands
 * inside sell-side objects without being shown there is copied as it is.
 */
export function withDefaults(value: JsonObject, schema: SchemaNode): JsonObject {
  const result: JsonObject = {};
  for (const [key, child] of Object.entries(value)) result[key] = complete(child, childSchema(schema, key));
  for (const [key, { default: standard }] of Object.entries(schema.properties ?? {})) {
    if (standard !== undefined && !Object.hasOwn(result, key)) result[key] = structuredClone(standard);
  }
  return result;
}

function complete(value: Json, schema: SchemaNode): Json {
  if (schema === OPEN) return structuredClone(value);
  if (Array.isArray(value)) return value.map((item, index) => complete(item, childSchema(schema, index)));
  return isObject(value) ? withDefaults(value, schema) : value;
}
