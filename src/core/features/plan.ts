import type { Io } from '../command/io.ts';
import { forgeFiles } from '../command/output/forge-files.ts';
import { type PresentOptions, present, type Shown } from '../command/output/present.ts';
import { diagnosticsText, refusalOf, showDiagnostics } from '../command/show-diagnostics.ts';
import type { Plan } from '../model/generated/plan.ts';
import { isRefused } from '../plan/plan.ts';
import { hasOwnDifference, isRefusedAnew } from '../plan/review/provenance.ts';
import { writePlanFile } from '../planning/plan-file.ts';
import { type PlanningOptions, reconcile } from '../planning/planning.ts';
import { paragraph } from '../render/layout.ts';

export interface PlanCommandOptions extends PlanningOptions, PresentOptions {
  /** `--out FILE`, relative to the working directory. */
  readonly out?: string | undefined;
  readonly detailedExitcode?: boolean | undefined;
}

/**
 * `tradeform plan`: shows what apply would do. Returns the exit code: 4 if the plan is refused (it is shown, but not saved), with
 * `--detailed-exitcode` 2 for changes or blocked addresses, else 0. Held tasks alone are no difference. With `--base` only this
 * change counts, also for refusals. A refused plan is still not saved, and the exit code is 4 if it should have been. Sends GET
 * requests only.
 */
export async function runPlan(options: PlanCommandOptions, io: Io): Promise<number> {
  const { out, output = 'text', report = [], metrics } = options;
  const unwritten = out === undefined && output === 'text' && report.length === 0 && metrics === undefined;
  const how = { reviewed: true, unwritten };
  const { plan, loaded } = await reconcile(options, io, how, async (made) => made);
  const code = exitCodeOf(plan, options);
  // A file also contains the reasons for a refusal, which otherwise go to stderr.
  const text: Shown<Plan>['text'] = async (medium, view) =>
    medium.file && isRefused(plan)
      ? `${await view()}\n${diagnosticsText(refusalOf(plan).diagnostics, io, loaded.sources, medium)}`
      : view();
  const known = { wallets: loaded.desired.wallets, files: forgeFiles(plan.source, options, io) };
  const shown = await present({ document: plan, known, text, command: 'plan', exitCode: code }, options, io);
  if (isRefused(plan)) {
    // Not thrown, because with -o json the only document is the plan itself.
    showDiagnostics(refusalOf(plan).diagnostics, io, loaded.sources);
    if (out !== undefined) io.stderr(paragraph(`${out} is not written.`, io.columns));
  } else if (out !== undefined) {
    await writePlanFile(out, plan, io);
    if (options.quiet !== true)
      io.stderr(paragraph(`Saved to ${out}; apply it with \`tradeform apply ${out}\`.`, io.columns));
  }
  return shown;
}

function exitCodeOf(plan: Plan, { out, detailedExitcode }: PlanCommandOptions): number {
  if (isRefusedAnew(plan) || (isRefused(plan) && out !== undefined)) return 4;
  return detailedExitcode === true && hasOwnDifference(plan) ? 2 : 0;
}
