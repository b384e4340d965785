import { isObject, type Json, type JsonObject } from '../../model/json.ts';

/** A field of a config without fields of its own; lists are one, since merging replaces them as a whole. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: Json;
}

/** Every leaf of a config, in its order. */
export function leavesOf(config: JsonObject): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const walk = (value: Json, path: readonly string[]) => {
    if (!isObject(value) || Object.keys(value).length === 0) leaves.push({ path, value });
    else for (const [key, child] of Object.entries(value)) walk(child, [...path, key]);
  };
  for (const [key, child] of Object.entries(config)) walk(child, [key]);
  return leaves;
}

/** A config of these leaves. */
export function configOf(leaves: readonly Leaf[]): JsonObject {
  const config: JsonObject = {};
  for (const { path, value } of leaves) {
    let at = config;
    for (const key of path.slice(0, -1)) {
      const next = at[key];
      if (isObject(next)) at = next;
      else {
        const made: JsonObject = {};
        at[key] = made;
        at = made;
      }
    }
    at[path.at(-1) ?? ''] = value;
  }
  return config;
}

/** A null below what merges would remove what another layer has, instead of standing there. */
export function holdsNull(config: JsonObject): boolean {
  return leavesOf(config).some(({ value }) => value === null);
}
