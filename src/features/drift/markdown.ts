import type { DriftReport } from '../../model/generated/drift.ts';
import type { Fitted } from '../../render/markdown/fit.ts';
import { viewMarkdown, viewMarkdownWithin } from '../../render/markdown/layout.ts';
import { driftView } from './view.ts';

/** The report as Markdown for an issue that is updated in place. A pure function of the report. */
export function driftMarkdown(report: DriftReport): string {
  return viewMarkdown(driftView(report));
}

/** The same in at most `maxBytes`: the numbers and what trades are in it, or it does not fit. */
export function driftMarkdownWithin(report: DriftReport, maxBytes: number): Fitted {
  return viewMarkdownWithin(driftView(report), maxBytes);
}
