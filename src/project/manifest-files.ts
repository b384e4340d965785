import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Source } from '../manifest/source.ts';
import { Room } from './room.ts';
import type { FileTree } from './tree.ts';

/** The manifest files of a project. */
interface FilesRead {
  readonly sources: readonly Source[];
  /** Of those that could not be read, and of the first one that there is no room for. */
  readonly problems: readonly Diagnostic[];
}

/** Reads files in their order, as far as a project has room for them. */
export function readFiles(tree: FileTree, names: readonly string[]): FilesRead {
  const sources: Source[] = [];
  const problems: Diagnostic[] = [];
  const room = new Room();
  tree.prepare(names);
  for (const name of names) {
    const result = tree.read(name);
    const problem = 'source' in result ? room.take(result.source) : result.diagnostic;
    if (problem !== undefined) problems.push(problem);
    else if ('source' in result) sources.push(result.source);
    if (room.isFull) break;
  }
  return { sources, problems };
}
