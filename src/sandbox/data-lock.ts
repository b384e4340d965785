import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DataFileError } from './data-file.ts';

/**
 * Takes a data file for this process; the returned function gives it back. Two sandboxes on one file would each lose what
 * the other one answered. `FILE.lock` holds the process id; the lock of a process that is gone is taken over.
 * Throws a DataFileError where a process that lives holds the file.
 */
export function lockDataFile(file: string): () => void {
  const lock = `${file}.lock`;
  if (!created(lock)) {
    const holder = holderOf(lock);
    if (holder !== process.pid && isAlive(holder)) {
      const who = holder > 0 ? `the sandbox with process id ${holder}` : 'another sandbox';
      throw new DataFileError(`${who} uses it; stop that one, or remove ${lock} where none runs`);
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

/** 0 where the lock holds no process id: its owner is about to write it. */
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
    // EPERM: it lives and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
