import type { Io } from '../../core/command/io.ts';
import { usage } from '../../core/diagnostics/diagnostic.ts';
import { type ResumeOptions, runResume } from '../../core/features/switch/resume.ts';
import { findRun } from './journal.ts';

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
  if (!('verified' in report) || report.record.command !== 'pause')
    throw usage(`${run} is not a pause`, '`tradeform log` lists the runs.');
  const stopped = report.changes.filter(({ former }) => former !== null);
  if (stopped.length === 0) throw usage(`the record of ${run} names no task that the pause stopped`);
  const ids = stopped.map(({ kind: collection, id }) => `${collection}/${id}`);
  return runResume(ids, { ...options, stopped: { from: run, report } }, io);
}
