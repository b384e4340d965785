import { manifestOf } from '../../desired/as-manifest.ts';
import { matchesAddress } from '../../model/address.ts';
import { MOST } from '../../model/bounds.ts';
import type { Policy, PolicyRoom } from './guardrails.ts';
import { type Finding, fieldFinding, type Scene, shown } from './scene.ts';

/**
 * Tasks and templates as the manifests want them: compiled, as `tradeform render` prints them. Of more findings than are told those
 * are left out that refuse nothing, and, once one refuses, the others.
 */
export function askPolicy(
  { resources }: Scene,
  { name, message, target, check }: Policy,
  room: PolicyRoom,
): readonly Finding[] {
  const findings: Finding[] = [];
  let refuses = false;
  for (const resource of resources) {
    const { desired } = resource;
    if (!matchesAddress(target, desired.address)) continue;
    if (findings.length > MOST.diagnostics && (refuses || !resource.touched)) continue;
    for (const { path, value, text, hint } of check(manifestOf(desired), room)) {
      const field = path.replace(/^spec\.?/, '');
      const is = hint === undefined ? `${path} is ${shown(resource, field, value)}, and ` : '';
      const says = hint === undefined ? `says it ${text}` : text;
      const said = `${sentence(message)} ${desired.address}: ${is}policy ${name} ${says}.`;
      findings.push(fieldFinding(resource, field, said, hint ?? 'Change the field.'));
      refuses ||= resource.touched;
    }
  }
  return findings;
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
