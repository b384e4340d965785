import { isObject, type Json, type JsonObject } from '../../model/json.ts';

/**
 * JSON merge patch (RFC 7396): mappings merge, null removes, everything else replaces. Neither argument is changed. The result
 * may share parts with them.
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
