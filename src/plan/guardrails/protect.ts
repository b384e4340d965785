import type { Guardrail, Listed } from '../../desired/guardrails/settings.ts';
import type { Location } from '../../diagnostics/diagnostic.ts';
import { matchesAddress } from '../../model/address.ts';
import type { GuardrailFinding, JudgedChange, JudgedState } from './judged.ts';

const HARMS = [
  { action: 'delete', verb: 'deletes', path: 'state' },
  { action: 'replace', verb: 'replaces', path: 'target_wallet' },
  { action: 'stop', verb: 'stops', path: 'state' },
  { action: 'release', verb: 'releases', path: 'state' },
] as const;

/**
 * `protect`: addresses that must not be deleted, replaced, stopped or released, or renamed to an address outside the
 * list, because the next plan could then do the rest. A pause during an update is not a stop.
 */
export function protect(
  judged: JudgedState,
  { limit }: Guardrail<readonly Listed[]>,
): readonly GuardrailFinding[] {
  const origins = new Map<string, (path: string) => Location | undefined>([
    ...judged.resources.map(({ after }) => [after.address, after.origin] as const),
    ...judged.removals.map(({ address, origin }) => [address, origin] as const),
  ]);
  return judged.changes.flatMap((change) => {
    const entry = limit.find(({ text }) =>
      [change.address, change.previous_address].some((item) => item !== null && matchesAddress(text, item)),
    );
    if (entry === undefined) return [];
    const harm = HARMS.find(({ action }) => change.actions.includes(action)) ?? renamedAway(change, limit);
    if (harm === undefined) return [];
    return [
      {
        message: `The plan ${harm.verb} ${change.address}, but protect contains ${entry.text}.`,
        hint: 'Undo the change in the manifests, or remove the address from protect.',
        address: change.address,
        // Tasks that prune.tasks deletes are in no manifest.
        location: origins.get(change.address)?.(harm.path) ?? entry.location,
        worse: true,
      },
    ];
  });
}

/** A rename to an address that no entry covers. */
function renamedAway({ address, previous_address }: JudgedChange, limit: readonly Listed[]) {
  if (previous_address === null || limit.some(({ text }) => matchesAddress(text, address))) return undefined;
  return { verb: `renames ${previous_address} to`, path: 'metadata.previous_name' };
}
