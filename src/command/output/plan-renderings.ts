import type { Plan } from '../../model/generated/plan.ts';
import { planText } from '../../render/plan-text.ts';
import { jsonText } from '../../render/result.ts';
import type { Io } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import { fittedMarkdown } from './fitted-markdown.ts';
import { findingsFormats, type Renderings } from './present.ts';

/** A plan in every format; `plan` as it may be shown. */
export function planRenderings(plan: Plan, options: CommonOptions, io: Io, exitCode: number): Renderings {
  const findings = async () =>
    (await import('../../render/formats/plan-findings.ts')).planFindings(plan, exitCode);
  return {
    ...findingsFormats(findings, options, io),
    text: (view) => planText(plan, view),
    json: () => jsonText(plan),
    markdown: async ({ maxBytes }) => {
      const { planMarkdown, planMarkdownWithin } = await import('../../render/plan-markdown.ts');
      return fittedMarkdown(plan, maxBytes, {
        whole: planMarkdown,
        within: planMarkdownWithin,
        essence:
          'the essential parts of the plan do not fit BYTES bytes: summary, deletions, replacements, starts and stops',
        less: 'plan',
      });
    },
  };
}
