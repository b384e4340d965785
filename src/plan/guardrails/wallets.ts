import type { Guardrail, Listed } from '../../desired/guardrails/settings.ts';
import type { DesiredState, DesiredTask } from '../../desired/state.ts';
import {
  fieldFinding,
  type GuardrailFinding,
  type JudgedResource,
  type JudgedState,
  named,
  shownValue,
} from './judged.ts';

type WalletGuardrail = Guardrail<readonly Listed[]>;

/** `allowed_wallets`: refuses all wallets that are not in the list. */
export function allowedWallets(judged: JudgedState, { limit }: WalletGuardrail): readonly GuardrailFinding[] {
  const allowed = addressesOf(limit, judged.book);
  const list = named(limit.map(({ text }) => text));
  return findings(judged, (address) =>
    allowed.has(address)
      ? undefined
      : { says: `allowed_wallets allows ${list}`, hint: 'Use an allowed one, or add this one to the list.' },
  );
}

/** `forbidden_wallets`: refuses the wallets in the list. */
export function forbiddenWallets(
  judged: JudgedState,
  { limit }: WalletGuardrail,
): readonly GuardrailFinding[] {
  const forbidden = addressesOf(limit, judged.book);
  return findings(judged, (address) => {
    const entry = forbidden.get(address);
    return entry === undefined
      ? undefined
      : { says: `forbidden_wallets names ${entry}`, hint: 'Use another wallet.' };
  });
}

/** Addresses with their names in the list. Names come from wallet books; it was checked that they exist. */
function addressesOf(
  limit: readonly Listed[],
  wallets: DesiredState['wallets'],
): ReadonlyMap<string, string> {
  return new Map(limit.map(({ text }) => [wallets.get(text) ?? text, text]));
}

function findings(
  { resources, wallets }: JudgedState,
  problemOf: (address: string) => { readonly says: string; readonly hint: string } | undefined,
): readonly GuardrailFinding[] {
  const names = new Map([...wallets].map(([name, address]) => [address, name]));
  return resources.flatMap((resource) => {
    const { after, before } = resource;
    if (!isTask(after)) return [];
    const { address, target_wallet, linked_wallets = [] } = after;
    const followed =
      before !== undefined && isTask(before) ? [before.target_wallet, ...(before.linked_wallets ?? [])] : [];
    const used = [
      { wallet: target_wallet, path: 'target_wallet' },
      ...linked_wallets.map((wallet, index) => ({ wallet, path: `linked_wallets[${index}]` })),
    ];
    return used.flatMap(({ wallet, path }) => {
      const problem = problemOf(wallet);
      if (problem === undefined) return [];
      const name = names.get(wallet);
      const written = shownValue(resource, path, wallet);
      const who = name === undefined ? written : `${written} (${name})`;
      const message = `${address}: ${path} is ${who}, but ${problem.says}.`;
      return [fieldFinding(resource, path, { message, hint: problem.hint }, !followed.includes(wallet))];
    });
  });
}

function isTask(described: JudgedResource['after']): described is DesiredTask {
  return 'target_wallet' in described;
}
