import type { Guardrail, GuardrailLimits, Listed } from '../../../src/core/desired/guardrails/settings.ts';
import type { DesiredState } from '../../../src/core/desired/state.ts';
import type { Plan, PlanDiagnostic } from '../../../src/core/model/generated/plan.ts';
import type { Json } from '../../../src/core/model/json.ts';
import type { LiveState } from '../../../src/core/model/resource.ts';
import type { Policy } from '../../../src/core/plan/guardrails/compiled.ts';
import { compilePolicy } from '../../../src/core/plan/guardrails/policy-compiler.ts';
import type { PlanOptions } from '../../../src/core/plan/input.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import { planInput } from '../../support/builders.ts';

const PROJECT_FILE = 'tradeform.yaml';

/** A guardrail as the project file would have it, in line 7. */
export function limit<Limit>(value: Limit, more: Partial<Guardrail<Limit>> = {}): Guardrail<Limit> {
  const location = { file: PROJECT_FILE, line: 7, column: 5 };
  return { limit: value, action: 'refuse', standard: false, location, ...more };
}

export function list(...texts: readonly string[]): readonly Listed[] {
  return texts.map((text, index) => ({
    text,
    location: { file: PROJECT_FILE, line: 20 + index, column: 5 },
  }));
}

/** An origin that says of every field which one it is. */
export function origin(path: string) {
  return { file: `manifest of ${path}`, line: 3, column: 9 };
}

export function policy(schema: Json, parts: Partial<Policy> = {}): Policy {
  const compiled = compilePolicy(schema);
  if (!('check' in compiled)) throw new Error(compiled.problems.map(({ message }) => message).join('; '));
  return {
    name: 'ours',
    message: 'Ask Mira first',
    target: '*',
    action: 'refuse',
    check: compiled.check,
    ...parts,
  };
}

/** A task with these linked wallets, or without the field. */
export function withLinked<Task extends { readonly linked_wallets?: readonly string[] }>(
  task: Task,
  linked: readonly string[] | undefined,
): Task {
  const { linked_wallets: _, ...rest } = task;
  return { ...rest, ...(linked === undefined ? {} : { linked_wallets: linked }) } as Task;
}

export interface World {
  readonly desired: DesiredState;
  readonly live: LiveState;
  readonly options?: Partial<PlanOptions>;
}

/** The plan under these guardrails and no others. */
export function planUnder(
  limits: GuardrailLimits,
  { desired, live, options }: World,
  policies: readonly Policy[] = [],
  inJob = false,
): Plan {
  return makePlan({ ...planInput(desired, live, options), guardrails: { limits, policies }, inJob });
}

/** What guardrails and overrides say of a plan. */
export function said({ diagnostics }: Plan): readonly PlanDiagnostic[] {
  return diagnostics.filter(({ code }) => /^(?:guardrail|override)-/.test(code));
}

/** `error guardrail-max-tip sniper/a` each. */
export function brief(plan: Plan): readonly string[] {
  return said(plan).map(({ severity, code, address }) =>
    [severity, code, ...(address === undefined ? [] : [address])].join(' '),
  );
}
