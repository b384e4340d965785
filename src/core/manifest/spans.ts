import { isObject, type Json, type JsonObject } from '../model/json.ts';

export type Path = readonly (string | number)[];

/** The place of a value and, in a mapping, of its key. */
interface Span {
  /** -1 for list items and for the root. */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
}

const WIDTH = 4;
/** The buffer for collecting positions, one document at a time. Thousands of manifests do not get one buffer each. */
let collecting = new Int32Array(1_024 * WIDTH);

/**
 * The positions of all values of a document, in the order of walking the value (parents before children, keys in their own
 * order). Each value takes four numbers. The syntax tree is not kept, and a place is looked up only on request. Call `compact`
 * before the positions of the next document are collected.
 */
export class Spans {
  #offsets = collecting;
  #length = 0;

  /** Returns the index of the new entry. */
  add(keyStart: number, keyEnd: number, start: number, end: number): number {
    const at = this.#length;
    if (at === this.#offsets.length) {
      collecting = new Int32Array(at * 2);
      collecting.set(this.#offsets);
      this.#offsets = collecting;
    }
    const offsets = this.#offsets;
    offsets[at] = keyStart;
    offsets[at + 1] = keyEnd;
    offsets[at + 2] = start;
    offsets[at + 3] = end;
    this.#length = at + WIDTH;
    return at / WIDTH;
  }

  /** To be called after the last `add`, because the positions of thousands of manifests are kept. */
  compact(): void {
    this.#offsets = this.#offsets.slice(0, this.#length);
  }

  at(index: number): Span {
    const base = index * WIDTH;
    return {
      keyStart: this.#offsets[base] ?? -1,
      keyEnd: this.#offsets[base + 1] ?? -1,
      start: this.#offsets[base + 2] ?? 0,
      end: this.#offsets[base + 3] ?? 0,
    };
  }
}

/** True if a path leads through another one, or to its end. */
export function startsWith(path: Path, start: Path): boolean {
  return start.every((segment, index) => path[index] === segment);
}

/** The value at a path. Only a number leads into a list. */
export function valueBelow(root: Json | undefined, path: Path): Json | undefined {
  let value = root;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value)) value = typeof segment === 'number' ? value[segment] : undefined;
    else value = Object.hasOwn(value, segment) ? value[segment] : undefined;
  }
  return value;
}

/** Index of the value at `path`, or of the nearest enclosing one. `exact` tells which. */
export function indexOf(root: Json, path: Path): { readonly index: number; readonly exact: boolean } {
  let value = root;
  let index = 0;
  for (const segment of path) {
    const key = Array.isArray(value) ? Number(segment) : String(segment);
    const child = valueBelow(value, [key]);
    if (child === undefined) return { index, exact: false };
    index += (sizesIn(value).get(key) ?? 0) + 1;
    value = child;
  }
  return { index, exact: true };
}

const TOTAL = -1;
/** With more values the counts are kept, because many of them are asked for. */
const FEW = 16;
const SIZES = new WeakMap<Json[] | JsonObject, ReadonlyMap<string | number, number>>();

/** The number of values before each child of a list or mapping, and under TOTAL that of all. */
function sizesIn(value: Json): ReadonlyMap<string | number, number> {
  if (typeof value !== 'object' || value === null) return NONE;
  const known = SIZES.get(value);
  if (known !== undefined) return known;
  const sizes = new Map<string | number, number>();
  let size = 0;
  const count = (key: string | number, child: Json) => {
    sizes.set(key, size);
    size += 1 + (sizesIn(child).get(TOTAL) ?? 0);
  };
  if (Array.isArray(value)) for (const [index, item] of value.entries()) count(index, item);
  else for (const [key, child] of Object.entries(value)) count(key, child);
  sizes.set(TOTAL, size);
  if (size > FEW) SIZES.set(value, sizes);
  return sizes;
}

const NONE: ReadonlyMap<string, number> = new Map();

/** `spec.config.buy_config_tiers[1].relay_tip`. */
export function formatPath(path: Path): string {
  return path.reduce<string>(pathBelow, '');
}

/** The path of a field or item of what is at `parent`. */
export function pathBelow(parent: string, segment: string | number): string {
  if (typeof segment === 'number') return `${parent}[${segment}]`;
  return parent === '' ? segment : `${parent}.${segment}`;
}

/** Splits `config.buy_config_tiers[1].relay_tip` into segments. */
export function parsePath(text: string): Path {
  return [...text.matchAll(/[^.[\]]+/g)].map(([segment]) => segment);
}

/** The value with another one at a path, whose segments are texts. */
export function withAt(value: Json, [key, ...rest]: Path, leaf: Json): Json {
  if (key === undefined) return leaf;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? withAt(item, rest, leaf) : item));
  return isObject(value) ? { ...value, [key]: withAt(value[key] ?? null, rest, leaf) } : value;
}

/** Changes the scalars, and empty lists and mappings. */
export function mapLeaves(value: Json, path: Path, change: (value: Json, path: Path) => Json): Json {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item, index) => mapLeaves(item, [...path, index], change));
  }
  if (!isObject(value) || Object.keys(value).length === 0) return change(value, path);
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, mapLeaves(child, [...path, key], change)]),
  );
}
