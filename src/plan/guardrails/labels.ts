import type { Guardrail, Limits } from '../../desired/guardrails/settings.ts';
import { fieldFinding, type GuardrailFinding, type JudgedState } from './judged.ts';

/** `require_label`: every task has a label, or one of a list. */
export function requireLabel(
  { resources }: JudgedState,
  { limit }: Guardrail<Limits['require_label']>,
): readonly GuardrailFinding[] {
  const allowed = limit === true ? undefined : limit.map(({ text }) => text);
  const wants = allowed === undefined ? 'requires one' : `requires one of ${allowed.join(', ')}`;
  return resources.flatMap((resource) => {
    const { after } = resource;
    if (!('label' in after)) return [];
    const { address, label } = after;
    if (label !== null && (allowed === undefined || allowed.includes(label))) return [];
    const message = `${address} has ${label === null ? 'no label' : `the label ${label}`}, but require_label ${wants}.`;
    const { before } = resource;
    const worse = before === undefined || !('label' in before) || before.label !== label;
    return [fieldFinding(resource, 'label', { message, hint: 'Write spec.label.' }, worse)];
  });
}
