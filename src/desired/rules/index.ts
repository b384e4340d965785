import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { untilEnough } from '../enough.ts';
import { activeSide } from './active-side.ts';
import { bodySize } from './body-size.ts';
import { ignoreChanges } from './ignore-changes.ts';
import { knownLabel } from './known-label.ts';
import { labelCount } from './label-count.ts';
import { needsPumpFun } from './needs-pump-fun.ts';
import { previousNames } from './previous-names.ts';
import { devAmounts, marketCaps, tradeAmounts } from './ranges.ts';
import { reentry } from './reentry.ts';
import { remark } from './remark.ts';
import { removals } from './removals.ts';
import { type ConfigRule, checkConfigs, type ReportAt, type Rule, type RuleInput } from './rule.ts';
import { shownNames } from './shown-names.ts';
import { uniqueIds, uniqueNames, uniqueTargets } from './unique.ts';
import { uniqueItems } from './unique-items.ts';

/** Rules about all manifests together. */
const OF_ALL: readonly Rule[] = [
  uniqueNames,
  uniqueIds,
  previousNames,
  shownNames,
  removals,
  uniqueTargets,
  labelCount,
  knownLabel,
  remark,
  ignoreChanges,
  uniqueItems,
  bodySize,
];
const OF_CONFIGS: readonly ConfigRule[] = [
  reentry,
  needsPumpFun,
  tradeAmounts,
  devAmounts,
  marketCaps,
  activeSide,
];
/** Every rule beyond the schemas. Each has a case in test/manifest/cases. */
export const RULES = [...OF_ALL, ...OF_CONFIGS];

export function checkRules(input: RuleInput): readonly Diagnostic[] {
  return untilEnough((tell) => {
    const report: ReportAt = (manifest, path, problem, on = 'value') => {
      if (on === 'value' && manifest.isDiagnosed(path)) return;
      tell(manifest.diagnostic(path, problem, on));
    };
    for (const rule of OF_ALL) rule.check(input, report);
    checkConfigs(input.manifests, OF_CONFIGS, (rule, place) => rule.check(place, report));
  });
}
