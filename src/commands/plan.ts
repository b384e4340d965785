import type { Plan } from '../model/generated/plan.ts';
import { isEmptyPlan, isRefused } from '../plan/plan.ts';
import { maskPlan } from '../render/mask.ts';
import { planMarkdown } from '../render/plan-markdown.ts';
import { planText } from '../render/plan-text.ts';
import { jsonText } from '../render/result.ts';
import type { Io } from './io.ts';
import { writePlanFile } from './plan-file.ts';
import { type PlanningOptions, preparePlan } from './planning.ts';
import { hiding, secretsOf } from './secrets.ts';
import { refusalOf, showDiagnostics } from './show-diagnostics.ts';

export interface PlanOptions extends PlanningOptions {
  /** `--out FILE`, relative to the working directory. */
  readonly out?: string;
  readonly detailedExitcode?: boolean;
}

/**
 * `tradeform plan`: shows what apply would do. Returns the exit code: 4 where the plan is refused (it is shown, and not
 * saved), 2 with `--detailed-exitcode` and changes or something blocked, else 0; what is held alone is no difference. Sends GET requests only.
 */
export async function runPlan(options: PlanOptions, terminal: Io): Promise<number> {
  const { plan, loaded, session } = await preparePlan(options, terminal);
  await session.close();
  const io = hiding(terminal, secretsOf(loaded.desired));
  io.stdout(renderPlan(plan, options.output, io));
  if (isRefused(plan)) {
    // Not thrown: with -o json the one document is the plan itself.
    showDiagnostics(refusalOf(plan).diagnostics, io, loaded.sources);
    io.stderr(
      options.out === undefined
        ? 'The plan is refused.\n'
        : `The plan is refused; ${options.out} is not written.\n`,
    );
    return 4;
  }
  if (options.out !== undefined) {
    await writePlanFile(options.out, io.cwd, plan);
    if (options.quiet !== true)
      io.stderr(`Saved to ${options.out}; carry it out with \`tradeform apply ${options.out}\`.\n`);
  }
  const differs = !isEmptyPlan(plan) || plan.summary.blocked > 0;
  return options.detailedExitcode === true && differs ? 2 : 0;
}

/** The plan in the format that was asked for. */
export function renderPlan(
  plan: Plan,
  format: string | undefined,
  io: Pick<Io, 'columns' | 'color'>,
): string {
  if (format === 'json') return jsonText(maskPlan(plan));
  if (format === 'markdown') return planMarkdown(plan);
  return planText(plan, { columns: io.columns, color: io.color.stdout });
}
