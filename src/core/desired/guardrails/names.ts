import { type Diagnostic, problem } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../diagnostics/suggest.ts';
import { NAME_PATTERN } from '../../model/address.ts';
import { MOST } from '../../model/bounds.ts';
import type { DesiredState } from '../state.ts';
import type { GuardrailSettings, Listed } from './settings.ts';

/** Names in guardrails that no manifest defines. A typing error there would allow everything or nothing. */
export function unknownNames(
  { limits: { allowed_wallets, forbidden_wallets, require_label } }: GuardrailSettings,
  { wallets, labels }: Pick<DesiredState, 'wallets' | 'labels'>,
): readonly Diagnostic[] {
  const walletNames = [allowed_wallets, forbidden_wallets]
    .flatMap((guardrail) => guardrail?.limit ?? [])
    .filter(({ text }) => NAME_PATTERN.test(text));
  const labelNames = require_label === undefined || require_label.limit === true ? [] : require_label.limit;
  return [
    ...unknown(walletNames, [...wallets.keys()], 'unknown-wallet', 'no wallet book contains the name'),
    ...unknown(
      labelNames,
      labels.map(({ name }) => name),
      'unknown-label',
      'no manifest defines the label',
    ),
  ];
}

function unknown(
  used: readonly Listed[],
  known: readonly string[],
  code: 'unknown-wallet' | 'unknown-label',
  message: string,
): readonly Diagnostic[] {
  const there = new Set(known);
  return used
    .filter(({ text }) => !there.has(text))
    .slice(0, MOST.findings)
    .map(({ text, location }) => ({
      ...problem(code, `${message} "${text}"`, didYouMean(text, known)),
      location,
      length: text.length,
    }));
}
