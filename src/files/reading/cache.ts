import { hash } from 'node:crypto';
import { toUSVString } from 'node:util';
import type { ReadResult } from '../../manifest/read.ts';
import { type ReadRecord, resultOf } from '../../manifest/record.ts';
import type { Source } from '../../manifest/source.ts';
import { type CacheFile, cacheFile, type Environment } from './cache-file.ts';
import { keepSmall } from './cache-folder.ts';
import { NO_PACK, type Pack, type PackEntry, readPack, touchPack, writePack } from './pack.ts';

/** What a project keeps at most, in bytes; about sixty thousand manifests. */
const MOST = 256 * 1024 * 1024;
/** What texts that are not there now may take, as a part of what is: going from branch to branch is not always reading anew. */
const FORMER = 0.5;

/** What was read in earlier runs, by the text that it was read from. It never changes a result, and none of its failures is told. */
export interface ReadCache {
  find(source: Source): ReadResult | undefined;
  /** Of one that was not found. */
  add(source: Source, record: ReadRecord): void;
  /** After all was found or added. */
  save(): void;
  /** True where everything was found. */
  readonly complete: boolean;
}

/** The cache of a project; undefined where the user wants none or the system gives none. */
export function openCache(projectDir: string, env: Environment, build?: string): ReadCache | undefined {
  const file = cacheFile([projectDir], env, build);
  return file && new PackCache(file);
}

class PackCache implements ReadCache {
  readonly #path: string;
  readonly #made: string;
  readonly #pack: Pack;
  readonly #used = new Map<string, PackEntry>();
  readonly #keys = new Map<Source, string>();
  #added = false;

  constructor({ path, made }: CacheFile) {
    this.#path = path;
    this.#made = made;
    this.#pack = readPack(path, made, MOST) ?? NO_PACK;
  }

  get complete(): boolean {
    return !this.#added;
  }

  find(source: Source): ReadResult | undefined {
    const key = keyOf(source);
    if (key === undefined) return undefined;
    this.#keys.set(source, key);
    const entry = this.#pack.find(key);
    if (entry === undefined) return undefined;
    try {
      const result = resultOf(source, { json: entry.json.toString('utf8'), offsets: entry.offsets });
      this.#used.set(key, entry);
      return result;
    } catch {
      return undefined;
    }
  }

  add(source: Source, { json, offsets }: ReadRecord): void {
    const key = this.#keys.get(source);
    if (key === undefined) return;
    this.#used.set(key, { key, json: Buffer.from(json), offsets });
    this.#added = true;
  }

  save(): void {
    if (this.#added) {
      writePack(this.#path, this.#made, this.#kept());
      keepSmall(this.#path);
    } else {
      touchPack(this.#path);
    }
  }

  #kept(): readonly PackEntry[] {
    const kept: PackEntry[] = [];
    let room = MOST;
    for (const entry of this.#used.values()) {
      if (sizeOf(entry) > room) break;
      room -= sizeOf(entry);
      kept.push(entry);
    }
    room = Math.min(room, (MOST - room) * FORMER);
    for (const entry of this.#pack.entries()) {
      if (this.#used.has(entry.key)) continue;
      if (sizeOf(entry) > room) break;
      room -= sizeOf(entry);
      kept.push(entry);
    }
    return kept;
  }
}

function sizeOf({ json, offsets }: PackEntry): number {
  return json.length + offsets.byteLength;
}

/** Undefined for a text with half a character, which has no bytes of its own. */
function keyOf({ text }: Source): string | undefined {
  return toUSVString(text) === text ? hash('sha256', text) : undefined;
}
