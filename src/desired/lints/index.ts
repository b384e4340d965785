import { type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import { type Path, valueBelow } from '../../manifest/spans.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import { type Json, objectIn } from '../../model/json.ts';
import { untilEnough } from '../enough.ts';
import { type ConfigRow, checkConfigs } from '../rules/rule.ts';
import { dexesNarrowing, dexSourceGlobal, tiersGap, tiersOverlap, tiersUnordered } from './buy-parameters.ts';
import type { LintInput, LintPlace } from './lint.ts';
import { lookalikeAddress } from './lookalike-address.ts';
import {
  dormantValues,
  ignoredUnderDevSell,
  ladderOver100,
  legacyField,
  slippageBelow1,
  slippageInert,
  unshownField,
} from './values.ts';

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
const LOOKALIKE = 'lookalike-address';
/** Every lint. Each has a case in test/manifest/cases, a row in docs/reference/lints.md and a page. */
export const LINTS: readonly { readonly code: DiagnosticCode }[] = [...OF_CONFIGS, { code: LOOKALIKE }];

/** Warnings about manifests without errors, except those that an annotation turns off. */
export function checkLints(input: LintInput): readonly Diagnostic[] {
  const used = new Map<Json, Set<string>>();
  const found = untilEnough((tell) => {
    const report = (
      code: DiagnosticCode,
      place: LintPlace,
      said: readonly [string, string],
      other?: LintPlace,
    ) => {
      const places = [place, ...(other === undefined ? [] : [other])];
      const documents = places.flatMap(({ manifest, path }) => silenced(manifest, path, code));
      for (const document of documents) used.set(document, (used.get(document) ?? new Set()).add(code));
      if (documents.length > 0) return false;
      tell(place.manifest.diagnostic(place.path, warning(code, ...said)));
      return true;
    };
    checkConfigs(input.manifests, OF_CONFIGS, (code, manifest, path, ...said) =>
      report(code, { manifest, path }, said),
    );
    lookalikeAddress(input, (place, message, hint, other) =>
      report(LOOKALIKE, place, [message, hint], other),
    );
  });
  const codes = LINTS.map(({ code }) => code);
  return [...found, ...checkAnnotations(input.documents, codes, used)];
}

/** Which annotations turned a lint off: codes by the value of their document. */
type UsedAnnotations = ReadonlyMap<Json, ReadonlySet<string>>;

/** Problems of annotations that should turn a lint off. `codes` are the codes of the lints. */
function checkAnnotations(
  documents: readonly Manifest[],
  codes: readonly string[],
  used: UsedAnnotations,
): readonly Diagnostic[] {
  return documents.flatMap((document) =>
    silencesIn(document.value).flatMap((silence) => {
      const problem = problemOf(silence, codes, used.get(document.value)?.has(silence.code) === true);
      return problem === undefined ? [] : [document.diagnostic(silence.path, problem, 'key')];
    }),
  );
}

function problemOf({ code, reason }: Silence, codes: readonly string[], used: boolean): Problem | undefined {
  if (!codes.includes(code)) {
    return warning(
      'lint-annotation',
      `unknown lint ${JSON.stringify(code)}`,
      didYouMean(code, codes) ?? `only lints can be turned off: ${codes.join(', ')}`,
    );
  }
  if (reason === '') {
    return warning(
      'lint-annotation',
      `${code} stays on: the annotation gives no reason`,
      'write the reason, for the next reader',
    );
  }
  if (used) return undefined;
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
