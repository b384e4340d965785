import { bareName } from '../../../model/address.ts';
import { compareTexts } from '../../../model/compare-texts.ts';
import { isObject, type Json, type JsonObject, objectIn } from '../../../model/json.ts';
import type { Exported, Names } from './names.ts';

/** Changes an address in the manifest of a task. */
type Change = (address: string) => string;

/**
 * Moves the addresses that several tasks name into a wallet book, and writes their names instead. `known` are the names in
 * existing books. `taken` are all names that must not be used again.
 */
export function withWallets(
  tasks: readonly Exported[],
  known: ReadonlyMap<string, string>,
  taken: Names,
  book: string,
): readonly Exported[] {
  const counts = new Map<string, number>();
  for (const { manifest } of tasks) {
    for (const address of new Set(addressesIn(manifest))) counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  const names = new Map([...known].map(([name, address]) => [address, name]));
  const made: Record<string, Json> = {};
  for (const [address, count] of counts) {
    if (count < 2 || names.has(address)) continue;
    const name = taken.take(wantedName(address, tasks));
    names.set(address, name);
    made[name] = address;
  }
  const written = tasks.map((task) => {
    const manifest = changed(task.manifest, (address) => names.get(address) ?? address);
    return { ...task, manifest };
  });
  return Object.keys(made).length === 0 ? written : [bookOf(book, made), ...written];
}

/**
 * A name after the only task with this target. It contains no characters of the address, because names also appear where
 * addresses must not.
 */
function wantedName(address: string, tasks: readonly Exported[]): string {
  const targeting = tasks.filter(({ manifest }) => specOf(manifest).target_wallet === address);
  const [only, second] = targeting;
  if (only !== undefined && second === undefined) return bareName(only.address);
  return 'shared-wallet';
}

function bookOf(name: string, wallets: Record<string, Json>): Exported {
  const sorted = Object.fromEntries(Object.entries(wallets).sort(([a], [b]) => compareTexts(a, b)));
  const manifest: JsonObject = {
    apiVersion: 'tradeform/v1',
    kind: 'WalletBook',
    metadata: { name },
    spec: { wallets: sorted },
  };
  return { address: `wallet-book/${name}`, manifest, notes: [], id: null, altered: [] };
}

function addressesIn(manifest: JsonObject): readonly string[] {
  const found: string[] = [];
  changed(manifest, (address) => {
    found.push(address);
    return address;
  });
  return found;
}

function changed(manifest: JsonObject, change: Change): JsonObject {
  const spec = specOf(manifest);
  const { target_wallet: target, linked_wallets: linked, config } = spec;
  const blacklist = isObject(config) ? config.address_blacklist : undefined;
  return {
    ...manifest,
    spec: {
      ...spec,
      ...(typeof target === 'string' ? { target_wallet: change(target) } : {}),
      ...(linked === undefined ? {} : { linked_wallets: texts(linked, change) }),
      ...(isObject(config) && isObject(blacklist) && blacklist.wallets !== undefined
        ? {
            config: {
              ...config,
              address_blacklist: { ...blacklist, wallets: texts(blacklist.wallets, change) },
            },
          }
        : {}),
    },
  };
}

function texts(list: Json, change: Change): Json {
  return Array.isArray(list) ? list.map((item) => (typeof item === 'string' ? change(item) : item)) : list;
}

function specOf(manifest: JsonObject): JsonObject {
  return objectIn(manifest.spec);
}
