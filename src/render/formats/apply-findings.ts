import type { Plan, PlanDiagnostic } from '../../model/generated/plan.ts';
import type { ApplyReport, ChangeResult } from '../../model/generated/report.ts';
import { dearestFirst, dearestReport } from '../../plan/stakes/cost.ts';
import { errorLines, remedy, sentenceOf } from '../report-words.ts';
import { type FindingsDocument, type FormatFinding, findingsOf } from './finding.ts';
import { originOf } from './plan-findings.ts';

const RULES = new Map([
  ['apply/failed', 'A change was not carried out.'],
  ['apply/unknown', 'An answer was lost, and the state could not be read: it is unknown whether it is done.'],
  ['apply/skipped', 'A change was not begun: what it needs was not done, or the apply was stopped.'],
  ['apply/blocked', 'Nothing was done to an address, because something blocks it.'],
  ['apply/left-paused', 'A task ran before, and this apply left it paused although git wants it running.'],
]);

const LEVELS: Readonly<Partial<Record<ChangeResult['status'], FormatFinding['level']>>> = {
  failed: 'error',
  unknown: 'error',
  blocked: 'error',
  skipped: 'warning',
};

/** What an apply did, in the formats for machines: first what was left paused, then what was not done. */
export function applyFindings(document: ApplyReport, plan: Plan, exitCode: number): FindingsDocument {
  const report = dearestReport(document, plan);
  const places = new Map(dearestFirst(plan).changes.map((change) => [change.address, originOf(change)]));
  const placed = (finding: FormatFinding): FormatFinding => {
    const location = places.get(finding.address ?? '');
    return location === undefined || finding.location !== undefined ? finding : { ...finding, location };
  };
  const paused = report.left_paused.map(
    ({ address, text }): FormatFinding => ({
      rule: 'apply/left-paused',
      level: 'error',
      message: `${address} is left paused: ${text}`,
      address,
    }),
  );
  // The schema of a report only says that these are objects.
  const said = findingsOf(report.diagnostics as unknown as PlanDiagnostic[]);
  const results = report.changes.map((change) => ({ change, found: findingOf(change).map(placed) }));
  const others = [...paused, ...said].map(placed);
  return {
    command: 'apply',
    exitCode,
    findings: [...others, ...results.flatMap(({ found }) => found)],
    rules: RULES,
    completed: report.outcome !== 'interrupted',
  };
}

function findingOf(change: ChangeResult): readonly FormatFinding[] {
  const { status, address, error } = change;
  const level = LEVELS[status];
  if (level === undefined) return [];
  const hint = remedy(change).join(' ');
  return [
    {
      rule: `apply/${status}`,
      level,
      message: [`${address}: ${sentenceOf(change)}`, ...errorLines(change)].join(' '),
      ...(hint === '' ? {} : { hint }),
      address,
      // The message contains request ids, which differ each time.
      fingerprint: [status, error?.code ?? ''].join(' '),
    },
  ];
}
