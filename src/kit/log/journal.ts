import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Io } from '../../core/command/io.ts';
import type { JournalOptions } from '../../core/command/output/journal.ts';
import { showDiagnostics } from '../../core/command/show-diagnostics.ts';
import { systemWords } from '../../core/command/system-words.ts';
import { CommandFailure, type Diagnostic, usage, warning } from '../../core/diagnostics/diagnostic.ts';
import { REPORT_FORMAT, type Report } from '../../core/model/generated/report.ts';
import { readDocument } from '../report/saved.ts';

export type FolderOptions = Pick<JournalOptions, 'journal'>;

/** A file of the journal. */
export interface JournalRun {
  /** Its name without the ending. */
  readonly run: string;
  readonly report: Report;
}

export function journalFolder({ journal }: FolderOptions, { env }: Io): string {
  const folder = journal ?? (env.TRADEFORM_JOURNAL || undefined);
  if (folder === undefined) throw usage('no journal is named', 'Name its folder, or set TRADEFORM_JOURNAL.');
  return folder;
}

/** All runs of a folder, the newest first. A file that cannot be read is a warning. Fails (exit 3) without a folder. */
export async function readJournal(
  folder: string,
  io: Io,
): Promise<{ readonly runs: readonly JournalRun[]; readonly diagnostics: readonly Diagnostic[] }> {
  const runs: JournalRun[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const run of await runsIn(folder, io)) {
    try {
      runs.push(await readRun(folder, run, io));
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      diagnostics.push(...error.diagnostics.map((one) => warning(one.code, one.message, one.hint)));
    }
  }
  runs.sort((a, b) => Date.parse(b.report.started_at) - Date.parse(a.report.started_at));
  return { runs, diagnostics };
}

/** The run with this name, or the only one whose name begins or ends so, or the newest one. Fails with exit 3. */
export async function findRun(word: string, folder: string, io: Io): Promise<JournalRun> {
  if (word === 'latest') {
    const { runs, diagnostics } = await readJournal(folder, io);
    showDiagnostics(diagnostics, io);
    if (runs[0] === undefined) throw usage(`${folder} has no run`);
    return runs[0];
  }
  const named = await runsIn(folder, io);
  const found = named.includes(word)
    ? [word]
    : named.filter((name) => name.startsWith(word) || name.endsWith(word));
  const [name] = found;
  if (name === undefined || found.length > 1)
    throw usage(
      `${found.length === 0 ? 'no run' : 'more than one run'} of ${folder} is named ${JSON.stringify(word)}`,
      '`tradeform log` lists the runs; `latest` is the newest one.',
    );
  return readRun(folder, name, io);
}

/** A report of 10,000 changes has 61 MB. */
const MOST_MEGABYTES = 128;
const DEEPEST = 64;

async function readRun(folder: string, run: string, io: Io): Promise<JournalRun> {
  const path = join(folder, `${run}.json`);
  const unfit = (why: string) =>
    CommandFailure.of(3, 'document-invalid', `${path} belongs to no journal: ${why}`);
  if (/\p{Cc}/u.test(run)) throw unfit('its name has a control character');
  // What cannot be found is said when it is read.
  const found = await stat(resolve(io.cwd, path)).catch(() => undefined);
  if ((found?.size ?? 0) > MOST_MEGABYTES * 1e6) throw unfit(`it is larger than ${MOST_MEGABYTES} MB`);
  const document = await readDocument(path, io.cwd);
  if (document.format !== REPORT_FORMAT) throw unfit(`its format is ${document.format}`);
  let level: readonly unknown[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) throw unfit(`it is nested more than ${DEEPEST} levels deep`);
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return { run, report: document };
}

/** Names of files without the ending. */
async function runsIn(folder: string, io: Io): Promise<readonly string[]> {
  try {
    const files = await readdir(resolve(io.cwd, folder));
    // A temporary file of a run at work begins with a dot.
    return files.flatMap((file) => /^([^.].*)\.json$/s.exec(file)?.[1] ?? []).sort();
  } catch (error) {
    throw usage(`${folder} cannot be read: ${systemWords(error)}`);
  }
}
