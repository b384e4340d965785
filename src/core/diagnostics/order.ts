import { compareTexts } from '../model/compare-texts.ts';
import type { Diagnostic } from './diagnostic.ts';

/** By file, line and column. Diagnostics without a place come first. */
export function compareDiagnostics(one: Diagnostic, other: Diagnostic): number {
  const a = one.location;
  const b = other.location;
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  return (
    compareTexts(a.file, b.file) ||
    a.line - b.line ||
    a.column - b.column ||
    compareTexts(one.code, other.code)
  );
}
