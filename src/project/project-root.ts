import { basename, dirname, relative, resolve, sep } from 'node:path';
import type { ProjectRoot } from '../render/formats/finding.ts';
import { isInside, realPathOf } from './door/location.ts';
import { checkoutsOf } from './door/trusted.ts';
import { findUpward, PROJECT_FILE } from './find-project.ts';
import { type RepositoryPlace, repositoryOf } from './repository.ts';

interface ProjectRootRequest {
  readonly cwd: string;
  /** `--project`. */
  readonly projectFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where a project lies in its repository: found by `.git` in a folder above, with links resolved. Never fails. */
export function projectRoot({ cwd, projectFile, env }: ProjectRootRequest): ProjectRoot {
  const path = projectFile === undefined ? findUpward(cwd) : resolve(cwd, projectFile);
  const start = path === undefined ? cwd : dirname(path);
  const folder = realPathOf(start) ?? resolve(start);
  // Without `.git`, for example in a container with only the files, the CI system may name the checkout.
  const checkout = repositoryOf(folder) ?? checkoutsOf(env).find((one) => isInside(one, folder));
  return {
    folder: checkout === undefined ? '' : relative(checkout, folder).replaceAll(sep, '/'),
    projectFile: path === undefined ? PROJECT_FILE : basename(path),
  };
}

/**
 * Where an existing folder lies in its repository, with links resolved: the top folder (without a repository the folder
 * itself), and the path from there.
 */
export function repositoryPlace(folder: string): Pick<RepositoryPlace, 'top' | 'inside'> {
  const there = realPathOf(folder) ?? resolve(folder);
  const top = repositoryOf(there);
  if (top === undefined || top === there) return { top: folder, inside: '' };
  return { top, inside: relative(top, there).replaceAll(sep, '/') };
}
