import type { Io } from '../../core/command/io.ts';
import { showDiagnostics } from '../../core/command/show-diagnostics.ts';
import { usage } from '../../core/diagnostics/diagnostic.ts';
import { isSwitched } from '../../core/documents/document.ts';
import { type ResumeOptions, runResume } from '../../core/features/switch/resume.ts';
import type { Report, SwitchReport } from '../../core/model/generated/report.ts';
import { findRun, readablePlace, readJournal } from './journal.ts';

export type ResumeFromOptions = Omit<ResumeOptions, 'stopped'> & { readonly from?: string | undefined };

/** `tradeform resume`; `--from RUN`: of what the record of that pause names. */
export async function runResumeFrom(
  names: readonly string[],
  { from, ...options }: ResumeFromOptions,
  io: Io,
): Promise<number> {
  if (from === undefined) return runResume(names, options, io);
  const { all, includeUnmanaged, kind = [], label = [] } = options;
  if (names.length + kind.length + label.length > 0 || all === true || includeUnmanaged === true)
    throw usage('--from chooses the tasks itself', 'Leave out the names, and the options that choose.');
  const { run, report } = await findRun(from, options, io);
  if (!isPause(report)) throw usage(`${run} is not a pause`, '`tradeform log` lists the runs.');
  const stopped = report.changes.filter(({ former }) => former !== null);
  if (stopped.length === 0) throw usage(`the record of ${run} names no task that the pause stopped`);
  const ids = stopped.map(({ kind: collection, id }) => `${collection}/${id}`);
  const pauses = async () => {
    const { runs, diagnostics } = await readJournal(readablePlace(options, io, true), io, isPause);
    showDiagnostics(diagnostics, io);
    return runs.flatMap((one) =>
      isPause(one.report) && isSameAccount(one.report, report) ? [{ run: one.run, report: one.report }] : [],
    );
  };
  return runResume(ids, { ...options, stopped: { run, report, pauses } }, io);
}

/** As far as is known: a pause goes on without an answer about its account. */
function isSameAccount({ service: one }: Report, { service: other }: Report): boolean {
  const [login, known] = [one.login_username, other.login_username];
  return one.base_url === other.base_url && (login === null || known === null || login === known);
}

function isPause(report: Report): report is SwitchReport {
  return isSwitched(report) && report.record.command === 'pause';
}
