import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../door/location.ts';
import { follow } from '../door/straying.ts';
import { repositoryOf } from '../repository.ts';
import { BUILD } from './build.ts';
import { cacheFolder, isOwnFolder } from './cache-folder.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A file of the cache, and by what it is made. */
export interface CacheFile {
  readonly path: string;
  readonly made: string;
}

/**
 * The file for what the words name, the project's folder first; undefined where the user wants no cache or the system gives none,
 * and where that would lie in the project's repository, or behind a link of a repository: what is there can have come with
 * a commit instead of an earlier run. What it holds is good for
 * one build on one Node alone: what letters are and how they are composed changes with Unicode.
 */
export function cacheFile(
  words: readonly [projectDir: string, ...more: string[]],
  env: Environment,
  build = BUILD,
): CacheFile | undefined {
  const folder = build === undefined ? undefined : cacheFolder(env);
  if (folder === undefined || isOfRepository(folder, words[0]) || !isOwnFolder(folder)) return undefined;
  const made = `${build} ${process.version} ${process.arch}`;
  return { path: join(folder, `${hash('sha256', [made, ...words].join('\n')).slice(0, 32)}.pack`), made };
}

function isOfRepository(folder: string, projectDir: string): boolean {
  try {
    const led = follow(folder);
    const project = realpathSync.native(projectDir);
    return !('real' in led) || isInside(repositoryOf(project) ?? project, led.real);
  } catch {
    return true;
  }
}
