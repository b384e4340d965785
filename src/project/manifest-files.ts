import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Source } from '../manifest/source.ts';
import { MOST } from '../model/bounds.ts';
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

/** What there is room for in a project: its files are counted before anything reads their texts. */
class Room {
  #characters = 0;
  #documents = 0;
  #tokens = 0;
  #full = false;

  /** After this no further file needs to be looked at. */
  get isFull(): boolean {
    return this.#full;
  }

  /** Why a text has no room any more; undefined for one that has. */
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
