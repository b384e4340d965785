import type { Diagnostic } from '../diagnostics/diagnostic.ts';

/** Addresses that a hint names. */
const MOST_NAMED = 3;

/**
 * One diagnostic for what many manifests have from one place: a value of a preset that is wrong for each of the tasks that
 * extend it.
 */
export function mergedDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const groups = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const { severity, code, message, location } = diagnostic;
    const key = JSON.stringify([severity, code, message, location ?? diagnostic.address ?? null]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [diagnostic]);
    else group.push(diagnostic);
  }
  return [...groups.values()].map(one);
}

function one([first, ...more]: readonly Diagnostic[]): Diagnostic {
  if (first === undefined) throw new Error('an empty group');
  if (more.length === 0) return first;
  const addresses = [...new Set([first, ...more].flatMap(({ address }) => address ?? []))].sort();
  if (addresses.length < 2) return first;
  const { address, hint, ...rest } = first;
  const named = addresses.slice(0, MOST_NAMED).join(', ');
  const others = addresses.length - MOST_NAMED;
  const reach = `it reaches ${named}${others > 0 ? ` and ${others} more` : ''}`;
  return { ...rest, hint: hint === undefined ? reach : `${hint}${/[.?]$/.test(hint) ? ' ' : '; '}${reach}` };
}
