import type { Plan } from '../../model/generated/plan.ts';
import type { ApplyReport } from '../../model/generated/report.ts';
import { dearestReport } from '../../plan/stakes/cost.ts';
import { planText } from '../../render/plan-text.ts';
import { reportText } from '../../render/report-text.ts';
import { jsonText } from '../../render/result.ts';
import type { Io } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import { findingsFormats, type Renderings } from './present.ts';

/** What an apply of the plan did, in every format; both as they may be shown. */
export function reportRenderings(
  report: ApplyReport,
  plan: Plan,
  options: CommonOptions,
  io: Io,
  exitCode: number,
): Renderings {
  const held = new Set(plan.changes.filter((change) => change.held).map(({ address }) => address));
  const ranked = dearestReport(report, plan);
  const findings = async () =>
    (await import('../../render/formats/apply-findings.ts')).applyFindings(report, plan, exitCode);
  return {
    ...findingsFormats(findings, options, io),
    // A file has the plan as well: on a terminal it was shown before.
    text: (view) => (view.file ? `${planText(plan, view)}\n` : '') + reportText(ranked, { ...view, held }),
    json: () => jsonText(report),
    markdown: async ({ maxBytes }) => {
      const { reportMarkdown, reportMarkdownWithin } = await import('../../render/report-markdown.ts');
      return maxBytes === undefined
        ? reportMarkdown(ranked, held)
        : reportMarkdownWithin(ranked, held, maxBytes);
    },
  };
}
