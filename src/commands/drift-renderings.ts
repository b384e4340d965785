import { CommandFailure, type Diagnostic } from '../diagnostics/diagnostic.ts';
import type { DriftReport } from '../model/generated/drift.ts';
import { driftText } from '../render/drift-text.ts';
import { maskTexts } from '../render/mask.ts';
import { jsonText } from '../render/result.ts';
import type { Io } from './io.ts';
import type { CommonOptions } from './options.ts';
import { findingsFormats, type Renderings } from './reports.ts';

/** A drift report in every format; `report` as it may be shown. */
export function driftRenderings(
  report: DriftReport,
  options: CommonOptions,
  io: Io,
  exitCode: number,
): Renderings {
  const findings = async () =>
    (await import('../render/formats/drift-findings.ts')).driftFindings(report, exitCode);
  return {
    ...findingsFormats(findings, options, io),
    text: (view) => driftText(report, view),
    json: () => jsonText(report),
    markdown: async ({ maxBytes }) => {
      const { driftMarkdown, driftMarkdownWithin } = await import('../render/drift-markdown.ts');
      const shown = io.masked === undefined ? report : maskTexts(report, io.masked);
      if (maxBytes === undefined) return driftMarkdown(shown);
      const fitted = driftMarkdownWithin(shown, maxBytes);
      if ('text' in fitted) return fitted.text;
      throw new CommandFailure(3, [tooLong(maxBytes, fitted.needs)]);
    },
  };
}

function tooLong(maxBytes: number, needs: number): Diagnostic {
  return {
    severity: 'error',
    code: 'max-bytes-too-small',
    message: `the report does not fit ${maxBytes} bytes: its summary and what trades against git take ${needs}`,
    hint: `Give --max-bytes ${needs} or more, or look at fewer addresses at once with --target.`,
  };
}
