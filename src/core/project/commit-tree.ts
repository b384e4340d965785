import { posix } from 'node:path';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { FileResult, FileTree, FolderEntry, Standing } from '../manifest/tree.ts';
import { byKey, madeOnce } from '../model/by-key.ts';
import { Blobs } from './blobs.ts';
import type { Git } from './git.ts';
import { filesOfTree, MODES, type TreeEntry, treeEntries } from './git-commands.ts';
import { notRegular, outside, tooLarge, unreadableFile } from './read-file.ts';

type Node =
  | { readonly type: 'file' | 'link'; readonly hash: string; readonly blobs: Blobs }
  | { readonly type: 'folder'; readonly entries: FolderEntry[] }
  /** Its files are added when it is entered. */
  | { readonly type: 'submodule'; readonly hash: string };

/** The same limit as in Linux. */
const MOST_LINKS = 40;
const OUTSIDE = 'is a link that leads outside the project directory';
const NOT_HERE = 'this clone lacks it; a full clone has it';
/** What to do about a partial clone. */
export const FETCH =
  'fetch all files of the history: `git fetch --refetch --no-filter`; in a workflow, without `filter` and `sparse-checkout`';

/** The problem of a file whose content a partial clone left out. */
export function lackedHere(file: string): Diagnostic {
  return { ...unreadableFile(file, new Error(NOT_HERE)), hint: FETCH };
}

interface CommitFiles {
  /** Of the project directory, all below it. */
  readonly entries: readonly TreeEntry[];
  readonly blobs: Blobs;
  /** The path of the project directory in the repository. Empty for the top. */
  readonly inside: string;
  /** Whether a path of the repository is a folder. Undefined if the path does not exist. */
  readonly isFolder: (path: string) => boolean | undefined;
  readonly submodules: Submodules;
}

/**
 * The files of a project directory in a commit. Links are followed as on disk, if the commit has their targets. A submodule is a
 * folder with the files of the commit that it has there, if it is checked out.
 */
export class CommitTree implements FileTree {
  readonly #nodes = new Map<string, Node>([['', { type: 'folder', entries: [] }]]);
  readonly #entered = new Map<string, string>();

  constructor(private readonly files: CommitFiles) {
    addFiles(this.#nodes, '', files);
  }

  /** The commit of each submodule that was entered, or was to be, by its path. */
  get entered(): ReadonlyMap<string, string> {
    return this.#entered;
  }

  find(path: string): Standing {
    let rest = path.split('/');
    let at: string[] = [];
    for (let links = 0; rest.length > 0; ) {
      const [name = '', ...more] = rest;
      rest = more;
      if (name === '' || name === '.') continue;
      if (name === '..') {
        if (at.pop() !== undefined) continue;
        const back = this.#back(rest);
        if (typeof back !== 'string') return back;
        rest = back.split('/');
        continue;
      }
      const node = this.#nodes.get([...at, name].join('/'));
      if (node === undefined) return broken('there is no such file or folder', true);
      if (node.type !== 'link') {
        at = [...at, name];
        if (rest.length === 0) continue;
        const problem = this.#problemBelow(at.join('/'), node);
        if (problem !== undefined) return broken(problem);
        continue;
      }
      links += 1;
      if (links > MOST_LINKS) return broken('its symbolic links form a loop');
      const blob = node.blobs.get(node.hash);
      if (blob.type !== 'content') return broken(NOT_HERE);
      const target = blob.bytes.toString('utf8');
      if (target.startsWith('/')) return { type: 'outside', folder: true, why: OUTSIDE };
      rest = [...target.split('/'), ...rest];
    }
    const real = at.join('/');
    const type = this.#nodes.get(real)?.type;
    // A submodule counts as a folder. Listing one that is not here reports the problem.
    return { type: type === 'file' ? 'file' : 'folder', real };
  }

  /** Why nothing can be found below a path. Undefined for a folder. The first time, adds the files of a submodule. */
  #problemBelow(path: string, node: Node | undefined): string | undefined {
    if (node?.type === 'folder') return undefined;
    if (node?.type !== 'submodule') return 'a part of the path is not a directory';
    const { inside, submodules } = this.files;
    this.#entered.set(path, node.hash);
    const files = submodules(inside === '' ? path : `${inside}/${path}`, node.hash);
    if ('problem' in files) return files.problem;
    this.#nodes.set(path, { type: 'folder', entries: [] });
    addFiles(this.#nodes, `${path}/`, files);
    return undefined;
  }

  /** Resolves a path that left the project directory. If it leads back in, the result is the path within the project. */
  #back(rest: readonly string[]): string | Standing {
    const { inside, isFolder } = this.files;
    const prefix = inside === '' ? '' : `${inside}/`;
    const path = posix.normalize(`${prefix}../${rest.join('/')}`);
    if (prefix !== '' && `${path}/`.startsWith(prefix)) return path.slice(prefix.length);
    return { type: 'outside', folder: path.startsWith('..') || isFolder(path) !== false, why: OUTSIDE };
  }

  list(folder: string): readonly FolderEntry[] {
    const standing = this.find(folder);
    const real = 'real' in standing ? standing.real : '';
    const problem = this.#problemBelow(real, this.#nodes.get(real));
    const node = this.#nodes.get(real);
    if (node?.type === 'folder') return node.entries;
    throw new Error(problem);
  }

  read(file: string): FileResult {
    const standing = this.find(file);
    if (standing.type === 'broken') return { diagnostic: unreadableFile(file, new Error(standing.problem)) };
    if (standing.type === 'outside') return { diagnostic: outside(file, standing.why) };
    const node = this.#nodes.get(standing.real);
    if (node?.type !== 'file') return { diagnostic: notRegular(file) };
    const blob = node.blobs.get(node.hash);
    if (blob.type === 'content') return node.blobs.text(node.hash, blob.bytes, file);
    return { diagnostic: blob.type === 'large' ? tooLarge(file, blob.size) : lackedHere(file) };
  }

  prepare(files: readonly string[]): void {
    const nodes = files.flatMap((file) => {
      const standing = this.find(file);
      const node = 'real' in standing ? this.#nodes.get(standing.real) : undefined;
      return node?.type === 'file' ? [node] : [];
    });
    for (const [blobs, of] of byKey(nodes, (node) => node.blobs)) blobs.load(of.map(({ hash }) => hash));
  }
}

function broken(problem: string, missing = false): Standing {
  return { type: 'broken', missing, problem };
}

function addFiles(
  nodes: Map<string, Node>,
  prefix: string,
  { entries, blobs }: Pick<CommitFiles, 'entries' | 'blobs'>,
): void {
  for (const { mode, hash, path } of entries) {
    if (mode === MODES.submodule) add(nodes, prefix + path, { type: 'submodule', hash });
    else add(nodes, prefix + path, { type: mode === MODES.link ? 'link' : 'file', hash, blobs });
  }
}

/** Adds a node and the folders above it, because git lists only files. */
function add(nodes: Map<string, Node>, path: string, node: Node): void {
  const slash = path.lastIndexOf('/');
  const above = path.slice(0, Math.max(0, slash));
  if (!nodes.has(above)) add(nodes, above, { type: 'folder', entries: [] });
  nodes.set(path, node);
  const parent = nodes.get(above);
  const type = node.type === 'submodule' ? 'folder' : node.type;
  if (parent?.type === 'folder') parent.entries.push({ name: path.slice(slash + 1), type });
}

/** The files of a commit of a submodule, or why they cannot be listed: the end of a sentence about its folder. */
type SubmoduleFiles =
  | { readonly entries: readonly TreeEntry[]; readonly blobs: Blobs }
  | { readonly problem: string };

/** Looks a submodule up by its path from the top of the repository, and the full hash of a commit. */
type Submodules = (path: string, commit: string) => SubmoduleFiles;

/**
 * The submodules of a repository that are checked out, whatever commit is asked for. A commit of the repository names a commit
 * of each submodule, so that what it says of their files is as certain as of its own.
 */
export function submodulesOf(git: Git): Submodules {
  const opened = new Map<string, { readonly git: Git; readonly blobs: Blobs } | undefined>();
  const listed = new Map<string, SubmoduleFiles>();
  const open = (path: string) => {
    if (!opened.has(path)) {
      const there = git.submodule(path);
      opened.set(path, there && { git: there, blobs: new Blobs(there) });
    }
    return opened.get(path);
  };
  return (path, commit) => madeOnce(listed, `${commit} ${path}`, () => filesIn(open(path), commit));
}

function filesIn(
  submodule: { readonly git: Git; readonly blobs: Blobs } | undefined,
  commit: string,
): SubmoduleFiles {
  if (submodule === undefined) return { problem: 'it is a submodule that is not checked out' };
  const answer = submodule.git.ask(filesOfTree(commit));
  if (answer.ok) return { entries: treeEntries(answer.text), blobs: submodule.blobs };
  return { problem: `it is a submodule that was not fetched to its commit ${commit.slice(0, 7)}` };
}
