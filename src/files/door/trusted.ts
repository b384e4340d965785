import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, parse } from 'node:path';
import { askGit } from '../git.ts';
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
  const places = [real, repositoryOf(real) ?? real];
  return safeDirectories(env).some((safe) => places.some((place) => covers(safe, place)));
}

function covers(safe: string, place: string): boolean {
  if (safe === '*') return true;
  if (!safe.endsWith('/*')) return realOf(safe) === place;
  const above = realOf(safe.slice(0, -2) || parse(place).root);
  return above !== undefined && above !== place && isInside(above, place);
}

/** Asked from the root of the file system, where nobody can have put a repository. An empty value takes back those before it. */
function safeDirectories(env: Environment): readonly string[] {
  const said = ['--system', '--global'].flatMap((scope) => {
    const args = ['config', scope, '--includes', '--type=path', '-z', '--get-all', 'safe.directory'];
    const answer = askGit(parse(process.cwd()).root, args, env);
    return answer.ok ? answer.stdout.toString('utf8').split('\0').slice(0, -1) : [];
  });
  return said.slice(said.lastIndexOf('') + 1);
}

/** The top of the repository that a folder lies in: `.git` is a file in a worktree and a submodule. */
export function repositoryOf(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (isTop(folder)) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** True for the top folder of a repository. */
export function isTop(folder: string): boolean {
  return lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
