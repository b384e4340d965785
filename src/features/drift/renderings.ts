import type { Io } from '../../command/io.ts';
import type { CommonOptions } from '../../command/options.ts';
import { fittedMarkdown } from '../../command/output/fitted-markdown.ts';
import { findingsFormats, type Renderings } from '../../command/output/present.ts';
import type { DriftReport } from '../../model/generated/drift.ts';
import { jsonText } from '../../render/result.ts';
import { driftText } from './text.ts';

/** A drift report in every format; `report` as it may be shown. */
export function driftRenderings(
  report: DriftReport,
  options: CommonOptions,
  io: Io,
  exitCode: number,
): Renderings {
  const findings = async () => (await import('./findings.ts')).driftFindings(report, exitCode);
  return {
    ...findingsFormats(findings, options, io),
    text: (view) => driftText(report, view),
    json: () => jsonText(report),
    markdown: async ({ maxBytes }) => {
      const { driftMarkdown, driftMarkdownWithin } = await import('./markdown.ts');
      return fittedMarkdown(report, maxBytes, {
        whole: driftMarkdown,
        within: driftMarkdownWithin,
        essence: 'the report does not fit BYTES bytes: its summary and what trades against git',
        less: 'look at',
      });
    },
  };
}
