import type { Plan } from '../model/generated/plan.ts';
import { plan } from '../model/generated/validators.js';

/** This check has its own file because the validator is large and only readers of a saved plan need it. */
export function isPlan(data: unknown): data is Plan {
  return plan(data);
}

/** The first problem of the last value that was no plan, to append to a sentence. Empty without a problem. */
export function firstProblem(): string {
  const [problem] = plan.errors ?? [];
  return problem === undefined
    ? ''
    : ` (${problem.instancePath || 'the document'} ${problem.message ?? 'is not valid'})`;
}
