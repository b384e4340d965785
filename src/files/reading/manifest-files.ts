import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { Source } from '../../manifest/source.ts';
import type { FileTree } from '../tree.ts';
import { lengthOf } from './length.ts';
import { Room } from './room.ts';

/** Characters or bytes. Below this, looking for what was read before costs more than reading. */
const MANY = 256 * 1024;

/** Files that were read. */
export interface FilesRead {
  readonly sources: readonly Source[];
  /** Of those that could not be read. */
  readonly problems: readonly Diagnostic[];
}

/** The manifest files of a project, which are read at once or as they are needed. */
export interface ManifestFiles {
  readonly names: readonly string[];
  /** The folder on disk that the names are relative to; undefined for the files of a commit. */
  readonly folder: string | undefined;
  /** True where they are so much that a cache and threads pay. */
  areMany(): boolean;
  /** Each is read when its turn comes, once; whoever goes through it again gets the same. It is all that was read afterwards. */
  readonly reading: FilesRead & Iterable<Source>;
  readAll(): FilesRead;
  /** Each is read when its text is asked for; what cannot be read then has none. */
  readLater(): FilesRead;
}

export function filesOf(tree: FileTree, names: readonly string[]): ManifestFiles {
  const { folder } = tree;
  const reading = new Reading(tree, names);
  const readAll = () => {
    for (const _ of reading);
    return reading;
  };
  return {
    names,
    folder,
    areMany: () => (folder === undefined ? lengthOf(readAll().sources) : bytesOf(folder, names)) >= MANY,
    reading,
    readAll,
    readLater: () => ({
      sources: names.map((name) => new Source(name, () => textOf(tree, name))),
      problems: [],
    }),
  };
}

class Reading implements FilesRead, Iterable<Source> {
  readonly sources: Source[] = [];
  readonly problems: Diagnostic[] = [];
  readonly #tree: FileTree;
  readonly #names: readonly string[];
  readonly #room = new Room();

  constructor(tree: FileTree, names: readonly string[]) {
    this.#tree = tree;
    this.#names = names;
  }

  *[Symbol.iterator](): Iterator<Source> {
    yield* this.sources.slice();
    const read = this.sources.length + this.problems.length;
    if (read === 0) this.#tree.prepare(this.#names);
    for (const name of this.#names.slice(read)) {
      if (this.#room.isFull) return;
      const result = this.#tree.read(name);
      const problem = 'source' in result ? this.#room.take(result.source) : result.diagnostic;
      if (problem !== undefined) this.problems.push(problem);
      if ('source' in result && problem === undefined) {
        this.sources.push(result.source);
        yield result.source;
      }
    }
  }
}

/** Of the files together, counted up to `MANY`. */
function bytesOf(folder: string, names: readonly string[]): number {
  let bytes = 0;
  for (const name of names) {
    if (bytes >= MANY) break;
    bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

function textOf(tree: FileTree, name: string): string {
  const result = tree.read(name);
  return 'source' in result ? result.source.text : '';
}
