import { isAbsolute, parse } from 'node:path';
import { safeFolders } from '../git-commands.ts';
import type { Environment } from '../git-program.ts';
import { askOutside } from '../git-start.ts';
import { repositoryOf } from '../repository.ts';
import { isInside, realPathOf } from './location.ts';

/**
 * The variables in which GitHub and GitLab name the checkout. It often belongs to another user than the job's, and is created
 * with umask 0.
 */
const CHECKOUTS = ['GITHUB_WORKSPACE', 'CI_PROJECT_DIR'];

/** The real paths of the checkouts that the CI system names. */
export function checkoutsOf(env: Environment): readonly string[] {
  return CHECKOUTS.flatMap((name) => {
    const path = env[name] ?? '';
    return isAbsolute(path) ? (realPathOf(path) ?? []) : [];
  });
}

/**
 * True if the user allowed this folder to have another owner: it lies in the checkout that the CI system names, or it or its
 * repository is a `safe.directory` in the git settings of the user or the system (by its path, as `*`, or below a path that
 * ends in `/*`). As in git, settings in a repository do not count.
 */
export function isTrusted(folder: string, env: Environment): boolean {
  const real = realPathOf(folder);
  if (real === undefined) return false;
  if (checkoutsOf(env).some((checkout) => isInside(checkout, real))) return true;
  const repository = repositoryOf(real) ?? real;
  const places = [real, repository];
  return safeDirectories(repository, env).some((safe) => places.some((place) => covers(safe, place)));
}

function covers(safe: string, place: string): boolean {
  if (safe === '*') return true;
  if (!safe.endsWith('/*')) return realPathOf(safe) === place;
  const above = realPathOf(safe.slice(0, -2) || parse(place).root);
  return above !== undefined && above !== place && isInside(above, place);
}

/** An empty value cancels the values before it. */
function safeDirectories(repository: string, env: Environment): readonly string[] {
  const answer = askOutside(safeFolders, repository, env);
  const said = answer.ok ? answer.text.split('\0').slice(0, -1) : [];
  return said.slice(said.lastIndexOf('') + 1);
}
