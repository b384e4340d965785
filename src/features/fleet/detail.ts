import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { FleetUnit } from '../../model/generated/fleet-report.ts';
import { planView } from '../../render/plan-view.ts';
import { reportView } from '../../render/report-view.ts';
import { type TextOptions, viewText } from '../../render/text-layout.ts';
import type { View } from '../../render/view.ts';
import { driftView } from '../drift/view.ts';
import { rehearsalView } from '../rehearse/view.ts';
import { statusText } from '../status/text.ts';
import { switchView } from '../switch/view.ts';

/** The view of a document, by its format. Each format has one type of documents. */
const VIEWS: Readonly<Record<string, (document: never) => View>> = {
  'tradeform.plan/1': planView,
  'tradeform.drift/1': driftView,
  'tradeform.report/1': (report) => reportView(report, new Set()),
  'tradeform.switch/1': switchView,
  'tradeform.rehearsal/1': (rehearsal) => rehearsalView(rehearsal),
};

/** The document of one unit in the form of the single command. Empty without a document, or if it says nothing more. */
export function detailText({ document }: FleetUnit, options: TextOptions): string {
  const format = String(document?.format);
  if (format === 'tradeform.status/1') return statusText(document as never, options);
  const view = Object.hasOwn(VIEWS, format) ? VIEWS[format]?.(document as never) : undefined;
  if (view === undefined) return '';
  return viewText(view, { ...options, verbose: format === 'tradeform.switch/1' });
}

/** Diagnostics that the text of a document lacks: for a plan the reasons of its refusal, for a plain result all of them. */
export function saidBeside({ document, diagnostics }: FleetUnit): readonly Diagnostic[] {
  const own = (Array.isArray(document?.diagnostics)
    ? document.diagnostics
    : []) as unknown as readonly Diagnostic[];
  const format = document?.format;
  const more = own.filter(
    ({ severity }) =>
      format === 'tradeform.result/1' || (format === 'tradeform.plan/1' && severity === 'error'),
  );
  return [...more, ...(diagnostics as unknown as readonly Diagnostic[])];
}
