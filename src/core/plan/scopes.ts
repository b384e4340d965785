import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { collectionOf } from '../model/address.ts';
import { madeOnce } from '../model/by-key.ts';
import type { Operation } from '../model/generated/plan.ts';
import { kindOf } from '../model/kind.ts';
import { named } from '../model/named.ts';

/**
 * The scopes that a plan needs and the token lacks, one diagnostic for each (interface, "Authentication"). Finding this
 * out at a delete would be too late, because its task is already paused.
 */
export function missingScopes(
  { operations }: { readonly operations: readonly Operation[] },
  scopes: readonly string[],
  severity: 'error' | 'warning',
): readonly Diagnostic[] {
  const needed = new Map<string, Set<string>>();
  for (const operation of operations) {
    const anyOf = scopesOf(operation);
    if (anyOf.some((scope) => scopes.includes(scope))) continue;
    madeOnce(needed, anyOf.join(' or '), () => new Set()).add(operation.address);
  }
  return [...needed].map(([scope, addresses]) => {
    const who = `${named([...addresses].sort(), 1)} ${addresses.size === 1 ? 'needs' : 'need'}`;
    const message = `The token lacks the scope ${scope}, which ${who}.`;
    const hint = 'Use a token with this scope, or leave these changes out with --exclude.';
    return diagnostic(severity, 'scope-missing', message, hint);
  });
}

function scopesOf({ address, verb }: Operation): readonly string[] {
  const collection = collectionOf(address);
  if (collection === undefined) throw new Error(`not an address: ${address}`);
  const { scopes } = kindOf(collection);
  return verb === 'delete' ? scopes.delete : scopes.write;
}

/**
 * The warnings for a plan. A read-only token makes plans for others to apply: it gets no warning about missing write
 * scopes.
 */
export function scopeWarnings(
  operations: readonly Operation[],
  scopes: readonly string[],
): readonly Diagnostic[] {
  const writes = scopes.some((scope) => scope.endsWith(':write') || scope.endsWith(':delete'));
  return writes ? missingScopes({ operations }, scopes, 'warning') : [];
}
