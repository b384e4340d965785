import type { Guardrail, Limits } from '../../desired/guardrails/settings.ts';
import { type Finding, fieldFinding, type Scene } from './scene.ts';

/** Every task has a label, or one of a list. */
export function requireLabel(
  { resources }: Scene,
  { limit }: Guardrail<Limits['require_label']>,
): readonly Finding[] {
  const allowed = limit === true ? undefined : limit.map(({ text }) => text);
  const wants = allowed === undefined ? 'wants one' : `wants one of ${allowed.join(', ')}`;
  return resources.flatMap((resource) => {
    const { desired } = resource;
    if (!('label' in desired)) return [];
    const { address, label } = desired;
    if (label !== null && (allowed === undefined || allowed.includes(label))) return [];
    const text = `${address} has ${label === null ? 'no label' : `the label ${label}`}, and require_label ${wants}.`;
    return [fieldFinding(resource, 'label', text, 'Write spec.label.')];
  });
}
