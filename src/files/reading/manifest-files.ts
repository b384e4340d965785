import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { Source } from '../../manifest/source.ts';
import type { FileTree } from '../tree.ts';
import { lengthOf } from './length.ts';

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
  /** Once: later calls give the same. */
  readAll(): FilesRead;
  /** Each is read when its text is asked for; what cannot be read then has none. */
  readLater(): FilesRead;
}

export function filesOf(tree: FileTree, names: readonly string[]): ManifestFiles {
  const { folder } = tree;
  let all: FilesRead | undefined;
  const readAll = () => {
    all ??= readEach(tree, names);
    return all;
  };
  return {
    names,
    folder,
    areMany: () => (folder === undefined ? lengthOf(readAll().sources) : bytesOf(folder, names)) >= MANY,
    readAll,
    readLater: () => ({
      sources: names.map((name) => new Source(name, () => textOf(tree, name))),
      problems: [],
    }),
  };
}

function readEach(tree: FileTree, names: readonly string[]): FilesRead {
  tree.prepare(names);
  const results = names.map((name) => tree.read(name));
  return {
    sources: results.flatMap((result) => ('source' in result ? [result.source] : [])),
    problems: results.flatMap((result) => ('diagnostic' in result ? [result.diagnostic] : [])),
  };
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
