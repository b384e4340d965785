import type { Git } from './git.ts';
import { differences, filesOfTree } from './git-commands.ts';

/** Files whose contents are needed: manifests, tables of task sets, schemas of policies. */
const READ = /\.(?:ya?ml|csv|json)$/i;

/**
 * The output of `git ls-tree -r -z` for many nearly equal folders. git lists one of them, and for each other folder only the
 * differences from the previous one. This takes two git processes for any number of folders.
 */
export class Listings {
  readonly #git: Git;
  readonly #known = new Map<string, string>();
  readonly #blobs = new Set<string>();

  constructor(git: Git, folders: readonly string[]) {
    this.#git = git;
    const [first, ...rest] = [...new Set(folders)];
    const listed = first === undefined ? undefined : this.get(first);
    if (first === undefined || listed === undefined || rest.length === 0) return;
    const entries = new Map(entriesOf(listed));
    const pairs = rest.map((folder, index) => `${[first, ...rest][index]} ${folder}\n`);
    const answer = git.ask(differences, pairs.join(''));
    if (!answer.ok) return;
    for (const { folder, changes } of differencesOf(answer.stdout.toString('utf8'))) {
      for (const { path, entry } of changes) {
        if (entry === undefined) entries.delete(path);
        else entries.set(path, entry);
        const hash = entry?.split(' ')[2];
        if (hash !== undefined && READ.test(path)) this.#blobs.add(hash);
      }
      this.#known.set(folder, [...entries].map(([path, entry]) => `${entry}\t${path}\0`).join(''));
    }
  }

  /** Contents of files that differ between the folders. Reading all at once costs no more than reading one. */
  get blobs(): readonly string[] {
    return [...this.#blobs];
  }

  /** Undefined if the repository lacks a part of it. */
  get(folder: string): string | undefined {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const answer = this.#git.ask(filesOfTree(folder));
    if (!answer.ok) return undefined;
    const listing = answer.stdout.toString('utf8');
    this.#known.set(folder, listing);
    return listing;
  }
}

/** Path → `100644 blob HASH`. */
function entriesOf(listing: string): readonly (readonly [string, string])[] {
  return listing.split('\0').flatMap((line) => {
    const tab = line.indexOf('\t');
    return tab < 0 ? [] : [[line.slice(tab + 1), line.slice(0, tab)] as const];
  });
}

interface Difference {
  readonly folder: string;
  readonly changes: { readonly path: string; readonly entry: string | undefined }[];
}

const NOTHING = '000000';

/** `BEFORE AFTER\n`, then `:MODE MODE HASH HASH LETTER\0PATH\0` for each file. */
function differencesOf(text: string): readonly Difference[] {
  const found: Difference[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] !== ':') {
      const end = text.indexOf('\n', at);
      if (end < 0) return found;
      found.push({ folder: text.slice(at, end).split(' ')[1] ?? '', changes: [] });
      at = end + 1;
      continue;
    }
    const head = text.indexOf('\0', at);
    const tail = text.indexOf('\0', head + 1);
    if (head < 0 || tail < 0) return found;
    const [, mode = NOTHING, , hash = ''] = text.slice(at + 1, head).split(' ');
    const path = text.slice(head + 1, tail);
    const type = mode === '160000' ? 'commit' : 'blob';
    found.at(-1)?.changes.push({ path, entry: mode === NOTHING ? undefined : `${mode} ${type} ${hash}` });
    at = tail + 1;
  }
  return found;
}
