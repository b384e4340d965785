import type { Guardrail, Listed } from '../../desired/guardrails/settings.ts';
import { matchesAddress } from '../../model/address.ts';
import type { Change } from '../../model/generated/plan.ts';
import type { Finding, Scene } from './scene.ts';

const HARMS = [
  { action: 'delete', verb: 'deletes', path: 'state' },
  { action: 'replace', verb: 'replaces', path: 'target_wallet' },
  { action: 'stop', verb: 'stops', path: 'state' },
] as const;

/** Addresses that may not be deleted, replaced or stopped; a pause that an update takes and ends is no stop. */
export function protect(scene: Scene, { limit }: Guardrail<readonly Listed[]>): readonly Finding[] {
  const origins = new Map(scene.resources.map(({ desired }) => [desired.address as string, desired.origin]));
  return scene.changes.flatMap((change) => {
    const harm = HARMS.find(({ action }) => change.actions.includes(action));
    const entry = harm === undefined ? undefined : limit.find(({ text }) => covers(text, change));
    if (harm === undefined || entry === undefined) return [];
    return [
      {
        message: `The plan ${harm.verb} ${change.address}, and protect has ${entry.text}.`,
        hint: 'Undo the change in the manifests, or take the address out of the list.',
        address: change.address,
        // What is deleted is in no manifest any more.
        location: origins.get(change.address)?.(harm.path) ?? entry.location,
        touched: true,
      },
    ];
  });
}

function covers(pattern: string, { address, previous_address }: Change): boolean {
  return [address, previous_address].some((item) => item !== null && matchesAddress(pattern, item));
}
