import { realpathSync } from 'node:fs';
import { isAbsolute, parse } from 'node:path';
import { safeFolders } from '../git-commands.ts';
import { askOutside } from '../git-start.ts';
import { repositoryOf } from '../repository.ts';
import { isInside } from './location.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where GitHub and GitLab put a repository: often as another user than the one that the job runs as, and with umask 0. */
const CHECKOUTS = ['GITHUB_WORKSPACE', 'CI_PROJECT_DIR'];

/** The real paths of the checkouts that the CI system names. */
export function checkoutsOf(env: Environment): readonly string[] {
  return CHECKOUTS.flatMap((name) => {
    const path = env[name] ?? '';
    return isAbsolute(path) ? (realOf(path) ?? []) : [];
  });
}

/**
 * True where whoever runs the program has said that a folder may be another user's: it lies in the checkout that the CI
 * system names, or it or its repository is a `safe.directory` of the user's or the system's git settings: by its path, as `*`, or
 * below a path that ends in `/*`. Settings in a repository do not count, as they do not for git.
 */
export function isTrusted(folder: string, env: Environment): boolean {
  const real = realOf(folder);
  if (real === undefined) return false;
  if (checkoutsOf(env).some((checkout) => isInside(checkout, real))) return true;
  const repository = repositoryOf(real) ?? real;
  const places = [real, repository];
  return safeDirectories(repository, env).some((safe) => places.some((place) => covers(safe, place)));
}

function covers(safe: string, place: string): boolean {
  if (safe === '*') return true;
  if (!safe.endsWith('/*')) return realOf(safe) === place;
  const above = realOf(safe.slice(0, -2) || parse(place).root);
  return above !== undefined && above !== place && isInside(above, place);
}

/** An empty value takes back those before it. */
function safeDirectories(repository: string, env: Environment): readonly string[] {
  const answer = askOutside(safeFolders, repository, env);
  const said = answer.ok ? answer.stdout.toString('utf8').split('\0').slice(0, -1) : [];
  return said.slice(said.lastIndexOf('') + 1);
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
