import { byKey } from '../model/by-key.ts';
import type { PlanDiagnostic } from '../model/generated/plan.ts';

/** One misspelt label can be wrong in a thousand tasks: a reader needs a few of the places. */
const MOST = 5;
type Words = Pick<PlanDiagnostic, 'severity' | 'code' | 'message' | 'hint' | 'provenance'>;

interface Told<Item> {
  readonly diagnostic: Item;
  /** Of the last one that is told: how many others, word for word the same, are left out; else 0. */
  readonly left: number;
}

/** For people: of diagnostics that differ in nothing but their places the first few, and how many more there are. Machines read all. */
export function foldAlike<Item extends Words>(diagnostics: readonly Item[]): readonly Told<Item>[] {
  const alike = [
    ...byKey(diagnostics, ({ severity, code, message, hint, provenance }) =>
      JSON.stringify([severity, code, message, hint, provenance]),
    ).values(),
  ];
  const told = new Set(alike.flatMap((items) => items.slice(0, MOST)));
  const left = new Map(alike.map((items) => [items[MOST - 1], items.length - MOST]));
  return diagnostics
    .filter((diagnostic) => told.has(diagnostic))
    .map((diagnostic) => ({ diagnostic, left: left.get(diagnostic) ?? 0 }));
}

/** What follows the last one that is told, where any are left out. */
export function leftWords(left: number): readonly string[] {
  return left === 0 ? [] : [`and ${left} more of these; -o json names all`];
}
