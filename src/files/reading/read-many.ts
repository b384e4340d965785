import { type ReadResult, readManifests } from '../../manifest/read.ts';
import type { Source } from '../../manifest/source.ts';
import { MOST } from '../../model/bounds.ts';
import type { ReadCache } from './cache.ts';
import { HELPERS, type Helpers, readInParallel } from './parallel.ts';

export interface ReadManyOptions {
  /** Left out where nothing is kept. */
  readonly cache?: ReadCache | undefined;
  readonly helpers?: Helpers;
}

/** Reads the manifests of many files, those alone whose text was not read before. The result is that of `readManifests`. */
export async function readMany(
  sources: Iterable<Source>,
  { cache, helpers = HELPERS }: ReadManyOptions,
): Promise<(source: Source) => ReadResult> {
  const results = new Map<Source, ReadResult>();
  let problems = 0;
  function* unknown(): Iterable<Source> {
    for (const source of sources) {
      // What is read has more problems than are told: those of the rest are not looked for.
      if (problems > MOST.diagnostics) return;
      const known = cache?.find(source);
      if (known === undefined) yield source;
      else results.set(source, known);
    }
  }
  await readInParallel(unknown(), helpers, (source, result, record) => {
    results.set(source, result);
    problems += result.diagnostics.length;
    cache?.add(source, record());
  });
  cache?.save();
  return (source) => results.get(source) ?? readManifests(source);
}
