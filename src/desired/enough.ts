import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { compareDiagnostics } from '../diagnostics/order.ts';
import { MOST } from '../model/bounds.ts';

/** Ends a search for problems that has found more than are told. */
class Enough extends Error {}

/**
 * What a search reports. It is ended once there are more errors than are told, which alone is an error; of far too many warnings
 * the rest is dropped, for these must not hide what comes after them.
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

/** True for the problems of a search that was ended, or may as well have been. */
export function areEnough(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.filter(({ severity }) => severity === 'error').length > MOST.diagnostics;
}

/** In order of file and place; of too many the first, and that there are more. */
export function told(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
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
