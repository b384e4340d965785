import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { type Collection, isTaskCollection, LIMITS } from '../../model/kind.ts';
import type { LiveResource } from '../../model/resource.ts';
import { type Traversal, type TraverseOptions, type TraverseResult, traverse } from '../resources/pages.ts';
import { partsOf, readInParts } from './parts.ts';

/**
 * Reads the collections side by side into `traversals`; after a failure no further page is asked for, and it is returned.
 * `tasks`: how many there are, where they may be read in parts; undefined: one traversal a collection.
 */
export async function readCollections(
  collections: readonly Collection[],
  traversals: Map<Collection, Traversal>,
  options: Pick<TraverseOptions, 'api' | 'progress' | 'limiter' | 'compact'>,
  tasks: number | undefined,
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

  if (tasks === undefined) {
    await Promise.all(collections.map((collection) => read(collection)));
    return failure;
  }
  const kinds = collections.filter(isTaskCollection);
  const templates = collections.filter(
    (collection) => !isTaskCollection(collection) && collection !== 'label',
  );
  const rest = templates.map((collection) => read(collection));
  // What parts there are is known with the labels, and how many are worth it with the first pages: asked for together.
  const openings = kinds.map((collection) => read(collection, { onlyFirst: true }));
  const labels = collections.filter((collection) => collection === 'label').map((label) => read(label));
  await Promise.all([...openings, ...labels]);
  const large = kinds.filter((kind) => traversals.get(kind)?.rest !== undefined);
  const pages = Math.ceil(tasks / LIMITS.page / Math.max(1, large.length));
  const labelIds = [...(traversals.get('label')?.items.keys() ?? [])];
  const inParts = large.flatMap((kind) => {
    const opening = traversals.get(kind);
    if (opening === undefined) return [];
    return [keep(kind, readInParts(opening, partsOf(kind, labelIds, pages), shared))];
  });
  await Promise.all([...inParts, ...rest]);
  return failure;
}

/** What the traversals found, by id. */
export function itemsOf(traversals: ReadonlyMap<Collection, Traversal>): readonly LiveResource[] {
  return [...traversals.values()]
    .flatMap(({ items }) => [...items.values()])
    .sort((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0));
}
