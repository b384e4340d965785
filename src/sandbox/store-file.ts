import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { DataFileError, formatLine, loadDataFile, writeSnapshot } from './data-file.ts';
import type { Change } from './records.ts';
import { changesOf, type SandboxState } from './state.ts';
import type { Store } from './store.ts';

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
    if (changes.length > 0) this.#queue.push(formatLine(changes));
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
