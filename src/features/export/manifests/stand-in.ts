import { childSchema, OPEN, type SchemaNode } from '../../../manifest/schema.ts';
import type { Json, JsonObject } from '../../../model/json.ts';

/** Greater than 0, but worth nothing. */
const LEAST_AMOUNT = '0.000000000001';

/**
 * The value in a manifest if the stored value cannot be expressed and the schema requires one: the smallest valid value. It is
 * never sent, because `lifecycle.ignore_changes` keeps the stored value.
 */
export function standIn(schema: SchemaNode): Json {
  if (schema.default !== undefined) return schema.default;
  const range = schema['x-decimal'];
  if (range !== undefined) {
    if (range.above !== undefined) return LEAST_AMOUNT;
    return range.empty === true ? '' : (range.min ?? '0');
  }
  if (schema.enum !== undefined) return schema.enum[0] ?? null;
  if (schema.type === 'array') {
    return Array.from({ length: schema.minItems ?? 0 }, () => standIn(childSchema(schema, 0)));
  }
  if (schema.type === 'object') return standInObject(schema);
  if (schema.type === 'boolean') return false;
  return schema === OPEN ? {} : '';
}

function standInObject(schema: SchemaNode): JsonObject {
  return Object.fromEntries(
    (schema.required ?? []).map((key) => [key, standIn(childSchema(schema, key))] as const),
  );
}
