import type { Diagnostic } from './diagnostic.ts';

/** By file, line and column; what has no place comes first. */
export function compareDiagnostics(left: Diagnostic, right: Diagnostic): number {
  const a = left.location;
  const b = right.location;
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (
    a.line - b.line || a.column - b.column || (left.code < right.code ? -1 : left.code > right.code ? 1 : 0)
  );
}
