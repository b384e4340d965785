import type { PlanDiagnostic } from '../../model/generated/plan.ts';
import { placeText } from '../field-lines.ts';
import { markdownCode, markdownText } from './escape.ts';

/** One diagnostic as the text of a list item: code, who, what, where, and what to do. */
export function diagnosticItem(diagnostic: PlanDiagnostic): string {
  const { code, message, hint, address, location, provenance } = diagnostic;
  const who = address === undefined || message.includes(address) ? '' : `${markdownCode(address)}: `;
  return [
    `${markdownCode(code)}: ${who}${markdownText(message)}`,
    ...(location === undefined ? [] : [`(${markdownCode(placeText(location))})`]),
    ...(provenance === 'before' ? ['_So before this change already._'] : []),
    ...(hint === undefined ? [] : [`— ${markdownText(hint)}`]),
  ].join(' ');
}
