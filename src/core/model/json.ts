/** JSON values as tradeform holds them; amounts are strings, never floats. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value inside of another one, by its keys. Undefined if there is none. */
export function valueAt(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce((inside, key) => (isObject(inside) ? inside[key] : undefined), value);
}

/** Undefined if the text is not JSON. The system's message would quote a part of the text. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The object, or an empty one for any other value. */
export function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** JSON text with sorted object keys and without white space: equal values give equal bytes. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(inOrder(value));
}

/**
 * The same value with sorted keys, at every depth. Values that are not JSON are left to JSON.stringify, which drops
 * them.
 */
export function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const ordered: Record<string, unknown> = {};
  const items = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(items).sort()) {
    const item = inOrder(items[key]);
    // An assignment to `__proto__` would set the prototype instead.
    if (key === '__proto__') Object.defineProperty(ordered, key, { value: item, enumerable: true });
    else ordered[key] = item;
  }
  return ordered;
}

export function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) if (!jsonEqual(a[index], b[index])) return false;
    return true;
  }
  const keys = Object.keys(a);
  const others = Object.keys(b);
  if (keys.length !== others.length) return false;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    // Usually both have their keys in the same order.
    if (key !== others[index] && !Object.hasOwn(b, key)) return false;
    if (!jsonEqual(a[key], b[key])) return false;
  }
  return true;
}
