import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { RuleChange } from '../../model/generated/plan.ts';

/**
 * Diagnostics for changed rules, for output without a plan: a warning for each loosened rule, a note for the others.
 */
export function ruleDiagnostics(changes: readonly RuleChange[], base: string): readonly Diagnostic[] {
  return changes.map(({ rule, effect, location, ...sides }): Diagnostic => {
    const loosened = effect === 'loosened';
    return {
      severity: loosened ? 'warning' : 'info',
      code: loosened ? 'rule-loosened' : 'rule-changed',
      message: `${rule} is ${effect}: ${sideText(sides.before)} at ${base}, ${sideText(sides.after)} here`,
      ...(location === undefined ? {} : { location }),
    };
  });
}

const MOST_SHOWN = 200;

/** One side of a rule as a line of text shows it. */
export function sideText(text: string | null, most = MOST_SHOWN): string {
  if (text === null) return '(none)';
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
}
