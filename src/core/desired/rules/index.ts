import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { DocumentPlaces, Manifest } from '../../manifest/manifest.ts';
import { Source } from '../../manifest/source.ts';
import type { JsonObject } from '../../model/json.ts';
import type { TaskKind } from '../../model/kind.ts';
import { passesWriteSchema } from '../../model/write-schema.ts';
import { untilEnough } from '../enough.ts';
import {
  activeAmounts,
  devAmounts,
  marketCaps,
  needsPumpFun,
  reentry,
  tiersRequired,
  tradeAmounts,
} from './configs.ts';
import {
  knownLabel,
  labelCount,
  previousNames,
  removals,
  shownNames,
  uniqueIds,
  uniqueItems,
  uniqueNames,
  uniqueTargets,
} from './names.ts';
import { type ConfigRow, checkConfigs, type ReportAt, type Rule, type RuleInput } from './rule.ts';
import { bodySize, ignoreChanges, remark } from './tasks.ts';

const OF_ALL: readonly { readonly name: string; readonly check: Rule }[] = [
  { name: 'unique-names', check: uniqueNames },
  { name: 'unique-ids', check: uniqueIds },
  { name: 'previous-names', check: previousNames },
  { name: 'shown-names', check: shownNames },
  { name: 'removals', check: removals },
  { name: 'unique-targets', check: uniqueTargets },
  { name: 'label-count', check: labelCount },
  { name: 'known-label', check: knownLabel },
  { name: 'remark', check: remark },
  { name: 'ignore-changes', check: ignoreChanges },
  { name: 'unique-items', check: uniqueItems },
  { name: 'body-size', check: bodySize },
];
const SNIPER = ['sniperConfig'] as const;
const COPY_TRADE = ['copyTradeConfig'] as const;
const OF_CONFIGS: readonly (ConfigRow & { readonly name: string })[] = [
  { name: 'reentry', code: 'reentry-deprecated', of: COPY_TRADE, check: reentry },
  { name: 'needs-pump-fun', code: 'needs-pump-fun', of: COPY_TRADE, check: needsPumpFun },
  { name: 'trade-amounts', code: 'range-inverted', of: COPY_TRADE, check: tradeAmounts },
  { name: 'dev-amounts', code: 'range-inverted', of: SNIPER, check: devAmounts },
  { name: 'market-caps', code: 'range-inverted', of: COPY_TRADE, check: marketCaps },
  { name: 'active-side', code: 'tiers-required', of: COPY_TRADE, check: tiersRequired },
  { name: 'active-side', code: 'amount-required', of: COPY_TRADE, check: activeAmounts },
];
/** Every rule beyond the schemas. Each has a case in test/manifest/cases. */
export const RULES = [...OF_ALL, ...OF_CONFIGS];

/**
 * True if the service takes the config: by its write schema, and by the rules across fields. Compiling checks the configs of
 * manifests; this one may be merged from git and the service.
 */
export function isWritable({ config: definition, manifestKind }: TaskKind, config: JsonObject): boolean {
  if (!passesWriteSchema(definition, config)) return false;
  const value = { spec: { config } };
  const noText = () => {
    throw new Error('no text');
  };
  const places = new DocumentPlaces(new Source('', ''), value, { start: 0, end: 0 }, noText, []);
  let passes = true;
  checkConfigs([new Manifest(manifestKind, manifestKind, value, places)], OF_CONFIGS, () => {
    passes = false;
  });
  return passes;
}

export function checkRules(input: RuleInput): readonly Diagnostic[] {
  return untilEnough((tell) => {
    const report: ReportAt = (manifest, path, problem, on = 'value') => {
      if (on === 'value' && manifest.isDiagnosed(path)) return;
      tell(manifest.diagnostic(path, problem, on));
    };
    for (const { check } of OF_ALL) check(input, report);
    checkConfigs(input.manifests, OF_CONFIGS, (code, manifest, path, message, hint) =>
      report(manifest, path, { code, message, hint }),
    );
  });
}
