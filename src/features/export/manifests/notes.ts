import { mapLeaves, orderedAsSchema } from '../../../desired/as-manifest.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../../model/json.ts';

/** A line of comment. */
export type Note = string;

const LONGEST = 160;

/** A stored value in a comment: on one line, cut if it is long. */
export function storedValue(value: Json): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

/** Fields in the order of the schema, with `${` escaped so that it is read literally. */
export function inManifestOrder(manifest: JsonObject): JsonObject {
  const ordered = orderedAsSchema(manifest);
  const escaped = mapLeaves(ordered, [], (value) =>
    typeof value === 'string' ? value.replaceAll('${', () => '$${') : value,
  );
  return isObject(escaped) ? escaped : ordered;
}
