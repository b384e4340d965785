import { readManifests } from '../manifest/read.ts';
import { Source } from '../manifest/source.ts';
import type { Touched } from '../model/address.ts';
import { madeOnce } from '../model/by-key.ts';
import type { Blobs } from './blobs.ts';
import { MODES, type TreeEntry } from './git-commands.ts';

/** A file that differs between two folders; without a mode where it does not exist. */
export interface Difference {
  readonly path: string;
  readonly files: readonly [FileIn, FileIn];
}

type FileIn = Omit<TreeEntry, 'path'>;

/** Tells which tasks differ between two commits. Only documents that differ are read, and nothing is compiled. */
export class Documents {
  readonly #blobs: Blobs;
  readonly #said = new Map<string, readonly string[]>();

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  touched(differences: readonly Difference[]): Touched {
    const addresses = differences.flatMap(({ path, files: [one, other] }) => {
      const texts = unshared(this.#texts(path, one), this.#texts(path, other));
      const [here, there] = texts.map((each) => each.flatMap((text) => this.#say(path, text)));
      // Another layout or other comments say the same.
      return unshared(here ?? [], there ?? [])
        .flat()
        .map((said) => said.slice(0, said.indexOf(' ')));
    });
    return addresses.includes('') ? 'all' : new Set(addresses);
  }

  /** The texts of the documents of a file. */
  #texts(path: string, { mode, hash }: FileIn): readonly string[] {
    if (mode === MODES.none) return [];
    const blob = this.#blobs.get(hash);
    const read = blob.type === 'content' ? this.#blobs.text(hash, blob.bytes, path) : undefined;
    if (read === undefined || 'diagnostic' in read || !mode.startsWith(REGULAR)) return [`${mode} ${hash}`];
    return read.source.text.split(/^(?=---\s)/m);
  }

  /** What a text says: `ADDRESS VALUE` of a task, ` VALUE` of anything else. */
  #say(path: string, text: string): readonly string[] {
    if (/\.csv$/i.test(path)) return [` ${text}`];
    return madeOnce(this.#said, text, () => {
      const { manifests, diagnostics } = readManifests(new Source(path, text));
      if (diagnostics.some(({ code }) => code !== 'no-manifests')) return [` ${text}`];
      return manifests.map(
        ({ kind, address = '', value }) =>
          `${kind?.family === 'task' ? address : ''} ${JSON.stringify(value)}`,
      );
    });
  }
}

const REGULAR = '100';

/** What only one of the two has. */
function unshared(
  one: readonly string[],
  other: readonly string[],
): readonly [readonly string[], readonly string[]] {
  const [here, there] = [new Set(one), new Set(other)];
  return [one.filter((each) => !there.has(each)), other.filter((each) => !here.has(each))];
}
