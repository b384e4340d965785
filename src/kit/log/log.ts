import { SYSTEM_CLOCK } from '../../core/command/clock.ts';
import type { Io } from '../../core/command/io.ts';
import type { CommonOptions } from '../../core/command/options.ts';
import { type PresentOptions, present } from '../../core/command/output/present.ts';
import { usage } from '../../core/diagnostics/diagnostic.ts';
import { nameInLog, runView } from '../../core/documents/log.ts';
import { collectionOf, matchesAddress } from '../../core/model/address.ts';
import { compareDecimals } from '../../core/model/decimal.ts';
import { LOG_FORMAT, type LoggedRun } from '../../core/model/generated/log.ts';
import type { ChangeResult, SwitchedTask } from '../../core/model/generated/report.ts';
import type { Medium } from '../../core/render/format.ts';
import { viewText } from '../../core/render/text-layout.ts';
import { type FolderOptions, findRun, type JournalRun, readablePlace, readJournal } from './journal.ts';

interface LogOptions extends CommonOptions, PresentOptions, FolderOptions {
  /** Only runs that were to change these. */
  readonly address?: readonly string[] | undefined;
  /** Only runs that began at this time or later: ISO 8601, in UTC without a zone, or an age such as 12h. */
  readonly since?: string | undefined;
  readonly starts?: boolean | undefined;
  readonly raises?: boolean | undefined;
  readonly failed?: boolean | undefined;
}

/** `tradeform log [DIR]`: the runs of a journal, the newest first. Sends nothing. */
export async function runLog(folder: string | undefined, options: LogOptions, io: Io): Promise<number> {
  const where = readablePlace(folder === undefined ? options : { journal: folder }, io);
  const since = options.since === undefined ? undefined : timeOf(options.since);
  const wrong = options.address?.find(
    (text) => collectionOf(text) === undefined && !/[*]|^[0-9a-f-]{36}$/i.test(text),
  );
  if (wrong !== undefined)
    throw usage(`--address ${wrong}: not an address`, 'Write sniper/morning; * stands for any text.');
  const { runs, diagnostics } = await readJournal(where, io);
  const logged = runs
    .map(loggedRun)
    .filter((run) => since === undefined || Date.parse(run.started_at) >= since)
    .filter((run) => passes(run, options));
  const document = {
    format: LOG_FORMAT,
    folder: where.folder,
    runs: logged,
    diagnostics: diagnostics.map((one) => ({ ...one })),
  };
  return present({ document, command: 'log', exitCode: 0 }, options, io);
}

/** `tradeform log show RUN`: what this run did. */
export async function runLogShow(run: string, options: LogOptions, io: Io): Promise<number> {
  const { run: name, report: document } = await findRun(run, options, io);
  const text = async (medium: Medium) => viewText(runView(name, document, options.journal), medium);
  return present({ document, text, command: 'log show', exitCode: 0 }, options, io);
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds since the epoch. Fails with exit 3. */
function timeOf(text: string): number {
  const [, age, unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (age !== undefined) return SYSTEM_CLOCK.now() - Number(age) * UNITS[unit as keyof typeof UNITS];
  const [, day = '', zone] = TIME.exec(text) ?? [];
  const time = Date.parse(text.length > day.length && zone === undefined ? `${text}Z` : text);
  // A day that does not exist is read as a later one.
  const exists = new Date(Date.parse(day)).getUTCDate() === Number(day.slice(-2));
  if (exists && !Number.isNaN(time)) return time;
  throw usage(
    `--since ${text}: not a time`,
    'Write 2026-11-21, 2026-11-21T08:00:00Z, or an age such as 30m, 12h or 7d.',
  );
}

function passes(run: LoggedRun, { address = [], starts, raises, failed }: LogOptions): boolean {
  const { before, after } = run.exposure;
  const raised = before !== null && after !== null && compareDecimals(after, before) > 0;
  return (
    (address.length === 0 ||
      run.addresses.some((one) => address.some((text) => matchesAddress(text, one)))) &&
    (starts !== true || run.started.length > 0) &&
    (raises !== true || raised) &&
    (failed !== true || run.outcome !== 'done')
  );
}

function loggedRun({ run, report }: JournalRun): LoggedRun {
  const { record, started_at, finished_at, outcome, project, environment } = report;
  const { base_url, login_username } = report.service;
  const { subjects, reason } = record.why;
  const changes: readonly (ChangeResult | SwitchedTask)[] = report.changes;
  const did = (...actions: readonly string[]) =>
    changes
      .filter((change) => change.status === 'done' && change.actions.some((one) => actions.includes(one)))
      .map(nameInLog);
  return {
    ...{ run, started_at, finished_at, outcome, project, environment, reason },
    service: { base_url, login_username },
    command: record.command,
    by: record.by.name,
    commit: record.commit,
    author: record.author,
    dirty: record.dirty,
    subject: subjects[0] ?? null,
    exposure: { before: record.exposure.before, after: record.exposure.after },
    started: did('start', 'finish'),
    stopped: [
      ...did('stop'),
      ...('left_paused' in report ? report.left_paused.map(({ address }) => address) : []),
    ],
    deleted: did('delete'),
    addresses: changes.map(({ address, id }) => address ?? id ?? ''),
  };
}
