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

/** Guardrails of the base that judge a plan besides its own. */
export interface BaseGuardrails extends Guardrails {
  /** The name of the base: `main (1a2b3c4)`. */
  readonly name: string;
  readonly wallets: Rules['wallets'];
  /** Set if the rules of the base are unknown: this refuses the plan. */
  readonly unknown?: UnknownRules;
}

/** The reason, in the form of a guardrail's finding. */
export interface UnknownRules {
  readonly message: string;
  readonly hint: string;
  readonly location: Location | undefined;
}

/** The name in `--override` for a base with unknown rules. */
export const BASE_RULES = 'base_rules';

/**
 * The guardrails of the base that may refuse what the current ones allow: a change that loosens a guardrail must not
 * use it at once. Findings point to the guardrail in the current file.
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
