import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject, type Json } from '../model/json.ts';
import type { Change } from './records.ts';
import type { Store } from './sandbox.ts';
import { changesOf, commit, type SandboxState } from './state.ts';

/** A journal with more lines than this, and with more than twice the number of records, is replaced by a snapshot. */
const COMPACT_ABOVE = 20_000;

/**
 * Loads the data file into an empty state and returns the store that maintains it: an append-only journal, synced before {@link
 * Store.flushed} resolves, and replaced by a snapshot after it has grown long. A killed process restarts with everything that
 * it had answered. Throws a DataFileError for a file that is damaged, not a data file, or in use by another sandbox.
 */
export function openFileStore(file: string, state: SandboxState): Store {
  const unlock = lockDataFile(file);
  try {
    const loaded = loadDataFile(file, state);
    const lines = loaded?.lines ?? 0;
    const compact = loaded === undefined || lines > 2 * count(changesOf(state)) + 1000;
    if (compact) writeSnapshot(file, state);
    return new FileStore(file, state, compact ? 0 : lines, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

class FileStore implements Store {
  readonly #file: string;
  readonly #state: SandboxState;
  readonly #unlock: () => void;
  #lines: number;
  #size: number;
  #queue: string[] = [];
  #failure: Error | undefined;
  #handle: FileHandle | undefined;
  #writing: Promise<void> | undefined;

  constructor(file: string, state: SandboxState, lines: number, unlock: () => void) {
    this.#file = file;
    this.#state = state;
    this.#unlock = unlock;
    this.#lines = lines;
    this.#size = statSync(file).size;
  }

  append(changes: readonly Change[]): void {
    if (changes.length > 0) this.#queue.push(lineOf(changes));
  }

  /**
   * Requests that wait at the same time share one write and one sync. After a failed write nothing is answered any more,
   * because the state in memory differs from the disk.
   */
  async flushed(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    while (this.#writing !== undefined || this.#queue.length > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  async close(): Promise<void> {
    try {
      await this.flushed();
    } finally {
      await this.#handle?.close();
      this.#handle = undefined;
      this.#unlock();
    }
  }

  async #write(): Promise<void> {
    try {
      await this.#appendQueue();
    } catch (error) {
      // The content of the disk is unknown now: nothing may be answered or appended after this.
      this.#failure = error instanceof Error ? error : new Error(String(error));
      throw this.#failure;
    }
  }

  async #appendQueue(): Promise<void> {
    const lines = this.#queue;
    this.#queue = [];
    const text = lines.join('');
    const handle = await this.#open();
    await handle.appendFile(text);
    await handle.datasync();
    this.#size += Buffer.byteLength(text);
    this.#lines += lines.length;
    if (this.#lines > COMPACT_ABOVE && this.#lines > 2 * count(changesOf(this.#state))) await this.#compact();
  }

  /** Fails if another process changed the file: two sandboxes on one file would lose answers. */
  async #open(): Promise<FileHandle> {
    this.#handle ??= await open(this.#file, 'a', 0o600);
    const [ours, there] = await Promise.all([this.#handle.stat(), stat(this.#file)]);
    if (ours.ino !== there.ino || there.size !== this.#size) {
      throw new Error(`${this.#file} was changed by another process`);
    }
    return this.#handle;
  }

  /** The state already contains all queued changes, so the snapshot replaces the queue. */
  async #compact(): Promise<void> {
    this.#queue = [];
    writeSnapshot(this.#file, this.#state);
    this.#lines = 0;
    this.#size = statSync(this.#file).size;
    await this.#handle?.close();
    this.#handle = undefined;
  }
}

function count(items: Iterable<unknown>): number {
  let total = 0;
  for (const _item of items) total += 1;
  return total;
}

/**
 * Locks a data file for this process. The returned function releases the lock. Two sandboxes on one file would each lose what
 * the other one answered. `FILE.lock` holds the process id. The lock of a dead process is taken over. Throws a DataFileError if
 * a live process holds the file.
 */
function lockDataFile(file: string): () => void {
  const lock = `${file}.lock`;
  if (!created(lock)) {
    const holder = holderOf(lock);
    if (holder !== process.pid && isAlive(holder)) {
      const who = holder > 0 ? `the sandbox with process id ${holder}` : 'another sandbox';
      throw new DataFileError(`${who} uses it; stop that process, or remove ${lock} if none is running`);
    }
    rmSync(lock, { force: true });
    if (!created(lock)) throw new DataFileError('another sandbox has just taken it');
  }
  return () => rmSync(lock, { force: true });
}

function created(lock: string): boolean {
  try {
    writeFileSync(lock, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** 0 if the lock has no process id yet: its owner is about to write it. */
function holderOf(lock: string): number {
  const id = Number(readFileSync(lock, 'utf8'));
  return Number.isSafeInteger(id) && id > 0 ? id : 0;
}

function isAlive(id: number): boolean {
  if (id === 0) return true;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // EPERM: the process is alive and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * The data file: each line is a checksum, a space and a JSON text. The first line is a header. Every other line holds the
 * changes of one request. A snapshot has the same format: it holds the changes that create the state from nothing.
 */
const FORMAT = 'tradeform.sandbox-data/2';
/** The header of earlier versions, which wrote no checksums. */
const FORMER_HEADER = '{"format":"tradeform.sandbox-data/1"}';

/** An unusable data file. A last line without its line break is no reason, because its request was never answered. */
export class DataFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DataFileError';
  }
}

interface Loaded {
  /** The number of lines with changes that were read. */
  readonly lines: number;
  /** The bytes of an incomplete last line that were dropped. */
  readonly dropped: number;
}

/**
 * Reads a data file into an empty state. Undefined if the file does not exist yet. An incomplete last line is dropped. Any
 * other damaged line throws a DataFileError, because a write that was answered must not be lost silently.
 */
function loadDataFile(file: string, state: SandboxState): Loaded | undefined {
  const bytes = readIfPresent(file);
  if (bytes === undefined || bytes.length === 0) return undefined;
  let start = 0;
  let lines = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    const text = bytes.toString('utf8', start, end);
    if (lines === 0) expectHeader(text);
    else commitLine(state, text, lines + 1);
    lines += 1;
    start = end + 1;
  }
  if (lines === 0) throw new DataFileError('it is not a data file of the sandbox');
  if (start < bytes.length) truncateSync(file, start);
  return { lines: lines - 1, dropped: bytes.length - start };
}

/** Replaces the data file by a snapshot of the state: written beside it, synced, then renamed. */
function writeSnapshot(file: string, state: SandboxState): void {
  const temporary = `${file}.${process.pid}.tmp`;
  // A leftover file, or a link that somebody placed there. The target of the link must not be written.
  rmSync(temporary, { force: true });
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    let text = lineOf({ format: FORMAT });
    for (const change of changesOf(state)) {
      text += lineOf([change]);
      if (text.length > 1 << 20) {
        writeSync(handle, text);
        text = '';
      }
    }
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
  syncFolder(dirname(file));
}

/** A line is the format, or the changes of one request. */
function lineOf(value: object): string {
  const text = JSON.stringify(value);
  return `${checksum(text)} ${text}\n`;
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, CHECKSUM_DIGITS);
}

const CHECKSUM_DIGITS = 16;

function readIfPresent(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new DataFileError(error instanceof Error ? error.message : String(error));
  }
}

function expectHeader(line: string): void {
  if (line === FORMER_HEADER)
    throw new DataFileError('an earlier version wrote it, without checksums; start with a new file');
  const header = parseLine(line) as Json | undefined;
  if (header !== undefined && isObject(header) && header.format === FORMAT) return;
  throw new DataFileError(`it does not start with the header ${FORMAT}`);
}

function commitLine(state: SandboxState, line: string, number: number): void {
  const changes = parseLine(line);
  if (changes === undefined) throw new DataFileError(`line ${number} is damaged`);
  try {
    commit(state, changes as Change[]);
  } catch {
    // The checksum is correct but the content is not, so this program did not write it.
    throw new DataFileError(`line ${number} does not contain changes of the sandbox`);
  }
}

/** The value of a line with a correct checksum, else undefined. */
function parseLine(line: string): unknown {
  const text = line.slice(CHECKSUM_DIGITS + 1);
  return line === `${checksum(text)} ${text}` ? JSON.parse(text) : undefined;
}

/** A rename is durable only after its folder is synced. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
