import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { TaskCollection } from '../../model/kind.ts';
import { type Collection, isTaskCollection, LIMITS } from '../../model/kind.ts';
import { isTask, type LiveResource } from '../../model/resource.ts';
import { type Progress, SILENT } from '../../ports/output.ts';
import {
  isLater,
  type Part,
  type Traversal,
  type TraverseOptions,
  type TraverseResult,
  traverse,
} from '../resources/pages.ts';

/** With fewer parts, reading in parts costs more time than it saves, unless the account is this many times as large. */
const FEW = { parts: 8, times: 3 };

/**
 * Reads the collections in parallel into `traversals`. Returns a failure, after which no further page is requested.
 * `large`: how many tasks there are, and from how many on they may be read in parts; undefined: one traversal for each
 * collection.
 */
export async function readCollections(
  collections: readonly Collection[],
  traversals: Map<Collection, Traversal>,
  options: Pick<TraverseOptions, 'api' | 'progress' | 'limiter' | 'compact'>,
  large: { readonly tasks: number; readonly from: number } | undefined,
): Promise<Diagnostic | undefined> {
  let failure: Diagnostic | undefined;
  const shared: TraverseOptions = { ...options, cancelled: () => failure !== undefined };
  const keep = async (collection: Collection, reading: Promise<TraverseResult>) => {
    const result = await reading;
    if (result.ok) traversals.set(collection, result.traversal);
    else failure ??= result.diagnostic;
  };
  const read = (collection: Collection, also: Partial<TraverseOptions> = {}) =>
    keep(collection, traverse({ collection, filter: {} }, { ...shared, ...also }));

  if (large === undefined) {
    await Promise.all(collections.map((collection) => read(collection)));
    return failure;
  }
  const kinds = collections.filter(isTaskCollection);
  const templates = collections.filter(
    (collection) => !isTaskCollection(collection) && collection !== 'label',
  );
  const rest = templates.map((collection) => read(collection));
  // The possible parts are known with the labels, and how many are worthwhile with the first pages: both are requested
  // together.
  const openings = kinds.map((collection) => read(collection, { onlyFirst: true }));
  const labels = collections.filter((collection) => collection === 'label').map((label) => read(label));
  await Promise.all([...openings, ...labels]);
  const long = kinds.filter((kind) => traversals.get(kind)?.rest !== undefined);
  const pages = Math.ceil(large.tasks / LIMITS.page / Math.max(1, long.length));
  const labelIds = [...(traversals.get('label')?.items.keys() ?? [])];
  const inParts = long.flatMap((kind) => {
    const opening = traversals.get(kind);
    if (opening === undefined) return [];
    const parts = partsOf(kind, labelIds, pages);
    const worth = parts.length >= FEW.parts || large.tasks >= large.from * FEW.times;
    return [keep(kind, readInParts(opening, worth ? parts : [], shared))];
  });
  await Promise.all([...inParts, ...rest]);
  return failure;
}

export function itemsOf(traversals: ReadonlyMap<Collection, Traversal>): readonly LiveResource[] {
  return [...traversals.values()]
    .flatMap(({ items }) => [...items.values()])
    .sort((a, b) => compareTexts(a.id, b.id));
}

/**
 * The parts in which a kind's tasks are read in parallel: by label and status, by label, or by status. The division is as fine as
 * possible without more requests than the kind is expected to have pages, because a part costs at most one request more. None if
 * it is not worth it. Each task is in exactly one part of each division, as long as nothing moves (interface, "List query
 * parameters").
 */
export function partsOf(
  collection: TaskCollection,
  labels: readonly string[],
  pages: number,
): readonly Part[] {
  const byLabel = labels.length === 0 ? [] : [...labels, 'unlabeled'].map((label_id) => ({ label_id }));
  const byStatus = [{ status: 'active' }, { status: 'paused' }];
  const byBoth = byLabel.flatMap((label) => byStatus.map((status) => ({ ...label, ...status })));
  const filters = [byBoth, byLabel, byStatus].find(({ length }) => length > 0 && length <= pages) ?? [];
  return filters.map((filter) => ({ collection, filter }));
}

/**
 * Reads the rest of a collection in parts, in parallel. Reads one traversal, continuing the opening, if there are no parts, or if
 * the service refuses or ignores a filter (a label that was deleted in the meantime is a `404`).
 *
 * The proof by `quota.used` (proof.ts) holds for parts as for one traversal, because it depends on what was found and not on how
 * it was requested. Let S be the tasks when the service counted them before the reading, and F the tasks that were found:
 *
 * 1. A task in F but not in S was created later, so its `updated_at` is not before that moment. The proof allows no such task.
 * 2. So F is a subset of S, and as large (the count): F is S. No task is missing.
 * 3. The `updated_at` of a task that was written later shows that too. So each task was found as it was at that moment. If the
 *    service changes a task without touching that time, the state is from some moment of the reading, as in one traversal.
 *
 * Parts add further ways to miss a task: it moves from a part that was not read yet into one that was, its label was created after
 * the list of labels or is missing in it, or a filter has another meaning than assumed. Each way makes F too small, or lets a
 * later task in. A task in two parts has moved, and the later state is unknown: `overlap`, which is no proof.
 *
 * Without the count, nothing would show these misses: two readings in the same parts can miss the same task. So parts are only for
 * accounts that the quota can prove, and an unproven reading in parts is followed by one traversal of each collection.
 */
async function readInParts(
  opening: Traversal,
  parts: readonly Part[],
  options: TraverseOptions,
): ReturnType<typeof traverse> {
  const inOne = () => traverse(opening.part, { ...options, begun: opening });
  if (parts.length === 0) return inOne();
  let failed = false;
  const cancelled = () => failed || options.cancelled?.() === true;
  const { progress = SILENT } = options;
  const ofPart = inSum(opening, progress);
  const results = await Promise.all(
    parts.map(async (part, index) => {
      const belongs = (item: LiveResource) => isWithin(part, item);
      const result = await traverse(part, { ...options, cancelled, belongs, progress: ofPart(index) });
      failed ||= !result.ok;
      return result;
    }),
  );
  const found = results.flatMap((result) => (result.ok ? [result.traversal] : []));
  if (found.length === parts.length) {
    const traversal = merge(opening, found);
    const { collection } = opening.part;
    progress.emit({ type: 'read', collection, items: traversal.items.size, done: true });
    return { ok: true, traversal };
  }
  const failures = results.flatMap((result) =>
    result.ok || result.diagnostic === undefined ? [] : [result],
  );
  const [first] = failures;
  const fatal = failures.find(({ query }) => query !== true);
  if (first === undefined || fatal !== undefined) return fatal ?? { ok: false };
  progress.emit({ type: 'read-again', reason: `${first.diagnostic.message}; now without parallel parts` });
  return inOne();
}

function isWithin({ filter }: Part, item: LiveResource): boolean {
  if (!isTask(item)) return false;
  const { status, label_id } = filter;
  return (
    (status === undefined || item.is_active === (status === 'active')) &&
    (label_id === undefined || item.risk_label_id === (label_id === 'unlabeled' ? null : label_id))
  );
}

function merge(opening: Traversal, parts: readonly Traversal[]): Traversal {
  const items = new Map(opening.items);
  const seen = new Set<string>();
  let overlap = false;
  for (const part of parts) {
    for (const [id, item] of part.items) {
      overlap ||= seen.has(id);
      seen.add(id);
      // The opening was read before all parts, so at the same version a part has the later state.
      const known = items.get(id);
      if (known === undefined || isLater(item, known)) items.set(id, item);
    }
  }
  const pages = parts.reduce((sum, part) => sum + part.pages, opening.pages);
  return { part: opening.part, items, pages, overlap };
}

/** Progress of the parts, reported as the progress of the collection. */
function inSum({ items }: Traversal, progress: Progress): (index: number) => Progress {
  const counts: number[] = [];
  return (index) => ({
    emit(event) {
      if (event.type !== 'read') return progress.emit(event);
      counts[index] = event.items;
      const sum = counts.reduce((total, count) => total + count, 0);
      progress.emit({ ...event, items: Math.max(sum, items.size), done: false });
    },
  });
}
