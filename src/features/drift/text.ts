import type { DriftReport } from '../../model/generated/drift.ts';
import { type TextOptions, viewText } from '../../render/text-layout.ts';
import { driftView } from './view.ts';

/** The report for people: a pure function of it and the options. Ends with a newline. */
export function driftText(report: DriftReport, options: TextOptions): string {
  return viewText(driftView(report), options);
}
