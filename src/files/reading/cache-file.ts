import { hash } from 'node:crypto';
import { join } from 'node:path';
import { BUILD } from './build.ts';
import { cacheFolder, isOwnFolder } from './cache-folder.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A file of the cache, and by what it is made. */
export interface CacheFile {
  readonly path: string;
  readonly made: string;
}

/**
 * The file for what the words name; undefined where the user wants no cache or the system gives none. What it holds is good for
 * one build on one Node alone: what letters are and how they are composed changes with Unicode.
 */
export function cacheFile(words: readonly string[], env: Environment, build = BUILD): CacheFile | undefined {
  const folder = build === undefined ? undefined : cacheFolder(env);
  if (folder === undefined || !isOwnFolder(folder)) return undefined;
  const made = `${build} ${process.version} ${process.arch}`;
  return { path: join(folder, `${hash('sha256', [made, ...words].join('\n')).slice(0, 32)}.pack`), made };
}
