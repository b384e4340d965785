import type { Override } from '../model/generated/plan.ts';
import { count } from './layout.ts';
import { visible } from './untrusted.ts';

/** `max_slippage (2 findings), policy/tips (1 finding)`: what --override let through; undefined where there is nothing. */
export function overridesText(
  overrides: readonly Pick<Override, 'guardrail' | 'findings'>[] | undefined,
): string | undefined {
  if (overrides === undefined || overrides.length === 0) return undefined;
  return overrides
    .map(({ guardrail, findings }) => `${visible(guardrail)} (${count(findings, 'finding')})`)
    .join(', ');
}
