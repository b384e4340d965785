import type { Diagnostic } from '../../src/core/diagnostics/diagnostic.ts';
import { driftView } from '../../src/core/documents/drift.ts';
import { planView } from '../../src/core/documents/plan-view.ts';
import { reportView } from '../../src/core/documents/report.ts';
import { diagnosticsView } from '../../src/core/documents/result.ts';
import type { DriftReport } from '../../src/core/model/generated/drift.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import { fittedMarkdown } from '../../src/core/render/format.ts';
import { viewMarkdown, viewMarkdownWithin } from '../../src/core/render/markdown/layout.ts';
import { type TextOptions, viewText } from '../../src/core/render/text-layout.ts';
import type { DocumentSubject } from '../../src/core/render/view.ts';

/** Documents as they are printed. */

export const planText = (plan: Plan, options: TextOptions) => viewText(planView(plan), options);
/** With `files`: the place where a forge shows the files of the project. */
export const planMarkdown = (plan: Plan, files?: string) => viewMarkdown(planView(plan, { files }));
export const planMarkdownWithin = (plan: Plan, maxBytes: number, files?: string) =>
  viewMarkdownWithin(planView(plan, { files }), maxBytes);

export const reportText = (report: ApplyReport, options: TextOptions) =>
  viewText(reportView(report), options);
export const reportMarkdown = (report: ApplyReport) => viewMarkdown(reportView(report));
export const reportMarkdownWithin = (report: ApplyReport, maxBytes: number) =>
  fittedMarkdown(reportView(report), maxBytes);

export const driftText = (report: DriftReport, options: TextOptions) => viewText(driftView(report), options);
export const driftMarkdown = (report: DriftReport) => viewMarkdown(driftView(report));
export const driftMarkdownWithin = (report: DriftReport, maxBytes: number) =>
  viewMarkdownWithin(driftView(report), maxBytes);

export const diagnosticsMarkdown = (
  command: string,
  diagnostics: readonly Diagnostic[],
  subject: DocumentSubject = { project: null, environment: null },
) => viewMarkdown(diagnosticsView(command, diagnostics, subject));
