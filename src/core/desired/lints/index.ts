import { type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../diagnostics/suggest.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import { type Path, parsePath, valueBelow } from '../../manifest/spans.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import { isObject, type Json, objectIn } from '../../model/json.ts';
import { named } from '../../model/named.ts';
import { walletsIn } from '../../model/wallets.ts';
import { untilEnough } from '../enough.ts';
import { CONFIG, type ConfigRow, checkConfigs, where } from '../rules/rule.ts';
import { dexesNarrowing, dexSourceGlobal, tiersGap, tiersOverlap, tiersUnordered } from './buy-parameters.ts';
import type { LintInput, LintPlace, LintReport } from './lint.ts';
import { targetNotWallet, taskTwice } from './targets.ts';
import {
  dormantValues,
  ignoredUnderDevSell,
  ladderOver100,
  legacyField,
  slippageBelow1,
  slippageInert,
  unshownField,
} from './values.ts';

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Wallets are shown shortened to this many characters at each end, and a forged address has the same ends. */
const END = 4;
/**
 * Half of the shortest address. After a single changed, missing or additional character, one half of an address is still the
 * same.
 */
const HALF = 16;

interface UsePlace extends LintPlace {
  readonly address: string;
}

/**
 * Two different addresses of the project that a person can confuse: a typing error, or a wallet that was made for it (HAZARDS
 * 22).
 */
function lookalikeAddress(input: LintInput, report: LintReport): void {
  const alike = LIKENESS.map((each) => ({ ...each, known: new Map<string, readonly UsePlace[]>() }));
  for (const place of firstPlaces(input)) {
    const told = new Set<UsePlace>();
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
function enter(known: Map<string, readonly UsePlace[]>, key: string, place: UsePlace): readonly UsePlace[] {
  const before = known.get(key) ?? [];
  if (before.length < MOST_COMPARED) known.set(key, [...before, place]);
  return before;
}

/**
 * Each address once, at its first place, wallet books first. Addresses from the environment are never shown, so they are not
 * compared.
 */
function firstPlaces({ manifests, documents }: LintInput): readonly UsePlace[] {
  const first = new Map<string, UsePlace>();
  const take = (manifest: Manifest, address: Json | undefined, pathOf: () => Path) => {
    if (typeof address !== 'string' || first.has(address) || !ADDRESS.test(address)) return;
    const path = pathOf();
    if (!manifest.isSecret(path)) first.set(address, { address, manifest, path });
  };
  for (const manifest of documents)
    for (const path of bookPaths(manifest)) take(manifest, manifest.get(...path), () => path);
  for (const manifest of manifests) {
    for (const { wallet, path } of walletsIn(manifest.object('spec') ?? {}))
      take(manifest, wallet, () => ['spec', ...parsePath(path)]);
    for (const [index, wallet] of (manifest.list(...BLACKLIST) ?? []).entries())
      take(manifest, wallet, () => [...BLACKLIST, index]);
  }
  return [...first.values()];
}

const BLACKLIST: Path = [...CONFIG, 'address_blacklist', 'wallets'];

/** The values of a wallet book: an address, or an address with a note. */
function bookPaths(document: Manifest): readonly Path[] {
  if (document.kindName !== 'WalletBook') return [];
  return Object.entries(document.object('spec', 'wallets') ?? {}).map(([name, wallet]) =>
    isObject(wallet) ? ['spec', 'wallets', name, 'address'] : ['spec', 'wallets', name],
  );
}

const COPY_TRADE = ['copyTradeConfig'] as const;
const BOTH = ['sniperConfig', 'copyTradeConfig'] as const;
/**
 * What the service accepts and what is probably a mistake. A lint warns and never fails anything, and sees manifests without errors.
 * The code of its findings also turns it off in an annotation.
 */
const OF_CONFIGS: readonly ConfigRow[] = [
  { code: 'slippage-inert', of: BOTH, check: slippageInert },
  { code: 'slippage-below-1', of: BOTH, check: slippageBelow1 },
  { code: 'dex-source-global', of: BOTH, check: dexSourceGlobal },
  { code: 'dexes-narrowing', of: COPY_TRADE, check: dexesNarrowing },
  { code: 'tiers-overlap', of: COPY_TRADE, check: tiersOverlap },
  { code: 'tiers-gap', of: COPY_TRADE, check: tiersGap },
  { code: 'tiers-unordered', of: COPY_TRADE, check: tiersUnordered },
  { code: 'ladder-over-100', of: BOTH, check: ladderOver100 },
  { code: 'dormant-values', of: BOTH, check: dormantValues },
  { code: 'ignored-under-dev-sell', of: COPY_TRADE, check: ignoredUnderDevSell },
  { code: 'legacy-field', of: BOTH, check: legacyField },
  { code: 'unshown-field', of: BOTH, check: unshownField },
];
/** What is seen of all manifests together. */
const OF_ALL = [
  { code: 'lookalike-address', check: lookalikeAddress },
  { code: 'task-twice', check: taskTwice },
  { code: 'target-not-wallet', check: targetNotWallet },
] as const;
/** Names that nothing uses: one warning for all of a kind. */
const OF_NAMES = [{ code: 'variable-unused' }, { code: 'preset-unused' }, { code: 'wallet-unused' }] as const;
/** Every lint. Each has a case in test/manifest/cases, a row in docs/reference/lints.md and a page. */
export const LINTS: readonly { readonly code: DiagnosticCode }[] = [...OF_CONFIGS, ...OF_ALL, ...OF_NAMES];
const CODES: readonly string[] = LINTS.map(({ code }) => code);

/** So many names are in one warning. */
const MOST_NAMES = 5;

/** Warnings about manifests without errors, except those that an annotation turns off. */
export function checkLints(input: LintInput): readonly Diagnostic[] {
  const used = new Map<Json, Set<string>>();
  const isOff = (code: DiagnosticCode, places: readonly LintPlace[]) => {
    const documents = places.flatMap(({ manifest, path }) => silenced(manifest, path, code));
    for (const document of documents) used.set(document, (used.get(document) ?? new Set()).add(code));
    return documents.length > 0;
  };
  const found = untilEnough((tell) => {
    const report = (code: DiagnosticCode, place: LintPlace, message: string, hint: string, other = place) => {
      if (isOff(code, [place, other])) return false;
      const way = `if this is intended, give the reason in the annotation ${PREFIX}${code}`;
      tell(place.manifest.diagnostic(place.path, warning(code, message, `${hint}; ${way}`)));
      return true;
    };
    checkConfigs(input.manifests, OF_CONFIGS, (code, manifest, path, ...said) => {
      report(code, { manifest, path }, ...said);
    });
    for (const { code, check } of OF_ALL) check(input, (place, ...said) => report(code, place, ...said));
    for (const { manifest, path, code, name, near } of input.unused) {
      const message = `nothing uses the variable ${name} of an environment; ${near} is used, and not set here`;
      const hint = `did you mean ${near}?`;
      if (near !== undefined) tell(manifest.diagnostic(path, { code, message, hint }, 'key'));
    }
    for (const { code } of OF_NAMES) {
      const unused = input.unused.filter((each) => each.code === code && each.near === undefined);
      const [first, ...more] = unused.filter((each) => !isOff(code, [each]));
      if (first === undefined) continue;
      const names = new Set([first, ...more].map(({ name }) => name));
      const message = `nothing uses the ${code.split('-')[0]}s ${named([...names], MOST_NAMES)}`;
      report(code, first, message, 'remove what is not needed');
    }
  });
  const ofAnnotations = input.documents.flatMap((document) =>
    silencesIn(document.value).flatMap((silence) => {
      const problem = problemOf(silence, used.get(document.value)?.has(silence.code) === true);
      return problem === undefined ? [] : [document.diagnostic(silence.path, problem, 'key')];
    }),
  );
  return [...found, ...ofAnnotations];
}

/** Of an annotation that should turn a lint off. `used`: it does. */
function problemOf({ code, reason }: Silence, used: boolean): Problem | undefined {
  if (!CODES.includes(code)) {
    return warning(
      'lint-annotation',
      `unknown lint ${JSON.stringify(code)}`,
      didYouMean(code, CODES) ?? `only lints can be turned off: ${CODES.join(', ')}`,
    );
  }
  if (reason === '') {
    return warning(
      'lint-annotation',
      `${code} stays on: the annotation gives no reason`,
      'write the reason, for the next reader',
    );
  }
  // Another project may use the names of a document that both read.
  if (used || OF_NAMES.some((row) => row.code === code)) return undefined;
  return warning(
    'lint-unused',
    `the annotation turns nothing off: ${code} finds nothing here`,
    'remove the annotation, or it may hide a later finding',
  );
}

const PREFIX = 'lint.tradeform/';
/** In a manifest, and in the tasks of a task set. */
const PLACES: readonly Path[] = [
  ['metadata', 'annotations'],
  ['spec', 'task', 'metadata', 'annotations'],
];

/** One `lint.tradeform/CODE: reason` of a document. */
interface Silence {
  readonly path: Path;
  readonly code: string;
  /** Trimmed. An empty reason turns nothing off. */
  readonly reason: string;
}

/**
 * The documents whose annotation turns `code` off for the value at `path`, identified by their values: the manifest itself, for
 * all its values, or the preset or template that sets the value. Empty if none does.
 */
function silenced(manifest: Manifest, path: Path, code: DiagnosticCode): readonly Json[] {
  const documents = [...new Set([manifest.value, ...manifest.places.documentsOf(path)])];
  return documents.filter((document) =>
    silencesIn(document).some((silence) => silence.code === code && silence.reason !== ''),
  );
}

/** All annotations of a document that should turn a lint off. */
function silencesIn(document: Json): readonly Silence[] {
  return PLACES.flatMap((place) => {
    return Object.entries(objectIn(valueBelow(document, place)))
      .filter(([key]) => key.startsWith(PREFIX))
      .map(([key, reason]) => ({
        path: [...place, key],
        code: key.slice(PREFIX.length),
        reason: typeof reason === 'string' ? reason.trim() : '',
      }));
  });
}
