import { posix } from 'node:path';
import type { Blobs } from './blobs.ts';
import { notRegular, outside, tooLarge, unreadableFile } from './read-file.ts';
import type { FileResult, FileTree, FolderEntry, Standing } from './tree.ts';

type Node =
  | { readonly type: 'file' | 'link'; readonly hash: string }
  | { readonly type: 'folder'; readonly entries: FolderEntry[] }
  | { readonly type: 'submodule' };

/** The same limit as in Linux. */
const MOST_LINKS = 40;
const OUTSIDE = 'is a link that leads outside the project directory';
const NOT_HERE = 'this clone lacks it; a full clone has it';
const ENTRY = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s;

interface CommitFiles {
  /** The output of `git ls-tree -r -z` for the project directory. */
  readonly listing: string;
  readonly blobs: Blobs;
  /** The path of the project directory in the repository. Empty for the top. */
  readonly inside: string;
  /** Whether a path of the repository is a folder. Undefined if the path does not exist. */
  readonly isFolder: (path: string) => boolean | undefined;
}

/** The files of a project directory in a commit. Links are followed as on disk, if the commit has their targets. */
export class CommitTree implements FileTree {
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #files: CommitFiles;

  constructor(files: CommitFiles) {
    this.#files = files;
    this.#nodes = nodesOf(files.listing);
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
      if (node === undefined) return broken('it does not exist', true);
      if (node.type !== 'link') {
        at = [...at, name];
        if (rest.length > 0 && node.type !== 'folder') return broken('a part of its path is not a directory');
        continue;
      }
      links += 1;
      if (links > MOST_LINKS) return broken('its symbolic links form a loop');
      const blob = this.#files.blobs.get(node.hash);
      if (blob.type !== 'content') return broken(NOT_HERE);
      const target = blob.bytes.toString('utf8');
      if (target.startsWith('/')) return { type: 'outside', folder: true, why: OUTSIDE };
      rest = [...target.split('/'), ...rest];
    }
    const real = at.join('/');
    const type = this.#nodes.get(real)?.type;
    // A submodule counts as a folder. Listing it reports the problem.
    return { type: type === 'file' ? 'file' : 'folder', real };
  }

  /** Resolves a path that left the project directory. If it leads back in, the result is the path within the project. */
  #back(rest: readonly string[]): string | Standing {
    const { inside, isFolder } = this.#files;
    const prefix = inside === '' ? '' : `${inside}/`;
    const path = posix.normalize(`${prefix}../${rest.join('/')}`);
    if (prefix !== '' && `${path}/`.startsWith(prefix)) return path.slice(prefix.length);
    return { type: 'outside', folder: path.startsWith('..') || isFolder(path) !== false, why: OUTSIDE };
  }

  list(folder: string): readonly FolderEntry[] {
    const standing = this.find(folder);
    const node = 'real' in standing ? this.#nodes.get(standing.real) : undefined;
    if (node?.type === 'folder') return node.entries;
    throw new Error('it is a submodule, whose files are in another repository');
  }

  read(file: string): FileResult {
    const standing = this.find(file);
    if (standing.type === 'broken') return { diagnostic: unreadableFile(file, new Error(standing.problem)) };
    if (standing.type === 'outside') return { diagnostic: outside(file, standing.why) };
    const node = this.#nodes.get(standing.real);
    if (node?.type !== 'file') return { diagnostic: notRegular(file) };
    const blob = this.#files.blobs.get(node.hash);
    if (blob.type === 'content') return this.#files.blobs.text(node.hash, blob.bytes, file);
    return {
      diagnostic:
        blob.type === 'large' ? tooLarge(file, blob.size) : unreadableFile(file, new Error(NOT_HERE)),
    };
  }

  prepare(files: readonly string[]): void {
    const hashes = files.flatMap((file) => {
      const standing = this.find(file);
      const node = 'real' in standing ? this.#nodes.get(standing.real) : undefined;
      return node?.type === 'file' ? [node.hash] : [];
    });
    this.#files.blobs.load(hashes);
  }
}

function broken(problem: string, missing = false): Standing {
  return { type: 'broken', missing, problem };
}

function nodesOf(listing: string): ReadonlyMap<string, Node> {
  const nodes = new Map<string, Node>([['', { type: 'folder', entries: [] }]]);
  for (const line of listing.split('\0')) {
    const [, mode = '', hash = '', path] = ENTRY.exec(line) ?? [];
    if (path === undefined) continue;
    if (mode === '160000') add(nodes, path, { type: 'submodule' });
    else add(nodes, path, { type: mode === '120000' ? 'link' : 'file', hash });
  }
  return nodes;
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
