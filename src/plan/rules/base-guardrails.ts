import {
  GUARDRAILS,
  type Guardrail,
  type GuardrailLimits,
  type Listed,
} from '../../desired/guardrails/settings.ts';
import type { Location } from '../../diagnostics/diagnostic.ts';
import type { RuleChange } from '../../model/generated/plan.ts';
import type { Guardrails } from '../guardrails/compiled.ts';
import type { Rules } from './rules.ts';

/** Guardrails of the base that a plan is judged by beside its own. */
export interface BaseGuardrails extends Guardrails {
  /** The name of the base: `main (1a2b3c4)`. */
  readonly name: string;
  readonly wallets: Rules['wallets'];
  /** Why the rules that hold at the base are not known. It refuses the plan. */
  readonly unknown?: UnknownRules;
}

/** As a finding of a guardrail tells it. */
export interface UnknownRules {
  readonly message: string;
  readonly hint: string;
  readonly location: Location | undefined;
}

/** How `--override` calls a base whose rules are not known. */
export const BASE_RULES = 'base_rules';

/**
 * The guardrails of the base that may refuse what passes here: a change that loosens a guardrail must not use it at once. Findings about a
 * guardrail point to where it stands here, since the base's lines are not in these files.
 */
export function baseGuardrails(
  { guardrails, wallets }: Rules,
  changes: readonly RuleChange[],
  name: string,
  unknown: UnknownRules | undefined,
): BaseGuardrails {
  const looser = new Map(
    changes.filter(({ effect }) => effect !== 'tightened').map(({ rule, location }) => [rule, location]),
  );
  const limits = Object.fromEntries(
    GUARDRAILS.flatMap((guardrail) => {
      const rule = `guardrails.${guardrail}`;
      const limit = guardrails.limits[guardrail];
      if (limit === undefined || !looser.has(rule)) return [];
      return [[guardrail, placed(limit, looser.get(rule))]];
    }),
  ) as GuardrailLimits;
  const policies = guardrails.policies.filter((policy) => looser.has(`guardrails.policies.${policy.name}`));
  return { limits, policies, name, wallets, ...(unknown === undefined ? {} : { unknown }) };
}

function placed(guardrail: Guardrail<unknown>, location: Location | undefined): Guardrail<unknown> {
  const { location: _, limit, ...rest } = guardrail;
  if (location === undefined) return { ...rest, limit };
  const entries = Array.isArray(limit) ? limit.map((entry: Listed) => ({ ...entry, location })) : limit;
  return { ...rest, limit: entries, location };
}
