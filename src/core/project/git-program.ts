import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { madeOnce } from '../model/by-key.ts';
import { isInside, realPathOf } from './door/location.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface GitProgram {
  /** Absolute. */
  readonly file: string;
  /** The PATH for the program itself, which starts parts of itself by name. */
  readonly path: string;
}

interface NoGit {
  /** The first `git` that was rejected because of its folder. Undefined if no `git` was found at all. */
  readonly passedOver: string | undefined;
}

/** For a bare name, Windows tries `.bat`, `.cmd` and others, and searches the current folder before PATH. */
const NAME = process.platform === 'win32' ? 'git.exe' : 'git';

const known = new Map<string, GitProgram | NoGit>();

/**
 * The `git` in PATH. Empty and relative entries are skipped, and so are entries within `repository`: through such an entry
 * (`.`, `node_modules/.bin`) a pull request could supply the program. A link into the repository is skipped as well. The disk
 * is searched once for each PATH and repository.
 */
export function findGit(repository: string, env: Environment): GitProgram | NoGit {
  const path = pathOf(env);
  return madeOnce(known, `${path}\0${repository}`, () => search(path, repository));
}

function search(path: string, repository: string): GitProgram | NoGit {
  const entries = path.split(delimiter).filter((entry) => entry !== '');
  const trusted = entries.filter((entry) => isAbsolute(entry) && !leadsInto(entry, repository));
  for (const entry of trusted) {
    const file = join(entry, NAME);
    if (isProgram(file) && !leadsInto(file, repository)) return { file, path: trusted.join(delimiter) };
  }
  return { passedOver: entries.map((entry) => join(entry, NAME)).find(isProgram) };
}

/** Windows calls it `Path`. */
function pathOf(env: Environment): string {
  if (process.platform !== 'win32') return env.PATH ?? '';
  return Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
}

/** Checks the path as written and the target of its links. A missing path leads nowhere. */
function leadsInto(path: string, repository: string): boolean {
  return [path, realPathOf(path)].some((one) => one !== undefined && isInside(repository, one));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
