import { createHash } from 'node:crypto';
import type { FileResult } from '../manifest/tree.ts';
import { madeOnce } from '../model/by-key.ts';
import type { Git } from './git.ts';
import { contents, type GitCommand, objects, sizes } from './git-commands.ts';
import { MAX_FILE_BYTES } from './read-bytes.ts';
import { decodeSource } from './read-file.ts';

/** The approximate size limit of one answer from git. */
const BATCH_BYTES = 32 * 1024 * 1024;

type Blob =
  | { readonly type: 'content'; readonly bytes: Buffer }
  /** Larger than any file that is read. */
  | { readonly type: 'large'; readonly size: number }
  /** The repository does not have the object, for example in a partial clone. */
  | { readonly type: 'missing' };

const MISSING: Blob = { type: 'missing' };

/** The git hash of a file with these bytes, with the hash algorithm of `like`. */
export function idOf(bytes: Uint8Array, like: string): string {
  return startId('blob', bytes.length, like).update(bytes).digest('hex');
}

/** The beginning of the git hash of an object. */
export function startId(type: 'blob' | 'tree', size: number, like: string) {
  return createHash(like.length === 64 ? 'sha256' : 'sha1').update(`${type} ${size}\0`);
}

/** The contents of files in a repository, by their git hashes. Each content is read once, because commits share most of them. */
export class Blobs {
  readonly #known = new Map<string, Blob>();
  readonly #texts = new Map<string, FileResult>();
  #here: Iterable<string> = [];

  constructor(private readonly git: Git) {}

  /** Texts of files here. git is not asked for those that it has, too. */
  learn(texts: Iterable<string>): void {
    this.#here = texts;
  }

  get(hash: string): Blob {
    this.load([hash]);
    return this.#known.get(hash) ?? MISSING;
  }

  /** The text of a file's content. All commits with the same content share one object. */
  text(hash: string, bytes: Buffer, file: string): FileResult {
    return madeOnce(this.#texts, `${hash} ${file}`, () => decodeSource(bytes, file));
  }

  /**
   * Reads many objects with two git processes: first their sizes, then those that are not too large. Without the sizes, git would
   * unpack an object of any size in memory, and the object that it is stored as a difference of.
   */
  load(hashes: readonly string[]): void {
    const wanted = [...new Set(hashes)].filter((hash) => !this.#knows(hash));
    if (wanted.length === 0) return;
    let batch: string[] = [];
    let bytes = 0;
    for (const { hash, size } of this.#sizes(wanted)) {
      if (size > MAX_FILE_BYTES) {
        this.#known.set(hash, { type: 'large', size });
        continue;
      }
      if (bytes + size > BATCH_BYTES) {
        this.#read(batch);
        batch = [];
        bytes = 0;
      }
      batch.push(hash);
      bytes += size;
    }
    this.#read(batch);
    for (const hash of wanted) if (!this.#known.has(hash)) this.#known.set(hash, MISSING);
  }

  #knows(hash: string): boolean {
    if (this.#known.has(hash)) return true;
    for (const text of this.#here) {
      const bytes = Buffer.from(text);
      this.#known.set(idOf(bytes, hash), { type: 'content', bytes });
    }
    this.#here = [];
    return this.#known.has(hash);
  }

  /** Objects of the history that a partial clone left out. Undefined if git cannot list them. */
  get leftOut(): ReadonlySet<string> | undefined {
    const listed = this.git.ask(objects(this.git.place.inside));
    return listed.ok ? new Set(listed.text.match(/(?<=^\?)\w+$/gm)) : undefined;
  }

  /** git prints `HASH blob SIZE` for each object, or `HASH missing`; before 2.44 nothing at all if one was left out. */
  #sizes(hashes: readonly string[]): readonly { readonly hash: string; readonly size: number }[] {
    let answer = this.#ask(sizes, hashes);
    if (answer.length === 0) {
      const { leftOut = new Set(hashes) } = this;
      answer = this.#ask(
        sizes,
        hashes.filter((hash) => !leftOut.has(hash)),
      );
    }
    const lines = answer.toString('latin1').split('\n');
    return lines.flatMap((line) => {
      const [hash = '', type, size] = line.split(' ');
      return type === 'blob' ? [{ hash, size: Number(size) }] : [];
    });
  }

  /** git prints the same line for each object, then its content and a line feed. */
  #read(hashes: readonly string[]): void {
    const answer = hashes.length === 0 ? Buffer.alloc(0) : this.#ask(contents, hashes);
    for (let at = 0; at < answer.length; ) {
      const start = answer.indexOf(10, at) + 1;
      const [hash = '', type, size] = answer.toString('latin1', at, start - 1).split(' ');
      at = start;
      if (type !== 'blob') continue;
      this.#known.set(hash, { type: 'content', bytes: answer.subarray(start, start + Number(size)) });
      at += Number(size) + 1;
    }
  }

  #ask(command: GitCommand, hashes: readonly string[]): Buffer {
    const answer = this.git.ask(command, `${hashes.join('\n')}\n`);
    return answer.ok ? answer.stdout : Buffer.alloc(0);
  }
}
