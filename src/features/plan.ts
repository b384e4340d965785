import type { Io } from '../command/io.ts';
import { shownPlan } from '../command/masking.ts';
import { fittedMarkdown } from '../command/output/fitted-markdown.ts';
import { forgeFiles } from '../command/output/forge-files.ts';
import {
  findingsFormats,
  type Medium,
  type PresentOptions,
  present,
  type Renderings,
} from '../command/output/present.ts';
import { diagnosticsText, refusalOf, showDiagnostics } from '../command/show-diagnostics.ts';
import type { Plan } from '../model/generated/plan.ts';
import { isRefused } from '../plan/plan.ts';
import { hasOwnDifference, isRefusedAnew } from '../plan/review/provenance.ts';
import { writePlanFile } from '../planning/plan-file.ts';
import { type Planned, type PlanningOptions, preparePlan } from '../planning/planning.ts';
import { paragraph } from '../render/layout.ts';
import { planView } from '../render/plan-view.ts';
import { jsonText } from '../render/result.ts';
import { viewText } from '../render/text-layout.ts';

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
  const unsealed = out === undefined && output === 'text' && report.length === 0 && metrics === undefined;
  const planned = await preparePlan(options, io, { reviewed: true, unsealed });
  const { plan, loaded, session } = planned;
  await session.close();
  const code = exitCodeOf(plan, options);
  const ending = { command: 'plan', exitCode: code };
  const shown = await present(renderingsOf(planned, options, io, code), options, io, ending);
  if (isRefused(plan)) {
    // Not thrown, because with -o json the only document is the plan itself.
    showDiagnostics(refusalOf(plan).diagnostics, io, loaded.sources);
    const saying = isRefusedAnew(plan)
      ? 'The plan is refused'
      : 'The plan is refused, like the plan of the base';
    io.stderr(paragraph(out === undefined ? `${saying}.` : `${saying}; ${out} is not written.`, io.columns));
  } else if (out !== undefined) {
    await writePlanFile(out, io.cwd, plan);
    if (options.quiet !== true) {
      io.stderr(paragraph(`Saved to ${out}; apply it with \`tradeform apply ${out}\`.`, io.columns));
      if (io.masking.hidesWallets) io.stderr('The saved plan is complete, with wallet addresses.\n');
    }
  }
  return shown;
}

function exitCodeOf(plan: Plan, { out, detailedExitcode }: PlanCommandOptions): number {
  if (isRefusedAnew(plan) || (isRefused(plan) && out !== undefined)) return 4;
  return detailedExitcode === true && hasOwnDifference(plan) ? 2 : 0;
}

/** A plan in every format. A file also contains the reasons for a refusal, which otherwise go to stderr. */
function renderingsOf(
  { plan: whole, loaded }: Planned,
  options: PlanCommandOptions,
  io: Io,
  code: number,
): Renderings {
  const plan = shownPlan(whole, io);
  const made = () => planView(plan, loaded.desired.wallets);
  const refused = (view: Medium) =>
    view.file && isRefused(plan)
      ? `\n${diagnosticsText(refusalOf(plan).diagnostics, io, loaded.sources, view)}`
      : '';
  const findings = async () => (await import('../render/formats/plan-findings.ts')).planFindings(plan, code);
  return {
    ...findingsFormats(findings, options, io),
    text: (view) => viewText(made(), view) + refused(view),
    json: () => jsonText(plan),
    html: async () => {
      const { planPage } = await import('../render/html/plan-page.ts');
      return (await import('../render/html/page.ts')).pageText(planPage(plan));
    },
    markdown: ({ maxBytes }) =>
      fittedMarkdown({ ...made(), files: forgeFiles(plan.source, options, io) }, maxBytes, {
        essence:
          'the essential parts of the plan do not fit BYTES bytes: summary, deletions, replacements, starts and stops',
        less: 'plan',
      }),
  };
}
