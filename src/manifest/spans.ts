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

/** Index of the value at `path`, or of the nearest enclosing one. `exact` tells which. */
export function indexOf(root: Json, path: Path): { readonly index: number; readonly exact: boolean } {
  let value = root;
  let index = 0;
  for (const segment of path) {
    const step = enter(value, segment);
    if (step === undefined) return { index, exact: false };
    index += step.skipped + 1;
    value = step.value;
  }
  return { index, exact: true };
}

function enter(value: Json, segment: string | number): { value: Json; skipped: number } | undefined {
  let skipped = 0;
  if (Array.isArray(value)) {
    const position = typeof segment === 'number' ? segment : Number(segment);
    const item = value[position];
    if (item === undefined) return undefined;
    return { value: item, skipped: sizesBefore(value)[position] ?? 0 };
  }
  if (!isObject(value)) return undefined;
  const child = Object.hasOwn(value, segment) ? value[segment] : undefined;
  if (child === undefined) return undefined;
  const sizes = sizesByKey(value);
  if (sizes !== undefined) return { value: child, skipped: sizes.get(String(segment)) ?? 0 };
  for (const key of Object.keys(value)) {
    if (key === String(segment)) break;
    skipped += sizeOf(value[key] ?? null);
  }
  return { value: child, skipped };
}

/** A mapping with more keys gets an index, because many of its keys are looked up. */
const FEW = 16;
const SIZES_BY_KEY = new WeakMap<JsonObject, ReadonlyMap<string | null, number>>();

/** The number of values before the value of each key, and under null the total. Undefined for a small mapping. */
function sizesByKey(mapping: JsonObject): ReadonlyMap<string | null, number> | undefined {
  const known = SIZES_BY_KEY.get(mapping);
  if (known !== undefined) return known;
  const entries = Object.entries(mapping);
  if (entries.length <= FEW) return undefined;
  const sizes = new Map<string | null, number>();
  let size = 0;
  for (const [key, child] of entries) {
    sizes.set(key, size);
    size += sizeOf(child);
  }
  sizes.set(null, size);
  SIZES_BY_KEY.set(mapping, sizes);
  return sizes;
}

/** The number of values before each item, and the total. A list can be long and is asked for each of its items. */
const SIZES = new WeakMap<Json[], Int32Array>();

function sizesBefore(list: Json[]): Int32Array {
  const known = SIZES.get(list);
  if (known !== undefined) return known;
  const sizes = new Int32Array(list.length + 1);
  list.forEach((item, index) => {
    sizes[index + 1] = (sizes[index] ?? 0) + sizeOf(item);
  });
  SIZES.set(list, sizes);
  return sizes;
}

function sizeOf(value: Json): number {
  if (Array.isArray(value)) return 1 + (sizesBefore(value)[value.length] ?? 0);
  if (!isObject(value)) return 1;
  const sizes = sizesByKey(value);
  if (sizes !== undefined) return 1 + (sizes.get(null) ?? 0);
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item), 1);
}

/** `spec.config.buy_config_tiers[1].relay_tip`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    return text === '' ? segment : `${text}.${segment}`;
  }, '');
}

/** Splits `config.buy_config_tiers[1].relay_tip` into segments. */
export function parsePath(text: string): Path {
  return [...text.matchAll(/[^.[\]]+/g)].map(([segment]) => segment);
}
