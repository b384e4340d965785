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

/** Replaces the data file by a snapshot of the state: written beside it, synced, then renamed. */
export function writeSnapshot(file: string, state: SandboxState): void {
  const temporary = `${file}.${process.pid}.tmp`;
  // A leftover file, or a link that somebody placed there. The target of the link must not be written.
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
