import type { Change, Location, Plan, PlanDiagnostic } from '../../model/generated/plan.ts';
import { ruleDiagnostics } from '../../plan/rules/diagnostics.ts';
import { addressRank, dearestFirst } from '../../plan/stakes/cost.ts';
import { baseName } from '../base-text.ts';
import { type FindingsDocument, type FormatFinding, findingsOf } from './finding.ts';

const RULES = new Map([['plan/blocked', 'Nothing is done to an address, because something blocks it.']]);

/**
 * A plan in the formats for machines, the most expensive findings first: its diagnostics, and what is blocked. A refusal that also applies to the base of `--base` is a warning and fails no check.
 */
export function planFindings(document: Plan, exitCode: number): FindingsDocument {
  const plan = dearestFirst(document);
  const rank = addressRank(plan);
  const rules = findingsOf(
    ruleDiagnostics(plan.rules_changed ?? [], plan.base === undefined ? 'the base' : baseName(plan.base)),
  );
  const said = planDiagnostics(plan);
  const blocked = plan.changes.filter((change) => change.blocked !== null).map(blockedFinding);
  return {
    command: 'plan',
    exitCode,
    findings: [...rules, ...[...blocked, ...said].sort((a, b) => rank(a.address) - rank(b.address))],
    rules: RULES,
    completed: true,
  };
}

/** The manifest place of a change: that of its first field with a place. */
export function originOf({ fields }: Change): Location | undefined {
  return fields.find(({ origin }) => origin !== undefined)?.origin;
}

function planDiagnostics({ diagnostics }: Plan): readonly FormatFinding[] {
  return findingsOf(
    diagnostics.map(
      (item): PlanDiagnostic =>
        item.provenance === 'before' && item.severity === 'error' ? { ...item, severity: 'warning' } : item,
    ),
  );
}

function blockedFinding(change: Change): FormatFinding {
  const { address, blocked } = change;
  const location = originOf(change);
  return {
    rule: 'plan/blocked',
    level: 'warning',
    message: `${address} is blocked: ${blocked?.text ?? ''}`,
    address,
    ...(location === undefined ? {} : { location }),
  };
}
