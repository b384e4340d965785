import { manifestOf } from '../../desired/as-manifest.ts';
import { matchesAddress } from '../../model/address.ts';
import type { Policy } from './guardrails.ts';
import { type Finding, fieldFinding, type Scene, shown } from './scene.ts';

/** Tasks and templates as the manifests want them: compiled, as `tradeform render` prints them. */
export function askPolicy(
  { resources }: Scene,
  { name, message, target, check }: Policy,
): readonly Finding[] {
  return resources.flatMap((resource) => {
    const { desired } = resource;
    if (!matchesAddress(target, desired.address)) return [];
    return check(manifestOf(desired)).map(({ path, value, text, hint }) => {
      const field = path.replace(/^spec\.?/, '');
      const is = hint === undefined ? `${path} is ${shown(resource, field, value)}, and ` : '';
      const says = hint === undefined ? `says it ${text}` : text;
      const said = `${sentence(message)} ${desired.address}: ${is}policy ${name} ${says}.`;
      return fieldFinding(resource, field, said, hint ?? 'Change the field.');
    });
  });
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
