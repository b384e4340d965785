import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isObject, type Json } from '../model/json.ts';
import type { Change } from './records.ts';
import { changesOf, commit, type SandboxState } from './state.ts';

/**
 * The data file: each line is a checksum, a space and a JSON text. The first line is a header, every other line the list
 * of changes of one request. A snapshot is the same file written again: the changes that make the state out of nothing.
 */
const FORMAT = 'tradeform.sandbox-data/2';
/** Header of versions that wrote no checksums. */
const FORMER_HEADER = '{"format":"tradeform.sandbox-data/1"}';

/** A data file that cannot be used. A last line without its line break is no reason: no request was answered for it. */
export class DataFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DataFileError';
  }
}

interface Loaded {
  /** Lines of changes that were read. */
  readonly lines: number;
  /** Bytes of a torn last line that were dropped. */
  readonly dropped: number;
}

/**
 * Reads a data file into an empty state; undefined where there is none yet. A torn last line is cut off. Any other line
 * that is not as it was written throws a DataFileError: a write that was answered must not be lost without a word.
 */
export function loadDataFile(file: string, state: SandboxState): Loaded | undefined {
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

/** Replaces the data file by a snapshot of the state: written beside it, synced, renamed. */
export function writeSnapshot(file: string, state: SandboxState): void {
  const temporary = `${file}.${process.pid}.tmp`;
  // One that was left behind, or a link that somebody put there: what it leads to is not written.
  rmSync(temporary, { force: true });
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    let text = lineOf({ format: FORMAT });
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

/** The line of the changes of one request. */
export function formatLine(changes: readonly Change[]): string {
  return lineOf(changes);
}

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
    // The checksum is right, and the content is not: nothing that this program writes.
    throw new DataFileError(`line ${number} does not contain changes of the sandbox`);
  }
}

/** The value of a line whose checksum is right, else undefined. */
function parseLine(line: string): unknown {
  const text = line.slice(CHECKSUM_DIGITS + 1);
  return line === `${checksum(text)} ${text}` ? JSON.parse(text) : undefined;
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
