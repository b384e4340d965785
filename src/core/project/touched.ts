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
export function comparerOf(blobs: Blobs): (differences: readonly Difference[]) => Touched {
  const known = new Map<string, readonly string[]>();
  /** The texts of the documents of a file. */
  const textsOf = (path: string, { mode, hash }: FileIn): readonly string[] => {
    if (mode === MODES.none) return [];
    const blob = blobs.get(hash);
    const read = blob.type === 'content' ? blobs.text(hash, blob.bytes, path) : undefined;
    if (read === undefined || 'diagnostic' in read || !mode.startsWith(REGULAR)) return [`${mode} ${hash}`];
    return read.source.text.split(/^(?=---\s)/m);
  };
  /** What a text says: `ADDRESS VALUE` of a task, ` VALUE` of anything else. */
  const saidIn = (path: string, text: string): readonly string[] => {
    if (/\.csv$/i.test(path)) return [` ${text}`];
    return madeOnce(known, text, () => {
      const { manifests, diagnostics } = readManifests(new Source(path, text));
      if (diagnostics.some(({ code }) => code !== 'no-manifests')) return [` ${text}`];
      return manifests.map(
        ({ kind, address = '', value }) =>
          `${kind?.family === 'task' ? address : ''} ${JSON.stringify(value)}`,
      );
    });
  };
  return (differences) => {
    const addresses = differences.flatMap(({ path, files: [one, other] }) => {
      const texts = unshared(textsOf(path, one), textsOf(path, other));
      const [here, there] = texts.map((each) => each.flatMap((text) => saidIn(path, text)));
      // Another layout or other comments say the same.
      return unshared(here ?? [], there ?? [])
        .flat()
        .map((said) => said.slice(0, said.indexOf(' ')));
    });
    return addresses.includes('') ? 'all' : new Set(addresses);
  };
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
