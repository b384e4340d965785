import type { CompileResult } from '../../desired/compile.ts';
import { readManifests } from '../../manifest/read.ts';
import { openCache, type ReadCache } from './cache.ts';
import type { Environment } from './cache-file.ts';
import type { CompileWork } from './compile-work.ts';
import { keyOf, resultOf, textsOf } from './compiled.ts';
import { openKept } from './kept.ts';
import { HELPERS, type Helpers } from './parallel.ts';
import { readMany } from './read-many.ts';

export interface CompileRequest {
  readonly projectDir: string;
  readonly env: Environment;
  /** Left out for those of this build and this machine. */
  readonly build?: string;
  readonly helpers?: Helpers;
}

/** Compiles the manifests of many files, or takes what an earlier run compiled of the same. */
export async function compileMany(
  work: CompileWork,
  { projectDir, env, build, helpers = HELPERS }: CompileRequest,
): Promise<CompileResult> {
  const kept = openKept([projectDir, ...work.variant], env, build);
  const key = kept === undefined ? '' : keyOf(work);
  const texts = kept?.find(key);
  if (texts !== undefined) {
    let cache: ReadCache | undefined;
    return resultOf(texts, work, (source) => {
      cache ??= openCache(projectDir, env, build);
      return cache?.find(source) ?? readManifests(source);
    });
  }
  const cache = openCache(projectDir, env, build);
  const read = await readMany(work.sources, { cache, helpers });
  const result = work.compile(read);
  // A first run has enough to do.
  if (result.state !== undefined && cache?.complete === true && !work.askedElsewhere())
    kept?.save(key, textsOf(work, read, result, result.state));
  return result;
}
