import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { type Diagnostic, problem } from '../../diagnostics/diagnostic.ts';
import { errorCode, systemWords } from '../../diagnostics/system-words.ts';
import { beginningOf } from '../../project/beginning.ts';
import { goalOf, StrayingLink } from '../../project/door/straying.ts';
import { replaceFile } from '../../project/replace-file.ts';
import { FORMATS, type Format, formatRow, isFormat } from '../../render/format.ts';
import { METRICS_MARK } from '../../render/metrics.ts';
import type { Io } from '../io.ts';
import { unwritten } from '../unwritten.ts';

/** One `--report FORMAT=FILE` that can be written, or the file of `--metrics`. */
interface ReportFile<Written extends Format | 'metrics' = Format> {
  readonly format: Written;
  /** The option as written on the command line. */
  readonly option: string;
  /** The file name as given. */
  readonly file: string;
  readonly path: string;
}

interface CheckedReports {
  readonly files: readonly ReportFile[];
  /** What is wrong with the unusable ones: exit 3, before anything is sent. */
  readonly diagnostics: readonly Diagnostic[];
}

const BEGINNING = 512;
/** Of a folder that is missing or cannot be written. */
const UNWRITABLE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EROFS']);

/** The endings of manifests. A report with such an ending would be read as a manifest. */
const MANIFEST_ENDINGS = ['.yaml', '.yml'];

/**
 * Reads the values of `--report` and `--metrics` and checks the files that they name. `taken` are the other words of the
 * command line: no report may overwrite a file that one of them names (a plan, a token file).
 */
export async function checkReports(
  { report, metrics }: { readonly report: readonly string[]; readonly metrics?: string | undefined },
  cwd: string,
  taken: readonly string[],
): Promise<CheckedReports> {
  const files: ReportFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const known = new Map(taken.map((word) => [identity(resolve(cwd, word)), word]));
  for (const value of report) {
    const read = readValue(value, cwd);
    const problem = 'problem' in read ? read.problem : await fileProblem(read, known);
    if (problem !== undefined) diagnostics.push(problem);
    else if (!('problem' in read)) {
      files.push(read);
      known.set(identity(read.path), read.option);
    }
  }
  if (metrics !== undefined) {
    const file = { format: 'metrics', option: `--metrics ${metrics}`, path: resolve(cwd, metrics) } as const;
    const problem = await fileProblem({ ...file, file: metrics }, known);
    if (problem !== undefined) diagnostics.push(problem);
  }
  return { files, diagnostics };
}

/** Writes a report, masked, completely or not at all. A failure becomes a diagnostic. */
export async function writeReport(
  { file, path }: ReportFile,
  text: string,
  { masking }: Pick<Io, 'masking'>,
): Promise<Diagnostic | undefined> {
  try {
    await replaceFile(path, masking.text(text), { mode: 0o666 });
    return undefined;
  } catch (error) {
    const hint = 'No partial file was left; write to another place with --report.';
    return unwritten(`the report could not be written to ${file}`, error, hint);
  }
}

function readValue(value: string, cwd: string): ReportFile | { readonly problem: Diagnostic } {
  const at = value.indexOf('=');
  const format = at < 0 ? value : value.slice(0, at);
  const file = at < 0 ? '' : value.slice(at + 1);
  if (!isFormat(format))
    return {
      problem: invalid(
        `--report ${value}: unknown format ${JSON.stringify(format)}`,
        `Write --report FORMAT=FILE; the formats are ${FORMATS.join(', ')}.`,
      ),
    };
  if (file === '' || file.endsWith('/'))
    return { problem: invalid(`--report ${value} names no file`, `Write --report ${format}=FILE.`) };
  return { format, option: `--report ${value}`, file, path: resolve(cwd, file) };
}

async function fileProblem(
  { format, option, path }: ReportFile<Format | 'metrics'>,
  known: ReadonlyMap<string, string>,
): Promise<Diagnostic | undefined> {
  const other = known.get(identity(path));
  if (other !== undefined)
    return invalid(`${option} writes to the same file as ${other}`, 'Each report needs its own file.');
  if (MANIFEST_ENDINGS.includes(extname(path).toLowerCase())) {
    const message = `${option}: a report must not end in ${extname(path)}, or it would be read as a manifest`;
    return invalid(message, 'Use another ending.');
  }
  try {
    accessSync(dirname(goalOf(path)), constants.W_OK);
    const start = await beginningOf(path, BEGINNING);
    const isOurs = format === 'metrics' ? start.startsWith(METRICS_MARK) : formatRow(format).begins(start);
    if (start === '' || isOurs) return undefined;
  } catch (error) {
    const what = `${option} is not writable`;
    const isFolder = UNWRITABLE.has(errorCode(error) ?? '');
    if (isFolder || error instanceof StrayingLink) return unwritten(what, error, 'Use another file.');
    return invalid(`${what}: ${systemWords(error)}`, 'Use another file.');
  }
  return invalid(
    `${option}: the file exists and is not a ${format} report of tradeform; it is not overwritten`,
    'Use another file, or remove this one first.',
  );
}

function invalid(message: string, hint: string): Diagnostic {
  return problem('invalid-option', message, hint);
}

/** One name for one file, however it is reached. For a missing file, the path itself. */
function identity(path: string): string {
  try {
    const real = realpathSync(path);
    const { dev, ino, nlink } = statSync(real);
    return nlink > 1 ? `${dev}:${ino}` : real;
  } catch {
    return path;
  }
}
