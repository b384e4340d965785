import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Source } from '../manifest/source.ts';
import { MOST } from '../model/bounds.ts';
import type { FileTree } from './tree.ts';

/** The manifest files of a project. */
interface FilesRead {
  readonly sources: readonly Source[];
  /** Problems of unreadable files, and of the first file that exceeds the limits. */
  readonly problems: readonly Diagnostic[];
}

/** Reads files in order, up to the limits of a project. */
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

/** The limits of a project. Files are counted before their texts are parsed. */
class Room {
  #characters = 0;
  #documents = 0;
  #tokens = 0;
  #full = false;

  /** True if no further file needs to be read. */
  get isFull(): boolean {
    return this.#full;
  }

  /** Why a text exceeds the limits. Undefined if it fits. */
  take({ file, text, measure }: Source): Diagnostic | undefined {
    this.#characters += text.length;
    this.#documents += measure.documents;
    this.#tokens += measure.tokens;
    const message =
      this.#characters > MOST.characters
        ? `${MOST.characters} characters`
        : this.#documents > MOST.documents
          ? `${MOST.documents} documents`
          : this.#tokens > MOST.tokens
            ? `${MOST.tokens} lines, commas, colons and brackets`
            : undefined;
    if (message === undefined) return undefined;
    this.#full = true;
    return {
      severity: 'error',
      code: 'project-too-large',
      message: `with this file the project has more than ${message}; the rest is not read`,
      hint: 'remove files that are not manifests of this project, or split it',
      location: { file, line: 1, column: 1 },
    };
  }
}
