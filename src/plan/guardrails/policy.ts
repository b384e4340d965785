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
    return check(manifestOf(desired)).map(({ path, value, text }) => {
      const field = path.replace(/^spec\.?/, '');
      const is = `${path} is ${shown(resource, field, value)}`;
      const said = `${sentence(message)} ${desired.address}: ${is}, and policy ${name} says it ${text}.`;
      return fieldFinding(resource, field, said, 'Change the field.');
    });
  });
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
