import { CommandFailure, type Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../model/generated/plan.ts';
import { maskPlan, maskTexts } from '../render/mask.ts';
import { planText } from '../render/plan-text.ts';
import { jsonText } from '../render/result.ts';
import type { Io } from './io.ts';
import type { CommonOptions } from './options.ts';
import { findingsFormats, type Renderings } from './reports.ts';

/** A plan in every format; `plan` as it may be shown. */
export function planRenderings(plan: Plan, options: CommonOptions, io: Io, exitCode: number): Renderings {
  const findings = async () =>
    (await import('../render/formats/plan-findings.ts')).planFindings(plan, exitCode);
  return {
    ...findingsFormats(findings, options, io),
    text: (view) => planText(plan, view),
    json: () => jsonText(maskPlan(plan)),
    markdown: async ({ maxBytes }) => {
      const { planMarkdown, planMarkdownWithin } = await import('../render/plan-markdown.ts');
      const shown = io.masked === undefined ? plan : maskTexts(plan, io.masked);
      if (maxBytes === undefined) return planMarkdown(shown);
      const fitted = planMarkdownWithin(shown, maxBytes);
      if ('text' in fitted) return fitted.text;
      throw new CommandFailure(3, [tooLong(maxBytes, fitted.needs)]);
    },
  };
}

/** What a reviewer must see is not cut away: a plan that does not fit says so. */
function tooLong(maxBytes: number, needs: number): Diagnostic {
  return {
    severity: 'error',
    code: 'max-bytes-too-small',
    message: `the plan does not fit ${maxBytes} bytes: its summary, deletions, replacements, starts and stops take ${needs}`,
    hint: `Give --max-bytes ${needs} or more, or plan fewer addresses at once with --target.`,
  };
}
