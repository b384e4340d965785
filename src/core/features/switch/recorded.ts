import type { ApprovalOptions } from '../../command/approval.ts';
import { isInJob } from '../../command/event.ts';
import type { Io } from '../../command/io.ts';
import type { CommonOptions } from '../../command/options.ts';
import type { Journal, JournalOptions } from '../../command/output/journal.ts';
import { optionWords, type ReasonOptions, recordOf } from '../../command/record.ts';
import type { RunRecord, SwitchReport } from '../../model/generated/report.ts';
import { readGit } from '../../project/git-state.ts';
import type { OperatorOptions } from './context.ts';

export { openJournal } from '../../command/output/journal.ts';

const DECIDING = {
  all: '--all',
  label: '--label',
  kind: '--kind',
  includeUnmanaged: '--include-unmanaged',
  held: '--held',
  asStored: '--as-stored',
  override: '--override',
  from: '--from',
  freeze: '--no-freeze',
};

/** The options of the switch that stand in a record, and those that decide nothing or stand elsewhere in it. */
export type Recorded =
  | keyof (typeof DECIDING & CommonOptions & ApprovalOptions & JournalOptions & ReasonOptions)
  | ('beside' | 'dryRun' | 'expect' | 'id' | 'projectName' | 'save' | 'stopped');

/** The record of a run of the switch. Never fails. */
export async function recordOfSwitch(
  command: SwitchReport['record']['command'],
  options: ReasonOptions & Readonly<Partial<Record<Recorded, unknown>>>,
  { exposure, digest }: Pick<RunRecord, 'exposure'> & { readonly digest: string | null },
  io: Io,
): Promise<SwitchReport['record']> {
  const { commit, dirty } = await readGit({ projectDir: io.cwd }, io.env);
  const { autoApprove, dryRun, expect } = options;
  const asked = expect !== undefined ? 'expect' : autoApprove === true ? 'auto-approve' : 'question';
  const from = command === 'pause' || dryRun === true ? 'none' : asked;
  const words = optionWords({ ...options, freeze: options.freeze === false }, DECIDING);
  const known = { command, commit, dirty, base: null, exposure, options: words };
  return recordOf({ ...known, approval: { from, digest } }, options, io);
}

/** The last line of a pause that was kept: what starts again exactly what it stopped. Empty if it stopped nothing, and if `resume --all` does it. */
export function wayBack(
  { record, changes }: SwitchReport,
  journal: Journal | undefined,
  { environment, projectName, journal: folder }: OperatorOptions & JournalOptions,
  { env }: Io,
): string {
  const kept = journal !== undefined && journal.problems.length === 0 && !isInJob(env);
  const isOther = record.options.join() !== '--all' && changes.some(({ former }) => former !== null);
  if (!kept || record.command !== 'pause' || !isOther) return '';
  const words = { from: journal.run, environment, 'project-name': projectName, journal: folder };
  const given = Object.entries(words).flatMap(([name, value]) => (value ? ` --${name} ${value}` : []));
  return `To start again what this pause stopped: tradeform resume${given.join('')}\n`;
}
