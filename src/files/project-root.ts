import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { ProjectRoot } from '../render/formats/finding.ts';
import { findUpward, PROJECT_FILE } from './project.ts';

export interface ProjectRootRequest {
  readonly cwd: string;
  /** `--project`. */
  readonly projectFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where GitHub and GitLab put a repository; asked where there is no `.git`, as in a container that got the files alone. */
const CHECKOUTS = ['GITHUB_WORKSPACE', 'CI_PROJECT_DIR'];

/** Where a project lies in its repository: found by `.git` in a folder above, links resolved. Never fails. */
export function projectRoot({ cwd, projectFile, env }: ProjectRootRequest): ProjectRoot {
  const path = projectFile === undefined ? findUpward(cwd) : resolve(cwd, projectFile);
  const folder = real(path === undefined ? cwd : dirname(path));
  const checkout = repositoryOf(folder) ?? CHECKOUTS.flatMap((name) => checkoutAbove(env[name], folder))[0];
  return {
    folder: checkout === undefined ? '' : relative(checkout, folder).replaceAll(sep, '/'),
    projectFile: path === undefined ? PROJECT_FILE : basename(path),
  };
}

export interface RepositoryPlace {
  /** The top folder of the repository; without one the folder itself. */
  readonly top: string;
  /** The way from there to the folder, with forward slashes; empty where it is the top itself. */
  readonly inside: string;
}

/** Where a folder that is there lies in its repository, links resolved. */
export function repositoryPlace(folder: string): RepositoryPlace {
  const there = real(folder);
  const top = repositoryOf(there);
  if (top === undefined || top === there) return { top: folder, inside: '' };
  return { top, inside: relative(top, there).replaceAll(sep, '/') };
}

/** `.git` is a file in a worktree and a submodule. */
function repositoryOf(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

function checkoutAbove(named: string | undefined, folder: string): readonly string[] {
  if (named === undefined || named === '') return [];
  const checkout = real(named);
  const way = relative(checkout, folder);
  return way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way ? [] : [checkout];
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
