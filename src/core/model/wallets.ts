import { partAt, pick } from './parts.ts';

export function walletsIn(from: object): readonly { readonly wallet: string; readonly path: string }[] {
  const found = Object.entries(pick(from)).flatMap(([name, value]) => {
    if (partAt(name)?.cost !== 'wallets') return [];
    if (!Array.isArray(value)) return [{ wallet: value, path: name }];
    return value.map((wallet, index) => ({ wallet, path: `${name}[${index}]` }));
  });
  return found.filter((one): one is { wallet: string; path: string } => typeof one.wallet === 'string');
}
