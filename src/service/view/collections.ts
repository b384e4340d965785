import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { type Collection, kindOf, LIMITS, type TaskCollection } from '../../model/kind.ts';
import type { LiveResource } from '../../model/resource.ts';
import type { Api } from '../../ports/api.ts';
import type { Limiter } from '../../ports/limiter.ts';
import { type Progress, SILENT } from '../../ports/output.ts';
import { type Traversal, type TraverseOptions, type TraverseResult, traverse } from '../resources/pages.ts';
import { partsOf, readInParts } from './parts.ts';

interface Reading {
  readonly api: Api;
  readonly limiter?: Limiter;
  readonly progress?: Progress;
  readonly compact?: (item: LiveResource) => LiveResource;
}

/**
 * Reads the collections side by side into `traversals`; after a failure no further page is asked for, and it is returned.
 * `tasks`: how many there are, where they may be read in parts; undefined: one traversal a collection.
 */
export async function readCollections(
  collections: readonly Collection[],
  traversals: Map<Collection, Traversal>,
  { api, limiter, compact, progress = SILENT }: Reading,
  tasks: number | undefined,
): Promise<Diagnostic | undefined> {
  let failure: Diagnostic | undefined;
  const cancelled = () => failure !== undefined;
  const shared = {
    api,
    progress,
    cancelled,
    ...(limiter === undefined ? {} : { limiter }),
    ...(compact === undefined ? {} : { compact }),
  };
  const keep = async (collection: Collection, reading: Promise<TraverseResult>) => {
    const result = await reading;
    if (result.ok) traversals.set(collection, result.traversal);
    else failure ??= result.diagnostic;
  };
  const read = (collection: Collection, options: TraverseOptions = shared) =>
    keep(collection, traverse({ collection, filter: {} }, options));

  if (tasks === undefined) {
    await Promise.all(collections.map((collection) => read(collection)));
    return failure;
  }
  const kinds = collections.filter(isTask);
  const templates = collections.filter((collection) => !isTask(collection) && collection !== 'label');
  const rest = templates.map((collection) => read(collection));
  // What parts there are is known with the labels, and how many are worth it with the first pages: asked for together.
  const openings = kinds.map((collection) => read(collection, { ...shared, onlyFirst: true }));
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

function isTask(collection: Collection): collection is TaskCollection {
  return kindOf(collection).family === 'task';
}
