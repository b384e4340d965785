import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { isObject, type Json } from '../../model/json.ts';
import { CONFIG, where } from '../rules/rule.ts';
import type { LintInput, LintPlace, LintReport } from './lint.ts';

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Wallets are shown shortened to this many characters at each end, and a forged address has the same ends. */
const END = 4;
/**
 * Half of the shortest address. After a single changed, missing or additional character, one half of an address is still the
 * same.
 */
const HALF = 16;

interface Place extends LintPlace {
  readonly address: string;
}

/**
 * Two different addresses of the project that a person can confuse: a typing error, or a wallet that was made for it (HAZARDS
 * 22).
 */
export function lookalikeAddress(input: LintInput, report: LintReport): void {
  const alike = LIKENESS.map((each) => ({ ...each, known: new Map<string, readonly Place[]>() }));
  for (const place of firstPlaces(input)) {
    const told = new Set<Place>();
    let warnings = 0;
    for (const { keyOf, words, known } of alike) {
      for (const other of enter(known, keyOf(place.address), place)) {
        if (warnings === MOST_WARNINGS) break;
        if (told.has(other)) continue;
        told.add(other);
        const warned = report(
          place,
          `${place.address} looks like ${other.address}: ${words}`,
          `the other one is ${where(other.manifest, other.path)}; compare both with their source, character by character`,
          other,
        );
        if (warned) warnings += 1;
      }
    }
  }
}

/** Two addresses that share a key look alike. `words` say how. */
const LIKENESS: readonly { readonly keyOf: (address: string) => string; readonly words: string }[] = [
  { keyOf: (address) => address.toLowerCase(), words: 'they differ only in upper and lower case' },
  {
    keyOf: (address) => address.slice(0, END) + address.slice(-END),
    words: `their first ${END} and last ${END} characters are the same`,
  },
  { keyOf: (address) => address.slice(0, HALF), words: `their first ${HALF} characters are the same` },
  { keyOf: (address) => address.slice(-HALF), words: `their last ${HALF} characters are the same` },
];
/**
 * Warnings about one address. Of a thousand similar addresses, not each is reported with each other. Findings that an
 * annotation turns off do not count.
 */
const MOST_WARNINGS = 3;
/** Each address is compared with at most this many earlier ones, whatever is turned off. */
const MOST_COMPARED = 30;

/** The earlier entries, in order. */
function enter(known: Map<string, readonly Place[]>, key: string, place: Place): readonly Place[] {
  const before = known.get(key) ?? [];
  if (before.length < MOST_COMPARED) known.set(key, [...before, place]);
  return before;
}

/**
 * Each address once, at its first place, wallet books first. Addresses from the environment are never shown, so they are not
 * compared.
 */
function firstPlaces({ manifests, documents }: LintInput): readonly Place[] {
  const first = new Map<string, Place>();
  const take = (manifest: Manifest, address: Json | undefined, pathOf: () => Path) => {
    if (typeof address !== 'string' || first.has(address) || !ADDRESS.test(address)) return;
    const path = pathOf();
    if (!manifest.isSecret(path)) first.set(address, { address, manifest, path });
  };
  for (const manifest of documents)
    for (const path of bookPaths(manifest)) take(manifest, manifest.get(...path), () => path);
  for (const manifest of manifests) {
    take(manifest, manifest.get(...TARGET), () => TARGET);
    for (const list of LISTS) {
      const addresses = manifest.list(...list) ?? [];
      for (let index = 0; index < addresses.length; index += 1)
        take(manifest, addresses[index], () => [...list, index]);
    }
  }
  return [...first.values()];
}

const TARGET: Path = ['spec', 'target_wallet'];
const LISTS: readonly Path[] = [
  ['spec', 'linked_wallets'],
  [...CONFIG, 'address_blacklist', 'wallets'],
];

/** The values of a wallet book: an address, or an address with a note. */
function bookPaths(document: Manifest): readonly Path[] {
  if (document.kindName !== 'WalletBook') return [];
  return Object.entries(document.object('spec', 'wallets') ?? {}).map(([name, wallet]) =>
    isObject(wallet) ? ['spec', 'wallets', name, 'address'] : ['spec', 'wallets', name],
  );
}
