import type { Json, JsonObject } from '../model/json.ts';
import { isObject } from '../model/json.ts';

/** Values of a body that the schema has already accepted. */

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
