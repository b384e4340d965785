import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import { type Collection, isTaskCollection, LIMITS } from '../../model/kind.ts';
import type { LiveResource } from '../../model/resource.ts';
import { type Traversal, type TraverseOptions, type TraverseResult, traverse } from '../resources/pages.ts';
import { partsOf, readInParts } from './parts.ts';

/** Fewer parts than this save less time than they cost, except for an account that is so many times as large. */
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

/** The items of the traversals. */
export function itemsOf(traversals: ReadonlyMap<Collection, Traversal>): readonly LiveResource[] {
  return [...traversals.values()]
    .flatMap(({ items }) => [...items.values()])
    .sort((a, b) => compareTexts(a.id, b.id));
}
