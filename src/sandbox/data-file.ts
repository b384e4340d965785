import { closeSync, fsyncSync, openSync, readFileSync, renameSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Change } from './records.ts';
import { changesOf, commit, type SandboxState } from './state.ts';

/**
 * The data file: one JSON text a line. The first is a header, every other one the list of changes of one request. A
 * snapshot is the same thing written anew: the changes that make the state out of nothing.
 */
const FORMAT = 'tradeform.sandbox-data/1';

/** A data file that cannot be used; a torn last line is no reason. */
export class DataFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DataFileError';
  }
}

export interface Loaded {
  /** Lines of changes that were read. */
  readonly lines: number;
  /** Bytes of a torn last line that were dropped. */
  readonly dropped: number;
}

/** Reads a data file into an empty state; undefined where there is none yet. Cuts a torn last line off. */
export function loadDataFile(file: string, state: SandboxState): Loaded | undefined {
  const bytes = readIfPresent(file);
  if (bytes === undefined || bytes.length === 0) return undefined;
  let start = 0;
  let lines = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(10, start);
    const parsed = end < 0 ? undefined : parseLine(bytes.toString('utf8', start, end));
    const last = end < 0 || end === bytes.length - 1;
    if (parsed === undefined && !last) throw new DataFileError(`line ${lines + 1} is damaged`);
    if (parsed === undefined) break;
    if (lines === 0) expectHeader(parsed);
    else commit(state, parsed as Change[]);
    lines += 1;
    start = end + 1;
  }
  if (lines === 0) throw new DataFileError('it is not a data file of the sandbox');
  if (start < bytes.length) truncateSync(file, start);
  return { lines: lines - 1, dropped: bytes.length - start };
}

/** Replaces the data file by a snapshot of the state: written beside it, synced, renamed. */
export function writeSnapshot(file: string, state: SandboxState): void {
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = openSync(temporary, 'w', 0o600);
  try {
    let text = `${JSON.stringify({ format: FORMAT })}\n`;
    for (const change of changesOf(state)) {
      text += formatLine([change]);
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

export function formatLine(changes: readonly Change[]): string {
  return `${JSON.stringify(changes)}\n`;
}

function readIfPresent(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new DataFileError(error instanceof Error ? error.message : String(error));
  }
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function expectHeader(value: unknown): void {
  if (typeof value === 'object' && value !== null && 'format' in value && value.format === FORMAT) return;
  throw new DataFileError(`it does not begin with the header ${FORMAT}`);
}

/** A rename is durable once its folder is synced. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
