import { readManifests } from '../../manifest/read.ts';
import { builtFile } from './build.ts';
import { openCache, type ReadCache } from './cache.ts';
import type { Environment } from './cache-file.ts';
import type { Compiled, CompileWork } from './compile-work.ts';
import { keyOf, partsOf, resultOf } from './compiled.ts';
import { hashOfTexts } from './files-hash.ts';
import { hashInThread } from './hash-in-thread.ts';
import { type Kept, openKept } from './kept.ts';
import { HELPERS, type Helpers } from './parallel.ts';
import { readMany } from './read-many.ts';

export interface CompileRequest {
  readonly projectDir: string;
  readonly env: Environment;
  /** Left out for those of this build and this machine. */
  readonly build?: string;
  readonly helpers?: Helpers;
}

/** Files that are read sooner than the cache of all of them. */
const FEW = 8;

/** Compiles the manifests of many files, or takes what an earlier run compiled of the same. */
export async function compileMany(work: CompileWork, request: CompileRequest): Promise<Compiled> {
  const { projectDir, env, build, helpers = HELPERS } = request;
  const kept = openKept([projectDir, ...work.variant], env, build);
  const known = kept && (await findKept(kept, work, request));
  if (known !== undefined) return known;
  const cache = openCache(projectDir, env, build);
  const files = work.files.reading;
  const read = await readMany(files, { cache, helpers });
  const result = { ...work.compile(files, read), read: files };
  // A first run has enough to do.
  if (result.state !== undefined && cache?.complete === true && !work.askedElsewhere())
    kept?.save(keyOf(work, hashOfTexts(files.sources)), partsOf(result, read, result.state));
  return result;
}

/** What was kept, if all that it rests on is the same to the letter. Files on disk are hashed while it is read, and not kept in memory. */
async function findKept(
  kept: Kept,
  work: CompileWork,
  { projectDir, env, build }: CompileRequest,
): Promise<Compiled | undefined> {
  if (!kept.exists()) return undefined;
  const { folder, names } = work.files;
  const hashing =
    folder === undefined
      ? hashOfTexts(work.files.readAll().sources)
      : hashInThread({ folder, names }, builtFile('hash-thread.cjs'));
  const found = kept.read();
  const hash = await hashing;
  if (found === undefined || hash === undefined || found.key !== keyOf(work, hash)) return undefined;
  kept.touch();
  let cache: ReadCache | undefined;
  let few = FEW;
  return resultOf(found.parts, work, (source) => {
    few -= 1;
    if (few >= 0) return readManifests(source);
    cache ??= openCache(projectDir, env, build);
    return cache?.find(source) ?? readManifests(source);
  });
}
