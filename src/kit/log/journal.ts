import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Io } from '../../core/command/io.ts';
import { type CommonOptions, chosenEnvironment } from '../../core/command/options.ts';
import {
  folderName,
  type JournalOptions,
  type JournalPlace,
  journalPlace,
} from '../../core/command/output/journal.ts';
import { showDiagnostics } from '../../core/command/show-diagnostics.ts';
import { CommandFailure, type Diagnostic, usage, warning } from '../../core/diagnostics/diagnostic.ts';
import { systemWords } from '../../core/diagnostics/system-words.ts';
import { isSwitched } from '../../core/documents/document.ts';
import { byKey } from '../../core/model/by-key.ts';
import type { FleetUnit } from '../../core/model/generated/fleet-report.ts';
import { REPORT_FORMAT, type Report } from '../../core/model/generated/report.ts';
import { isPauseOfAll } from '../../core/model/switched.ts';
import { findUpward } from '../../core/project/find-project.ts';
import { readSettings } from '../../core/project/settings.ts';
import { readDocument } from '../report/saved.ts';

export type FolderOptions = Pick<JournalOptions, 'journal'>;

export interface JournalRun {
  /** Its name without the ending. */
  readonly run: string;
  readonly report: Report;
}

type PlaceOptions = FolderOptions & CommonOptions;

/** The named journal, or the user's own: there the project of the working directory, or all. Fails with exit 3 without one. */
export function readablePlace(options: PlaceOptions, io: Io, everywhere = false): JournalPlace {
  const place = journalPlace(options, io);
  if (place === undefined) throw usage('no journal is named', 'Name its folder, or set TRADEFORM_JOURNAL.');
  const { cwd, env } = io;
  const { project: projectFile } = options;
  if (everywhere || !place.own || (projectFile === undefined && findUpward(cwd) === undefined)) return place;
  const environment = chosenEnvironment(options.environment, env);
  const { settings } = readSettings({ cwd, env, projectFile, environment });
  return { ...place, folder: join(place.folder, settings === undefined ? '' : folderName(settings.project)) };
}

/** All runs of a folder that are meant, the newest first. A file that cannot be read is a warning. Fails (exit 3) without a folder. */
export async function readJournal(
  place: JournalPlace,
  io: Io,
  isMeant: (report: Report) => boolean = () => true,
): Promise<{ readonly runs: readonly JournalRun[]; readonly diagnostics: readonly Diagnostic[] }> {
  const runs: JournalRun[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const path of await runsIn(place, io)) {
    try {
      const run = await readRun(path, io);
      if (isMeant(run.report)) runs.push(run);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      diagnostics.push(...error.diagnostics.map((one) => warning(one.code, one.message, one.hint)));
    }
  }
  runs.sort((a, b) => Date.parse(b.report.started_at) - Date.parse(a.report.started_at));
  return { runs, diagnostics };
}

/** The run with this name, or the only one whose name begins or ends so, of any project; or the newest one here. Fails with exit 3. */
export async function findRun(word: string, options: PlaceOptions, io: Io): Promise<JournalRun> {
  const place = readablePlace(options, io, word !== 'latest');
  const { folder } = place;
  if (word === 'latest') {
    const { runs, diagnostics } = await readJournal(place, io);
    showDiagnostics(diagnostics, io);
    if (runs[0] === undefined) throw usage(`${folder} has no run`);
    return runs[0];
  }
  const paths = await runsIn(place, io);
  const fit = paths.filter((path) => nameOf(path).startsWith(word) || nameOf(path).endsWith(word));
  const found = fit.length > 1 ? fit.filter((path) => nameOf(path) === word) : fit;
  const [path] = found;
  if (path === undefined || found.length > 1)
    throw usage(
      `${fit.length === 0 ? 'no run' : 'more than one run'} of ${folder} is named ${JSON.stringify(word)}`,
      '`tradeform log` lists the runs; `latest` is the newest one.',
    );
  return readRun(path, io);
}

/** What is at stake in an account that cannot be read is a number beside what failed: nobody waits for more. */
const MOST_READ = 20;

/** SOL at stake after the newest run in the user's own journal that saw all tasks of a project in an account, and its time. */
export async function lastStake(
  project: string,
  isAccount: (service: Report['service']) => boolean,
  io: Io,
): Promise<FleetUnit['last_known']> {
  const { folder, own } = journalPlace({}, io) ?? {};
  if (folder === undefined || own !== true) return undefined;
  const paths = await runsIn({ folder: join(folder, folderName(project)), own }, io);
  for (const runs of byKey(paths.reverse(), dirname).values()) {
    for (const path of runs.slice(0, MOST_READ)) {
      const { report } = (await readRun(path, io).catch(() => undefined)) ?? {};
      if (report === undefined) continue;
      // Each account has a folder.
      if (!isAccount(report.service)) break;
      // A switch counts the chosen tasks alone. Of a run that died nobody knows what it did.
      const isWhole = !isSwitched(report) || isPauseOfAll(report.record);
      const sol = isWhole && report.outcome !== 'begun' ? report.record.exposure.after : null;
      if (sol !== null) return { sol, at: report.started_at };
    }
  }
  return undefined;
}

function nameOf(path: string): string {
  return basename(path, '.json');
}

/** A report of 10,000 changes has 61 MB. */
const MOST_MEGABYTES = 128;
const DEEPEST = 64;

async function readRun(path: string, io: Io): Promise<JournalRun> {
  const run = nameOf(path);
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

/** The files of the runs. The user's own folder is there only after the first run. */
async function runsIn({ folder, own }: JournalPlace, io: Io): Promise<string[]> {
  try {
    const files = await readdir(resolve(io.cwd, folder), { recursive: own });
    // A temporary file of a run at work begins with a dot.
    return files
      .filter((file) => /^[^.].*\.json$/s.test(basename(file)))
      .map((file) => join(folder, file))
      .sort();
  } catch (error) {
    if (own && (error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw usage(`${folder} cannot be read: ${systemWords(error)}`);
  }
}
