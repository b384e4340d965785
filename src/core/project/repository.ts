import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseJson } from '../model/json.ts';
import { isInside, isThere, realPathOf } from './door/location.ts';

/** The git repository of a folder. All paths are absolute, with links resolved. */
export interface RepositoryPlace {
  /** The folder that contains `.git`. */
  readonly top: string;
  /** `.git` itself, or the target of the `.git` file of a worktree or submodule. */
  readonly gitDir: string;
  /** The path from the top to the folder, with forward slashes. Empty for the top itself. */
  readonly inside: string;
}

type FoundRepository =
  | { readonly type: 'found'; readonly place: RepositoryPlace }
  | { readonly type: 'none' }
  /** There is a `.git`, but it must not be used. */
  | { readonly type: 'refused'; readonly problem: string };

/** The top of the repository that a folder lies in. In a worktree and a submodule, `.git` is a file. */
export function repositoryOf(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (isTop(folder)) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** True for the top folder of a repository. */
export function isTop(folder: string): boolean {
  return isThere(join(folder, '.git'));
}

/**
 * The repository whose `.git` is found upward from a folder. git's own search accepts any folder with HEAD, objects and refs as
 * a bare repository, and a pull request can commit such a folder. git never commits a path named `.git`. Only the files of
 * `.git` are read, and no program runs.
 */
export function findRepository(folder: string): FoundRepository {
  const there = realPathOf(folder);
  const top = there && repositoryOf(there);
  if (there === undefined || top === undefined) return { type: 'none' };
  const entry = join(top, '.git');
  try {
    const gitDir = realpathSync.native(gitFolderOf(entry));
    if (!lstatSync(entry).isDirectory()) outsideContent(gitDir, entry, top);
    const common = commonFolder(gitDir);
    for (const name of ['HEAD', 'objects', 'refs']) {
      const home = name === 'HEAD' ? gitDir : common;
      if (!exists(join(home, name)))
        throw new Unusable(`${entry} is not a git repository: it has no ${name}`);
    }
    for (const name of ['refs', 'objects']) {
      outsideContent(realpathSync.native(join(common, name)), join(common, name));
    }
    checkAlternates(realpathSync.native(join(common, 'objects')));
    return { type: 'found', place: { top, gitDir, inside: relative(top, there).replaceAll(sep, '/') } };
  } catch (error) {
    return { type: 'refused', problem: problemOf(error, entry) };
  }
}

/** Why a repository is not used. */
class Unusable extends Error {}

function problemOf(error: unknown, entry: string): string {
  if (error instanceof Unusable) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return `${entry} cannot be read: ${code ?? message}`;
}

/** In a worktree or submodule, the file `.git` has one line, `gitdir: PATH`. */
function gitFolderOf(entry: string): string {
  if (statSync(entry).isDirectory()) return entry;
  const [, path] = /^gitdir: (.+?)[\r\n]*$/.exec(shortText(entry)) ?? [];
  if (path === undefined) throw new Unusable(`${entry} is a file without a line "gitdir: PATH"`);
  return resolve(dirname(entry), path);
}

/** The repository with which a worktree shares objects and refs. */
function commonFolder(gitDir: string): string {
  const file = join(gitDir, 'commondir');
  if (!exists(file)) return gitDir;
  const common = realpathSync.native(resolve(gitDir, shortText(file).replace(/[\r\n]+$/, '')));
  outsideContent(common, file);
  return common;
}

const MOST_BYTES = 64 * 1024;

function shortText(file: string): string {
  const { size } = regular(file);
  if (size > MOST_BYTES) throw new Unusable(`${file} has ${size} bytes; at most ${MOST_BYTES} are allowed`);
  return readFileSync(file, 'utf8');
}

/** Opening a FIFO would block for ever. */
function regular(file: string): Stats {
  const stat = statSync(file);
  if (!stat.isFile()) throw new Unusable(`${file} is not a regular file`);
  return stat;
}

/** The same depth as in git. */
const MOST_ALTERNATES = 5;

/** Checks the object folders that this repository borrows from. The content of a commit must not come from committed files. */
function checkAlternates(objects: string, depth = 0): void {
  const file = join(objects, 'info', 'alternates');
  if (depth > MOST_ALTERNATES || !exists(file)) return;
  for (const line of shortText(file).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const name = line.startsWith('"') ? parseJson(line) : line;
    if (typeof name !== 'string') throw new Unusable(`${file} has a line that cannot be read: ${line}`);
    const named = resolve(objects, name);
    if (!exists(named)) continue;
    const folder = realpathSync.native(named);
    outsideContent(folder, file);
    checkAlternates(folder, depth + 1);
  }
}

/**
 * Fails for a folder that a commit could have created: one in a working tree, outside the `.git` folder of that tree. `.git`
 * files on the way prove nothing; only the next real `.git` folder does. `top` is the folder whose `.git` is a file or a link.
 */
function outsideContent(path: string, named: string, top?: string): void {
  const refuse = () =>
    new Unusable(`${named} leads to ${path}, among the files of a working tree: a commit could write there`);
  if (top !== undefined && isInside(top, path)) throw refuse();
  for (let folder = path; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    if (exists(entry)) {
      const real = lstatSync(entry).isDirectory();
      if (!isInside(realpathSync.native(gitFolderOf(entry)), path)) throw refuse();
      if (real) return;
    }
    if (dirname(folder) === folder) return;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
