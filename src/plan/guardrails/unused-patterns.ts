import type { Location } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { matchesAddress } from '../../model/address.ts';
import type { PlanDiagnostic } from '../../model/generated/plan.ts';
import type { Guardrails } from './compiled.ts';
import type { JudgedState } from './judged.ts';

/**
 * Warnings for entries of `protect` and targets of policies that match nothing: a typing error there would protect
 * nothing, unnoticed.
 */
export function unusedPatterns(
  { resources, labels, removals, ownedAddresses }: JudgedState,
  { limits, policies }: Guardrails,
): readonly PlanDiagnostic[] {
  // Policies see tasks and templates.
  const known = [...resources.map((resource): string => resource.after.address), ...ownedAddresses];
  const protectable = [...known, ...[...labels, ...removals].map(({ address }) => address)];
  return [
    ...(limits.protect?.limit ?? []).flatMap(({ text, location }) =>
      unused(text, 'protect contains', protectable, location),
    ),
    ...policies.flatMap(({ name, target, location }) =>
      unused(target, `policy ${name} is for`, known, location),
    ),
  ];
}

function unused(
  pattern: string,
  who: string,
  known: readonly string[],
  location: Location | undefined,
): readonly PlanDiagnostic[] {
  if (pattern === '*' || known.some((address) => matchesAddress(pattern, address))) return [];
  const near = didYouMean(pattern, known);
  return [
    {
      severity: 'warning',
      code: 'guardrail-unused',
      message: `${who} ${pattern}, which matches nothing: no manifest, and no task of this project.`,
      hint: near === undefined ? 'Correct the entry, or remove it.' : `D${near.slice(1)}`,
      ...(location === undefined ? {} : { location: { ...location } }),
    },
  ];
}
