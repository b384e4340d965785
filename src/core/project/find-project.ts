import { readFileSync, type Stats, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type Diagnostic, problem } from '../diagnostics/diagnostic.ts';
import type { ProjectRoot } from '../render/finding.ts';
import { isInside, isThere, realPathOf } from './door/location.ts';
import { othersMayUse, userOf, whyNotOurs } from './door/owner.ts';
import { follow } from './door/straying.ts';
import { checkoutsOf, isTrusted } from './door/trusted.ts';
import { unreadableFile } from './read-file.ts';
import { isTop, type RepositoryPlace, repositoryOf } from './repository.ts';

export const PROJECT_FILE = 'tradeform.yaml';
export const FLEET_FILE = 'fleet.yaml';

export interface ProjectPlace {
  readonly cwd: string;
  /** `--project`: the file itself. Without it, the file is searched upward from `cwd`. */
  readonly projectFile?: string | undefined;
  /** The process environment: `${env.NAME}`, the user's git settings, SUDO_UID, and the checkout folder of a CI system. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface FoundProject {
  /** Absolute. */
  readonly projectDir: string;
  /** The file name in that folder. */
  readonly projectFile: string;
}

/**
 * Finds the project before anything in it is read: the file that `--project` names, or the nearest `tradeform.yaml` in `cwd` or
 * a folder above, up to the top of the repository (the first folder with `.git`). Undefined if there is none.
 *
 * Refuses with `file-outside-project` a folder that is reached through a link out of its repository or project. The project
 * file itself is read through the door of its folder, which refuses such links as well.
 *
 * Refuses with `project-not-yours` a file that `--project` does not name, if the file or its folder belongs to anybody but the
 * user, root or the caller of `sudo`, or if others may write it (`whyNotOurs`). The project file decides where the token is
 * sent and what is traded, and everybody can put one into /tmp, above the folders of other users. As in git, a folder that the
 * user trusts is accepted (`isTrusted`), and so is a file that the user names. Neither exception applies to links.
 */
export function findProject({
  cwd,
  projectFile,
  env = {},
}: ProjectPlace): FoundProject | { readonly problem: Diagnostic } | undefined {
  const path = projectFile === undefined ? findUpward(cwd) : resolve(cwd, projectFile);
  if (path === undefined) return undefined;
  const found = { projectDir: dirname(path), projectFile: basename(path) };
  const refused = strays(found) ?? (projectFile === undefined ? othersFile(path, env) : undefined);
  return refused === undefined ? found : { problem: refused };
}

/** The project file in a folder, or in the nearest folder above within the repository. Its owner is not checked. */
export function findUpward(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE);
    if (isThere(path)) return path;
    if (isTop(folder) || dirname(folder) === folder) return undefined;
  }
}

function strays({ projectDir, projectFile }: FoundProject): Diagnostic | undefined {
  try {
    const led = follow(projectDir);
    if ('real' in led) return undefined;
    return problem(
      'file-outside-project',
      `${led.link} is a link that leads outside ${led.home}: the project behind it is not read`,
      'to use that project, name the folder that the link leads to',
    );
  } catch (error) {
    return unreadableFile(projectFile, error);
  }
}

/** `project-not-yours` if a file that decides where a token is sent, or its folder, may have been written by another user. */
export function othersFile(file: string, env: NonNullable<ProjectPlace['env']>): Diagnostic | undefined {
  const user = userOf(env, userName);
  if (user === undefined) return undefined;
  const folder = dirname(file);
  for (const path of [file, folder]) {
    // Reading says why a link leads nowhere.
    const stat = realPathOf(path) === undefined ? undefined : statSync(path);
    const why = stat && whyNotOurs(stat, user, groupsOfSystem);
    if (why === undefined || isTrusted(folder, env)) continue;
    const safe = repositoryOf(folder) ?? folder;
    return problem(
      'project-not-yours',
      `${path} ${why}: that user could decide where the token is sent and what is traded`,
      `If you trust the folder: git config --global --add safe.directory ${safe}. If it is yours: chown it, and chmod go-w.`,
    );
  }
  return undefined;
}

/**
 * Whether other users of the machine may read or write a file with a secret. Always false on Windows, which has other file
 * permissions.
 */
export function isOpenToOthers(stat: Stats): boolean {
  const user = userOf({}, userName);
  return user !== undefined && othersMayUse(stat, user, groupsOfSystem);
}

/** Empty for a user without a name, as in many containers. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

function groupsOfSystem(): string {
  try {
    return readFileSync('/etc/group', 'utf8');
  } catch {
    return '';
  }
}

/** Where a project lies in its repository: found by `.git` in a folder above, with links resolved. Never fails. */
export function projectRoot({ cwd, projectFile, env = {} }: ProjectPlace): ProjectRoot {
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
