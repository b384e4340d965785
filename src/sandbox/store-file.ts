import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../core/diagnostics/system-words.ts';
import type { Change } from './records.ts';
import type { Store } from './sandbox.ts';
import { changesOf, commit, type SandboxState } from './state.ts';

/**
 * Loads the data file into an empty state and returns the store that maintains it: an append-only journal, synced before {@link
 * Store.flushed} resolves, which begins with a snapshot of the state. A killed process restarts with everything that it had
 * answered. Throws a DataFileError for a file that is damaged, not a data file, or in use by another sandbox.
 */
export function openFileStore(file: string, state: SandboxState): Store {
  const unlock = lockDataFile(file);
  try {
    loadDataFile(file, state);
    writeSnapshot(file, state);
    return storeAt(file, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

function storeAt(file: string, unlock: () => void): Store {
  let { size } = statSync(file);
  let queue: string[] = [];
  let failure: unknown;
  let handle: FileHandle | undefined;
  let writing: Promise<void> | undefined;

  /** Fails if another process changed the file: two sandboxes on one file would lose answers. */
  const opened = async () => {
    handle ??= await open(file, 'a', 0o600);
    const [ours, there] = await Promise.all([handle.stat(), stat(file)]);
    if (ours.ino !== there.ino || there.size !== size)
      throw new Error(`${file} was changed by another process`);
    return handle;
  };
  const write = async () => {
    const text = queue.join('');
    queue = [];
    try {
      const ours = await opened();
      await ours.appendFile(text);
      await ours.datasync();
      size += Buffer.byteLength(text);
    } catch (error) {
      // The content of the disk is unknown now: nothing may be answered or appended after this.
      failure = error;
      throw error;
    }
  };
  /**
   * Requests that wait at the same time share one write and one sync. After a failed write nothing is answered any more,
   * because the state in memory differs from the disk.
   */
  const flushed = async () => {
    if (failure !== undefined) throw failure;
    while (writing !== undefined || queue.length > 0) {
      writing ??= write().finally(() => {
        writing = undefined;
      });
      await writing;
    }
  };
  return {
    append(changes) {
      if (changes.length > 0) queue.push(lineOf(changes));
    },
    flushed,
    async close() {
      try {
        await flushed();
      } finally {
        await handle?.close();
        unlock();
      }
    },
  };
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
    if (errorCode(error) === 'EEXIST') return false;
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
    return errorCode(error) === 'EPERM';
  }
}

/** The first line of the data file. Every other line holds the changes of one request, as JSON. */
const HEADER = '{"format":"tradeform.sandbox-data/1"}';

/** An unusable data file. A last line without its line break is no reason, because its request was never answered. */
export class DataFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DataFileError';
  }
}

/**
 * Reads a data file into an empty state. A missing or empty file leaves it empty. An incomplete last line is dropped. Any other
 * damaged line throws a DataFileError, because a write that was answered must not be lost silently.
 */
function loadDataFile(file: string, state: SandboxState): void {
  const text = readIfPresent(file);
  if (text === '') return;
  const [header, ...lines] = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  if (header !== HEADER) throw new DataFileError(`it does not start with the header ${HEADER}`);
  for (const [at, line] of lines.slice(0, -1).entries()) {
    try {
      commit(state, JSON.parse(line) as Change[]);
    } catch {
      throw new DataFileError(`line ${at + 2} is damaged`);
    }
  }
}

/** Replaces the data file by a snapshot of the state: written beside it, synced, then renamed. */
function writeSnapshot(file: string, state: SandboxState): void {
  const temporary = `${file}.${process.pid}.tmp`;
  // A leftover file, or a link that somebody placed there. The target of the link must not be written.
  rmSync(temporary, { force: true });
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(handle, `${HEADER}\n`);
    for (const change of changesOf(state)) writeSync(handle, lineOf([change]));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
  syncFolder(dirname(file));
}

function lineOf(changes: readonly Change[]): string {
  return `${JSON.stringify(changes)}\n`;
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw new DataFileError(error instanceof Error ? error.message : String(error));
  }
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
