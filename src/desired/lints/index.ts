import { type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import { untilEnough } from '../enough.ts';
import { checkConfigs } from '../rules/rule.ts';
import { checkAnnotations, silenced, UsedAnnotations } from './annotations.ts';
import { dexesNarrowing, dexSourceGlobal } from './dexes.ts';
import { dormantValues, ignoredUnderDevSell } from './dormant-values.ts';
import { ladderOver100 } from './ladder-over-100.ts';
import { legacyField } from './legacy-field.ts';
import type { ConfigLint, Lint, LintInput, LintReport } from './lint.ts';
import { lookalikeAddress } from './lookalike-address.ts';
import { slippageInert } from './slippage-inert.ts';
import { tiersGap, tiersOverlap, tiersUnordered } from './tiers.ts';
import { unshownField } from './unshown-field.ts';

const OF_CONFIGS: readonly ConfigLint[] = [
  slippageInert,
  dexSourceGlobal,
  dexesNarrowing,
  tiersOverlap,
  tiersGap,
  tiersUnordered,
  ladderOver100,
  dormantValues,
  ignoredUnderDevSell,
  legacyField,
  unshownField,
];
/** Every lint. Each has a case in test/manifest/cases, a row in docs/reference/lints.md and a page. */
export const LINTS = [...OF_CONFIGS, lookalikeAddress];

/** Warnings about manifests without errors, except those that an annotation turns off. */
export function checkLints(input: LintInput): readonly Diagnostic[] {
  const used = new UsedAnnotations();
  const found = untilEnough((tell) => {
    const reporting =
      ({ code }: Pick<Lint, 'code'>): LintReport =>
      (manifest, path, message, hint, other) => {
        const places = [{ manifest, path }, ...(other === undefined ? [] : [other])];
        const documents = places.flatMap((place) => silenced(place.manifest, place.path, code));
        for (const document of documents) used.add(document, code);
        if (documents.length > 0) return false;
        tell(manifest.diagnostic(path, warning(code, message, hint)));
        return true;
      };
    const reports = new Map(OF_CONFIGS.map((lint) => [lint, reporting(lint)]));
    checkConfigs(input.manifests, OF_CONFIGS, (lint, place) =>
      lint.check(place, reports.get(lint) ?? reporting(lint)),
    );
    lookalikeAddress.check(input, reporting(lookalikeAddress));
  });
  const codes = LINTS.map(({ code }) => code);
  return [...found, ...checkAnnotations(input.documents, codes, used)];
}
