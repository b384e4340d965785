import { createHash, type Hash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isOwn } from './cache-folder.ts';

/** What was read from one text: a `ReadRecord` as it stands in a file. */
export interface PackEntry {
  /** Hash of the text. */
  readonly key: string;
  readonly json: Buffer;
  readonly offsets: Int32Array;
}

/** The entries of one file, those that were used last before the others. */
export interface Pack {
  find(key: string): PackEntry | undefined;
  entries(): Iterable<PackEntry>;
}

export const NO_PACK: Pack = { find: () => undefined, entries: () => [] };

/**
 * The file: a line of fixed length with a hash of all that follows and of who made it, and the sizes of the three parts: the
 * index, the offsets of all entries, their JSON.
 */
const HEAD = /^tradeform-read ([0-9a-f]{64}) ([0-9]+) ([0-9]+) ([0-9]+) *\n$/;
const HEAD_BYTES = 128;
/** Key, bytes of JSON, number of offsets. */
type Index = readonly (readonly [key: string, json: number, offsets: number])[];
/** Small pieces are put together up to this before they are written. */
const CHUNK = 1024 * 1024;

/** Undefined where there is none, and for one that is damaged, somebody else's, made otherwise or larger than `most` bytes. */
export function readPack(path: string, made: string, most: number): Pack | undefined {
  return openPack(path, most, (parts) => {
    const { descriptor, hash, sum } = parts;
    const index = readIndex(parts, made);
    const offsets = readInto(descriptor, new Int32Array(parts.offsetBytes / 4));
    const json = readInto(descriptor, Buffer.allocUnsafe(parts.jsonBytes));
    if (hash.update(offsets).update(json).digest('hex') !== sum) return undefined;
    return packOf(index, offsets, json);
  });
}

/**
 * The same one entry after the other, with the JSON of one in memory at a time: `take` has it until it returns. What was
 * taken counts only where the answer is true; otherwise nothing more is read.
 */
export function readPackThrough(
  path: string,
  made: string,
  most: number,
  take: (key: string, json: Buffer) => void,
): boolean {
  const whole = openPack(path, most, (parts) => {
    const { descriptor, hash, sum } = parts;
    const index = readIndex(parts, made);
    hash.update(readInto(descriptor, new Int32Array(parts.offsetBytes / 4)));
    const largest = Math.max(0, ...index.map(([, bytes]) => bytes));
    // A damaged index may say anything.
    if (largest > parts.jsonBytes) return undefined;
    const room = Buffer.allocUnsafe(largest);
    for (const [key, bytes] of index) {
      const json = readInto(descriptor, room.subarray(0, bytes));
      hash.update(json);
      take(key, json);
    }
    return hash.digest('hex') === sum;
  });
  return whole === true;
}

/** An open pack, whose head was read. */
interface Parts {
  readonly descriptor: number;
  readonly hash: Hash;
  /** What `hash` must be at the end. */
  readonly sum: string;
  readonly indexBytes: number;
  readonly offsetBytes: number;
  readonly jsonBytes: number;
}

function openPack<T>(path: string, most: number, read: (parts: Parts) => T | undefined): T | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || !isOwn(stat) || stat.size > most * 2) return undefined;
    const head = readHead(descriptor, stat.size);
    return head && read({ ...head, descriptor, hash: createHash('sha256') });
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readHead(descriptor: number, size: number): Omit<Parts, 'descriptor' | 'hash'> | undefined {
  const head = HEAD.exec(readInto(descriptor, Buffer.alloc(HEAD_BYTES)).toString('latin1'));
  const [, sum = '', ...lengths] = head ?? [];
  const [indexBytes = 0, offsetBytes = 0, jsonBytes = 0] = lengths.map(Number);
  if (HEAD_BYTES + indexBytes + offsetBytes + jsonBytes !== size || offsetBytes % 4 !== 0) return undefined;
  return { sum, indexBytes, offsetBytes, jsonBytes };
}

/** Before the rest: reading goes on after it. */
function readIndex({ descriptor, hash, indexBytes }: Parts, made: string): Index {
  const index = readInto(descriptor, Buffer.allocUnsafe(indexBytes));
  hash.update(made).update(index);
  return JSON.parse(index.toString('utf8')) as Index;
}

function packOf(index: Index, allOffsets: Int32Array, allJson: Buffer): Pack {
  const entries = new Map<string, PackEntry>();
  let offsetsAt = 0;
  let jsonAt = 0;
  for (const [key, jsonBytes, offsetCount] of index) {
    const json = allJson.subarray(jsonAt, jsonAt + jsonBytes);
    const offsets = allOffsets.subarray(offsetsAt, offsetsAt + offsetCount);
    jsonAt += jsonBytes;
    offsetsAt += offsetCount;
    entries.set(key, { key, json, offsets });
  }
  return { find: (key) => entries.get(key), entries: () => entries.values() };
}

/** Throws where the file is shorter. */
function readInto<T extends NodeJS.ArrayBufferView>(descriptor: number, into: T): T {
  for (let at = 0; at < into.byteLength; ) {
    const count = readSync(descriptor, into, at, into.byteLength - at, null);
    if (count === 0) throw new Error('it ends early');
    at += count;
  }
  return into;
}

/** Takes the place of the file before, whole or not at all; a file that cannot be written is none. */
export function writePack(path: string, made: string, entries: readonly PackEntry[]): void {
  const temporary = join(dirname(path), `${randomUUID()}.tmp`);
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeParts(descriptor, made, entries);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch {
    remove(temporary);
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // What could not be written cannot always be removed.
  }
}

function writeParts(descriptor: number, made: string, entries: readonly PackEntry[]): void {
  const index: Index = entries.map(({ key, json, offsets }) => [key, json.length, offsets.length]);
  const hash = createHash('sha256').update(made);
  let at = HEAD_BYTES;
  const write = (parts: readonly Buffer[]): number => {
    const begun = at;
    for (const chunk of chunksOf(parts)) {
      hash.update(chunk);
      for (let done = 0; done < chunk.length; )
        done += writeSync(descriptor, chunk, done, undefined, at + done);
      at += chunk.length;
    }
    return at - begun;
  };
  const lengths = [
    write([Buffer.from(JSON.stringify(index))]),
    write(
      entries.map(({ offsets: { buffer, byteOffset, byteLength } }) =>
        Buffer.from(buffer, byteOffset, byteLength),
      ),
    ),
    write(entries.map(({ json }) => json)),
  ];
  const head = `tradeform-read ${hash.digest('hex')} ${lengths.join(' ')}`;
  writeSync(descriptor, `${head.padEnd(HEAD_BYTES - 1)}\n`, 0, 'latin1');
}

function* chunksOf(parts: readonly Buffer[]): Iterable<Buffer> {
  let chunk: Buffer[] = [];
  let size = 0;
  for (const part of parts) {
    chunk.push(part);
    size += part.length;
    if (size < CHUNK) continue;
    yield Buffer.concat(chunk);
    chunk = [];
    size = 0;
  }
  yield Buffer.concat(chunk);
}

/** Files that were used last are kept longest. */
export function touchPack(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // It is gone, and the next run reads anew.
  }
}
