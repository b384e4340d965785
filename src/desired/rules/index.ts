import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { untilEnough } from '../enough.ts';
import { bodySize } from './body-size.ts';
import { activeSide, devAmounts, marketCaps, needsPumpFun, reentry, tradeAmounts } from './configs.ts';
import { ignoreChanges } from './ignore-changes.ts';
import { knownLabel, labelCount } from './labels.ts';
import { previousNames, shownNames } from './names.ts';
import { remark } from './remark.ts';
import { removals } from './removals.ts';
import { type ConfigRule, checkConfigs, type ReportAt, type Rule, type RuleInput } from './rule.ts';
import { uniqueIds, uniqueItems, uniqueNames, uniqueTargets } from './unique.ts';

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
