import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { type Collection, kindOf, LIMITS } from '../../model/kind.ts';
import type { LiveResource } from '../../model/resource.ts';
import type { Answer, Api, Outcome, Refusal } from '../../ports/api.ts';
import type { Limiter } from '../../ports/limiter.ts';
import type { Progress } from '../../ports/output.ts';
import { failureDiagnostic, isCredentialError, unreadableDiagnostic } from './failure.ts';
import { type ParseOptions, parseResource } from './resource.ts';

/** One traversal with a cursor: of a collection, or of the part that `filter` selects. */
export interface Part {
  readonly collection: Collection;
  /** Query parameters beside `limit` and `cursor`; the same on all pages. */
  readonly filter: Readonly<Record<string, string>>;
}

export interface Traversal {
  readonly part: Part;
  /** Items by id; if an item was read in several versions, the highest. */
  readonly items: ReadonlyMap<string, LiveResource>;
  readonly pages: number;
  /** For a traversal that stopped before its end: the cursor of the next page. */
  readonly rest?: string;
  /** For a traversal made from parts: an item that belongs to one part was in two. */
  readonly overlap?: boolean;
}

export type TraverseResult =
  | { readonly ok: true; readonly traversal: Traversal }
  | TraverseFailure
  /** Cancelled. */
  | { readonly ok: false; readonly diagnostic?: undefined };

interface TraverseFailure {
  readonly ok: false;
  readonly diagnostic: Diagnostic;
  /** The answer that could not be used. */
  readonly outcome: Outcome;
  /** The service refuses the filter or its cursors: without a filter it may work. */
  readonly query?: boolean;
}

export interface TraverseOptions {
  readonly api: Pick<Api, 'get'>;
  readonly progress?: Progress;
  readonly limiter?: Limiter;
  /** Asked before every page. */
  readonly cancelled?: () => boolean;
  readonly parse?: ParseOptions;
  /** Called for an item that cannot be read and is left out; without it, such an item makes the traversal fail. */
  readonly leftOut?: (problem: Diagnostic) => void;
  /** Is told the items of each page as the page comes. An item may come twice. */
  readonly came?: (items: readonly LiveResource[]) => void;
  /** Called for every item: an item that the filter should have excluded makes the traversal fail. */
  readonly belongs?: (item: LiveResource) => boolean;
  /** The form in which an item is kept: the same data, in less memory. */
  readonly compact?: (item: LiveResource) => LiveResource;
  /** Stops after the first page, at the end or not. */
  readonly onlyFirst?: boolean;
  /** A traversal that stopped before its end, to go on with. */
  readonly begun?: Traversal;
}

const MAX_CURSOR = 2_048;
/** Traversals of one part before its cursors are given up. */
const STARTS = 3;
/** Otherwise a service that returns new cursors without new items would never end. */
const MAX_BARREN_PAGES = 10;
const MAX_PAGES = 50_000;
/** Refusals that are not about cursor or filter, besides those about the credential. */
const NOT_THE_QUERY: ReadonlySet<string> = new Set([
  'rate_limit_exceeded',
  'service_unavailable',
  'internal_error',
]);

/**
 * Reads all pages of a part, 100 items each, with unchanged cursors. It is not documented what the service returns for
 * an invalid cursor: after any refusal of a later page, and after a cursor that repeats, the traversal starts again, a
 * few times.
 */
export async function traverse(part: Part, options: TraverseOptions): Promise<TraverseResult> {
  let result = await walk(part, options, options.begun);
  for (let start = 2; 'restart' in result; start += 1) {
    const { diagnostic } = result.restart;
    options.progress?.emit({ type: 'read-again', reason: diagnostic.message });
    if (start > STARTS) return result.restart;
    result = await walk(part, options, undefined);
  }
  return result;
}

type WalkResult = TraverseResult | { readonly restart: TraverseFailure };

async function walk(part: Part, options: TraverseOptions, begun: Traversal | undefined): Promise<WalkResult> {
  const { collection } = part;
  const what = `reading ${collection}`;
  const items = new Map(begun?.items);
  const seen = new Set<string>();
  let cursor = begun?.rest;
  let barren = 0;
  for (let pages = (begun?.pages ?? 0) + 1; ; pages += 1) {
    if (options.cancelled?.()) return { ok: false };
    const outcome = await getPage(pagePath(part, cursor), options);
    if (outcome.type !== 'ok') {
      const query = outcome.type === 'error' && blamesQuery(outcome);
      const failure = { ok: false, diagnostic: failureDiagnostic(outcome, what), outcome, query } as const;
      return cursor !== undefined && query ? { restart: failure } : failure;
    }
    const unreadable = (problem: string) => unreadableDiagnostic(what, problem, outcome.requestId);
    const fail = (problem: string, query = false): TraverseFailure => ({
      ok: false,
      diagnostic: unreadable(problem),
      outcome,
      query,
    });
    const known = items.size;
    const wrong = collect(collection, outcome, items, options, unreadable);
    if (wrong !== undefined) return fail(wrong.problem, wrong.query);
    const next = nextCursor(collection, outcome);
    options.progress?.emit({ type: 'read', collection, items: items.size, done: next === null });
    if (next === null) return { ok: true, traversal: { part, items, pages } };
    if (next === undefined) return fail('next_cursor is not of the documented form');
    if (options.onlyFirst) return { ok: true, traversal: { part, items, pages, rest: next } };
    barren = items.size > known ? 0 : barren + 1;
    if (seen.has(next)) return { restart: fail('the cursors form a loop', true) };
    if (barren >= MAX_BARREN_PAGES) return { restart: fail('page after page without a new item', true) };
    if (pages >= MAX_PAGES) return fail(`more than ${MAX_PAGES} pages`);
    seen.add(next);
    cursor = next;
  }
}

async function getPage(path: string, { api, limiter }: TraverseOptions) {
  const release = await limiter?.acquire();
  try {
    return await api.get(path);
  } finally {
    release?.();
  }
}

function pagePath({ collection, filter }: Part, cursor: string | undefined): string {
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

/** Adds a page's items to the map; returns the problem with them, if there is one. */
function collect(
  collection: Collection,
  answer: Answer,
  items: Map<string, LiveResource>,
  { parse, leftOut, belongs, came, compact = (item) => item }: TraverseOptions,
  unreadable: (problem: string) => Diagnostic,
): { readonly problem: string; readonly query?: boolean } | undefined {
  const page = answer.data?.items;
  if (!Array.isArray(page)) return { problem: 'no items' };
  const read: LiveResource[] = [];
  for (const data of page) {
    const parsed = parseResource(collection, data, parse);
    if (!parsed.ok) {
      if (leftOut === undefined) return parsed;
      leftOut(unreadable(parsed.problem));
      continue;
    }
    const { resource } = parsed;
    if (belongs?.(resource) === false)
      return { problem: 'an item that the filter should exclude', query: true };
    read.push(resource);
    const known = items.get(resource.id);
    if (known === undefined || isLater(resource, known)) items.set(resource.id, compact(resource));
  }
  came?.(read);
  return undefined;
}

/** True if the second of two states, read in this order, is the later one. Labels have no version. */
export function isLater(second: LiveResource, first: LiveResource): boolean {
  if (second.collection === 'label' || first.collection === 'label') return true;
  return second.version >= first.version;
}

/** The cursor of the next page; null after the last; undefined if it does not have the documented form. */
function nextCursor(collection: Collection, answer: Answer): string | null | undefined {
  const cursor = answer.data?.next_cursor;
  if (collection === 'label') return cursor === undefined || cursor === null ? null : undefined;
  if (cursor === null) return null;
  return typeof cursor === 'string' && cursor !== '' && cursor.length <= MAX_CURSOR ? cursor : undefined;
}

function blamesQuery(refusal: Refusal): boolean {
  return !isCredentialError(refusal.code) && !NOT_THE_QUERY.has(refusal.code) && refusal.status < 500;
}
