import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { FleetUnit } from '../../model/generated/fleet-report.ts';
import { planText } from '../../render/plan-text.ts';
import { reportText } from '../../render/report-text.ts';
import { painter } from '../../render/style.ts';
import { driftText } from '../drift/text.ts';
import { rehearsalText } from '../rehearse/text.ts';
import { statusText } from '../status/text.ts';
import { switchText } from '../switch/text.ts';

interface TextSize {
  readonly columns: number;
  readonly color: boolean;
}

/** The document of one unit as the command alone shows it; empty where there is none, or where it says nothing more. */
export function detailText({ document }: FleetUnit, view: TextSize): string {
  const as = <Document>() => document as unknown as Document;
  switch (document?.format) {
    case 'tradeform.plan/1':
      return planText(as<Parameters<typeof planText>[0]>(), view);
    case 'tradeform.drift/1':
      return driftText(as<Parameters<typeof driftText>[0]>(), view);
    case 'tradeform.status/1':
      return statusText(as<Parameters<typeof statusText>[0]>(), view);
    case 'tradeform.report/1':
      return reportText(as<Parameters<typeof reportText>[0]>(), view);
    case 'tradeform.switch/1':
      return switchText(as<Parameters<typeof switchText>[0]>(), view);
    case 'tradeform.rehearsal/1':
      return rehearsalText(as<Parameters<typeof rehearsalText>[0]>(), view.columns, painter(view.color));
    default:
      return '';
  }
}

/** What the text of a document leaves to be said: of a plan why it is refused, of a plain result all of it. */
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
