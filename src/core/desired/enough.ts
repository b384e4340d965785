import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { compareDiagnostics } from '../diagnostics/order.ts';
import { MOST } from '../model/bounds.ts';

/** Ends a search that has found more problems than are reported. */
class Enough extends Error {}

/**
 * The problems that a search reports. The search ends when there are more errors than are reported, which is an error of its
 * own. Excess warnings are dropped instead, because they must not hide later errors.
 */
export function untilEnough(
  search: (report: (diagnostic: Diagnostic) => void) => void,
): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  let errors = 0;
  let warnings = 0;
  try {
    search((diagnostic) => {
      if (diagnostic.severity === 'error') errors += 1;
      else warnings += 1;
      if (diagnostic.severity === 'error' || warnings <= MOST.warnings + 1) found.push(diagnostic);
      if (errors > MOST.diagnostics) throw new Enough();
    });
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return found;
}

/** True if the problems come from a search that was ended early, or that could have been. */
export function areEnough(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.filter(({ severity }) => severity === 'error').length > MOST.diagnostics;
}

/** Sorted by file and place. Of too many, the first ones and a note that there are more. */
export function withinMost(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const sorted = [...diagnostics].sort(compareDiagnostics);
  const most = areEnough(sorted) ? MOST.diagnostics : MOST.warnings;
  const severity = areEnough(sorted) ? 'error' : 'warning';
  const weighty = sorted.filter((one) => one.severity === severity);
  if (weighty.length <= most) return sorted;
  const kept = new Set(weighty.slice(0, most));
  const message = `more than ${most} ${severity}s; the rest is not shown`;
  const rest = sorted.filter((one) => kept.has(one) || (severity === 'warning' && one.severity === 'error'));
  return [...rest, { severity, code: 'more-problems', message }];
}
