import type { ApplyReport } from '../model/generated/report.ts';
import { viewMarkdown, viewMarkdownWithin } from './markdown/layout.ts';
import { reportView } from './report-view.ts';
import { countsText } from './report-words.ts';

/** What an apply did, for the people who merged: what was left paused first, then what did not work, then what is done. */
export function reportMarkdown(report: ApplyReport, held: ReadonlySet<string> = new Set()): string {
  return viewMarkdown(reportView(report, held));
}

/** The same in at most `maxBytes`. What is done is done: where nothing else fits, the counts alone are the report. */
export function reportMarkdownWithin(
  report: ApplyReport,
  held: ReadonlySet<string>,
  maxBytes: number,
): string {
  const fitted = viewMarkdownWithin(reportView(report, held), maxBytes);
  return 'text' in fitted ? fitted.text : `**${countsText(report)}**\n`;
}
