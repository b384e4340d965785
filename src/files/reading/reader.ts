import { type ReadResult, readManifests } from '../../manifest/read.ts';
import type { Source } from '../../manifest/source.ts';
import { lengthOf } from './length.ts';

/** Reads the manifests of files beforehand, many at once, and gives those of each. */
export type Reader = (sources: readonly Source[]) => Promise<(source: Source) => ReadResult>;

/** Characters. Below this, looking for what was read before costs more than reading. */
const MANY = 256 * 1024;

/** Small projects are read file by file; large ones by several threads, and from the cache what was read before. */
export function readerFor(projectDir: string, env: Readonly<Record<string, string | undefined>>): Reader {
  return async (sources) => {
    if (lengthOf(sources) < MANY) return readManifests;
    const [{ readMany }, { openCache }] = await Promise.all([import('./read-many.ts'), import('./cache.ts')]);
    return readMany(sources, { cache: openCache(projectDir, env) });
  };
}
