import type { ApplyReport } from '../model/generated/report.ts';
import { reportView } from './report-view.ts';
import { type TextOptions, viewText } from './text-layout.ts';

/** What an apply did, for people (DESIGN 7). Ends with a newline. */
export function reportText(
  report: ApplyReport,
  { held, ...options }: TextOptions & { readonly held?: ReadonlySet<string> },
): string {
  return viewText(reportView(report, held), options);
}
