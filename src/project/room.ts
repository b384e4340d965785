import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Source } from '../manifest/source.ts';
import { MOST } from '../model/bounds.ts';

/** What there is room for in a project: its files are counted before anything reads their texts. */
export class Room {
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
            ? `${MOST.tokens} lines, commas, colons, brackets and the like`
            : undefined;
    if (message === undefined) return undefined;
    this.#full = true;
    return {
      severity: 'error',
      code: 'project-too-large',
      message: `with this file the project has more than ${message}; no further one is read`,
      hint: 'remove what is no manifest of this project, or divide it',
      location: { file, line: 1, column: 1 },
    };
  }
}
