import type { DriftReport } from '../../model/generated/drift.ts';
import { driftText } from '../../render/drift-text.ts';
import { jsonText } from '../../render/result.ts';
import type { Io } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import { fittedMarkdown } from '../output/fitted-markdown.ts';
import { findingsFormats, type Renderings } from '../output/present.ts';

/** A drift report in every format; `report` as it may be shown. */
export function driftRenderings(
  report: DriftReport,
  options: CommonOptions,
  io: Io,
  exitCode: number,
): Renderings {
  const findings = async () =>
    (await import('../../render/formats/drift-findings.ts')).driftFindings(report, exitCode);
  return {
    ...findingsFormats(findings, options, io),
    text: (view) => driftText(report, view),
    json: () => jsonText(report),
    markdown: async ({ maxBytes }) => {
      const { driftMarkdown, driftMarkdownWithin } = await import('../../render/drift-markdown.ts');
      return fittedMarkdown(report, maxBytes, {
        whole: driftMarkdown,
        within: driftMarkdownWithin,
        essence: 'the report does not fit BYTES bytes: its summary and what trades against git',
        less: 'look at',
      });
    },
  };
}
