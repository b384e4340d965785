import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { type Collection, kindOf, LIMITS } from '../../model/kind.ts';
import type { LiveResource } from '../../model/resource.ts';
import type { Answer, Api, Refusal } from '../../ports/api.ts';
import type { Limiter } from '../../ports/limiter.ts';
import type { Progress } from '../../ports/output.ts';
import { failureDiagnostic, unreadableDiagnostic } from './failure.ts';
import { parseItem } from './resource.ts';

/** One cursor's way through a collection, or through the part of it that `filter` selects. */
export interface Shard {
  readonly collection: Collection;
  /** Query parameters beside `limit` and `cursor`; the same on all pages. */
  readonly filter: Readonly<Record<string, string>>;
}

export interface Traversal {
  readonly shard: Shard;
  /** By id; of several versions of one item the highest. */
  readonly items: ReadonlyMap<string, LiveResource>;
  readonly pages: number;
  /** Of one that stopped before its end: the cursor of the next page. */
  readonly rest?: string;
  /** Of one that was put together from parts: an item that should be in one of them was in two. */
  readonly overlap?: boolean;
}

export type TraverseResult =
  | { readonly ok: true; readonly traversal: Traversal }
  | {
      readonly ok: false;
      /** Absent: given up because another traversal failed. */
      readonly diagnostic?: Diagnostic;
      /** The service does not take the filter or its cursors: without a filter there may be a way. */
      readonly query?: boolean;
    };

export interface TraverseOptions {
  readonly api: Api;
  readonly progress: Progress;
  readonly limiter?: Limiter;
  /** Asked before every page. */
  readonly cancelled: () => boolean;
  /** Told of an item that cannot be read and is left out; without it such an item makes the whole traversal fail. */
  readonly leftOut?: (problem: Diagnostic) => void;
  /** Asked of every item: one that the filter should have left out makes the traversal fail. */
  readonly belongs?: (item: LiveResource) => boolean;
  /** What is kept of an item that belongs: the same, in less memory. */
  readonly compact?: (item: LiveResource) => LiveResource;
  /** Stops after the first page, at the end or not. */
  readonly onlyFirst?: boolean;
  /** A traversal that stopped before its end, to go on with. */
  readonly begun?: Traversal;
}

const MAX_CURSOR = 2_048;
/** Traversals of one shard before its cursors are given up. */
const STARTS = 3;
/** A service that goes on answering new cursors without new items would never end. */
const MAX_BARREN_PAGES = 10;
const MAX_PAGES = 50_000;
/** Refusals that have nothing to do with cursor or filter. */
const NOT_THE_QUERY: ReadonlySet<string> = new Set([
  'invalid_api_token',
  'insufficient_scope',
  'ip_not_allowed',
  'rate_limit_exceeded',
  'service_unavailable',
  'internal_error',
]);

/**
 * Reads all pages of a shard, 100 items each, cursors unchanged. What the service answers for an invalid cursor is not
 * shown: any refusal of a later page, and a cursor that leads in a circle, start the traversal again, a few times.
 */
export async function traverse(shard: Shard, options: TraverseOptions): Promise<TraverseResult> {
  let last: TraverseResult = { ok: false };
  for (let start = 0; start < STARTS; start += 1) {
    const result = await walk(shard, options, start === 0 ? options.begun : undefined);
    if (!('restart' in result)) return result;
    last = { ok: false, diagnostic: result.restart, query: true };
    options.progress.emit({ type: 'read-again', reason: result.restart.message });
  }
  return last;
}

type WalkResult = TraverseResult | { readonly restart: Diagnostic };

async function walk(
  shard: Shard,
  options: TraverseOptions,
  begun: Traversal | undefined,
): Promise<WalkResult> {
  const { collection } = shard;
  const what = `reading ${collection}`;
  const items = new Map(begun?.items);
  const seen = new Set<string>();
  let cursor = begun?.rest;
  let barren = 0;
  for (let pages = (begun?.pages ?? 0) + 1; pages <= MAX_PAGES; pages += 1) {
    if (options.cancelled()) return { ok: false };
    const outcome = await getPage(pagePath(shard, cursor), options);
    if (outcome.type !== 'ok') {
      const diagnostic = failureDiagnostic(outcome, what);
      const query = outcome.type === 'error' && blamesQuery(outcome);
      return cursor !== undefined && query ? { restart: diagnostic } : { ok: false, diagnostic, query };
    }
    const unreadable = (problem: string) => unreadableDiagnostic(what, problem, outcome.requestId);
    const known = items.size;
    const { leftOut, belongs, compact } = options;
    const skip = leftOut === undefined ? undefined : (problem: string) => leftOut(unreadable(problem));
    const wrong = collect(collection, outcome, items, { skip, belongs, compact });
    if (wrong !== undefined)
      return { ok: false, diagnostic: unreadable(wrong.problem), query: wrong.query ?? false };
    const next = nextCursor(collection, outcome);
    options.progress.emit({ type: 'read', collection, items: items.size, done: next.cursor === null });
    if (next.cursor === null) return { ok: true, traversal: { shard, items, pages } };
    if (next.cursor === undefined) return { ok: false, diagnostic: unreadable(next.problem) };
    if (options.onlyFirst === true) {
      return { ok: true, traversal: { shard, items, pages, rest: next.cursor } };
    }
    barren = items.size > known ? 0 : barren + 1;
    if (seen.has(next.cursor)) return { restart: unreadable('a cursor leads in a circle') };
    if (barren >= MAX_BARREN_PAGES) return { restart: unreadable('page after page without a new item') };
    seen.add(next.cursor);
    cursor = next.cursor;
  }
  return { ok: false, diagnostic: unreadableDiagnostic(what, `more than ${MAX_PAGES} pages`, undefined) };
}

async function getPage(path: string, { api, limiter }: TraverseOptions) {
  const release = await limiter?.acquire();
  try {
    return await api.get(path);
  } finally {
    release?.();
  }
}

function pagePath({ collection, filter }: Shard, cursor: string | undefined): string {
  const kind = kindOf(collection);
  // Labels take no parameters (interface, "Labels").
  if (kind.family === 'label') return kind.path;
  const query = Object.entries({
    limit: String(LIMITS.page),
    ...filter,
    ...(cursor === undefined ? {} : { cursor }),
  });
  return `${kind.path}?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

interface Collecting {
  readonly skip: ((problem: string) => void) | undefined;
  readonly belongs: TraverseOptions['belongs'] | undefined;
  readonly compact: TraverseOptions['compact'] | undefined;
}

/** Adds a page's items to the map; answers what is wrong with them, if anything. `skip` is told of an item that is wrong. */
function collect(
  collection: Collection,
  answer: Answer,
  items: Map<string, LiveResource>,
  { skip, belongs, compact = (item) => item }: Collecting,
): { readonly problem: string; readonly query?: boolean } | undefined {
  const page = answer.data?.items;
  if (!Array.isArray(page)) return { problem: 'no items' };
  for (const data of page) {
    const result = parseItem(collection, data);
    if (!result.ok) {
      if (skip === undefined) return { problem: result.problem };
      skip(result.problem);
      continue;
    }
    if (belongs?.(result.item) === false) {
      return { problem: 'an item that the filter leaves out', query: true };
    }
    const known = items.get(result.item.id);
    if (known === undefined || isLater(result.item, known)) items.set(result.item.id, compact(result.item));
  }
  return undefined;
}

/** Of two states of one item, read in this order, the second is the later one. Labels have no version. */
export function isLater(second: LiveResource, first: LiveResource): boolean {
  if (second.collection === 'label' || first.collection === 'label') return true;
  return second.version >= first.version;
}

type Next = { readonly cursor: string | null } | { readonly cursor: undefined; readonly problem: string };

function nextCursor(collection: Collection, answer: Answer): Next {
  const cursor = answer.data?.next_cursor;
  if (collection === 'label' && cursor === undefined) return { cursor: null };
  if (cursor === null) return { cursor };
  const fits = typeof cursor === 'string' && cursor !== '' && cursor.length <= MAX_CURSOR;
  if (fits && collection !== 'label') return { cursor };
  return { cursor: undefined, problem: 'next_cursor is not of the documented form' };
}

function blamesQuery(refusal: Refusal): boolean {
  return !NOT_THE_QUERY.has(refusal.code) && refusal.status < 500;
}
