import type { Io } from '../../command/io.ts';
import { optionWords, type ReasonOptions, recordOf } from '../../command/record.ts';
import type { RunRecord, SwitchReport } from '../../model/generated/report.ts';
import { readGit } from '../../project/git-state.ts';

export { openJournal } from '../../command/output/journal.ts';

const DECIDING = {
  all: '--all',
  label: '--label',
  kind: '--kind',
  includeUnmanaged: '--include-unmanaged',
  held: '--held',
  asStored: '--as-stored',
  override: '--override',
};

/** The record of a run of the switch. Never fails. */
export async function recordOfSwitch(
  command: SwitchReport['record']['command'],
  options: ReasonOptions & {
    readonly autoApprove?: boolean;
    readonly dryRun?: boolean | undefined;
    readonly expect?: string | undefined;
  },
  { exposure, digest }: Pick<RunRecord, 'exposure'> & { readonly digest: string | null },
  io: Io,
): Promise<SwitchReport['record']> {
  const { commit, dirty } = await readGit(io.cwd, io.env);
  const { autoApprove, dryRun, expect } = options;
  const asked = expect !== undefined ? 'expect' : autoApprove === true ? 'auto-approve' : 'question';
  const from = command === 'pause' || dryRun === true ? 'none' : asked;
  const words = optionWords({ ...options } as Partial<Record<keyof typeof DECIDING, unknown>>, DECIDING);
  const known = { command, commit, dirty, base: null, exposure, options: words };
  return recordOf({ ...known, approval: { from, digest } }, options, io);
}
