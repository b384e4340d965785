import { type ApprovalOptions, approve } from '../../command/approval.ts';
import { CODE_OF_OUTCOME } from '../../command/exit-codes.ts';
import type { Io } from '../../command/io.ts';
import { shown } from '../../command/masking.ts';
import { showDiagnostics } from '../../command/show-diagnostics.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Limiter } from '../../ports/limiter.ts';
import { jsonText } from '../../render/result.ts';
import { viewText } from '../../render/text-layout.ts';
import type { View } from '../../render/view.ts';
import type { OperatorOptions } from './context.ts';

export type ApprovedOptions = ApprovalOptions & Pick<OperatorOptions, 'dryRun' | 'output'>;

/** A command that shows what it would do to tasks, asks for approval, does it and reports. */
interface ApprovedRun<Report> {
  /** Reported once, whatever happens to the tasks. */
  readonly warnings: readonly Diagnostic[];
  /** Undefined if there is nothing to do. */
  readonly question: { readonly question: string; readonly hint: string } | undefined;
  readonly report: (interrupted: boolean) => Report;
  readonly view: (report: Report) => View;
  readonly work: () => Promise<void>;
}

/** Returns the exit code: 0 done, 1 incomplete, 130 interrupted. Fails with exit 4 without approval. */
export async function runApproved<Report extends { readonly outcome: keyof typeof CODE_OF_OUTCOME }>(
  { warnings, question, report, view, work }: ApprovedRun<Report>,
  options: ApprovedOptions,
  io: Io,
): Promise<number> {
  const textOf = (made: Report, color: boolean) =>
    viewText(view(shown(made, io)), { columns: io.columns, color, verbose: true });
  if (options.output !== 'json') showDiagnostics(warnings, io);
  if (question !== undefined && options.dryRun !== true) {
    if (options.autoApprove !== true) io.stderr(textOf(report(false), io.color.stderr));
    await approve(options, io, question);
    await work();
  }
  const made = report(io.stop.soft.aborted);
  io.stdout(options.output === 'json' ? jsonText(shown(made, io)) : textOf(made, io.color.stdout));
  return CODE_OF_OUTCOME[made.outcome];
}

/**
 * Works on each item, as many at the same time as the limiter allows. Items that have not begun when the signal aborts go to
 * `left`.
 */
export async function sideBySide<Item>(
  items: readonly Item[],
  { limiter, signal }: { readonly limiter: Limiter; readonly signal: AbortSignal },
  work: (item: Item) => Promise<void>,
  left: (item: Item) => void = () => undefined,
): Promise<void> {
  await Promise.all(
    items.map(async (item) => {
      const release = await limiter.acquire();
      try {
        if (signal.aborted) left(item);
        else await work(item);
      } finally {
        release();
      }
    }),
  );
}
