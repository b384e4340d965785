import type { Plan } from '../model/generated/plan.ts';
import { plan } from '../model/generated/validators.js';

/** A file of its own: the validator is large, and only who reads a saved plan needs it. */
export function isPlan(data: unknown): data is Plan {
  return plan(data);
}

/** What was wrong with the last value that was none, to stand behind a sentence; empty where nothing was. */
export function firstProblem(): string {
  const [problem] = plan.errors ?? [];
  return problem === undefined
    ? ''
    : ` (${problem.instancePath || 'the document'} ${problem.message ?? 'is not valid'})`;
}
