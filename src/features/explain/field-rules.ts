import type { DiagnosticCode } from '../../diagnostics/codes.ts';
import { EXPLANATIONS } from './explanations/index.ts';

/** What is checked of a field across fields and manifests, beyond its own type and range. */
interface FieldRule {
  readonly code: DiagnosticCode;
  readonly text: string;
}

/** Codes of rules and lints, and the ends of the paths that they are about; indexes of lists are left out. */
const ABOUT: Readonly<Partial<Record<DiagnosticCode, readonly string[]>>> = {
  'duplicate-name': ['metadata.name', 'Template.spec.name', 'Label.spec.name'],
  'duplicate-id': ['metadata.id'],
  'previous-name-taken': ['metadata.previous_name'],
  'duplicate-target': ['CopyTradeTask.spec.target_wallet'],
  'unknown-wallet': ['target_wallet', 'linked_wallets', 'address_blacklist.wallets'],
  'wallet-named-twice': ['WalletBook.spec.wallets'],
  'remark-too-long': ['spec.remark'],
  'remark-holds-marker': ['spec.remark'],
  'unknown-label': ['spec.label'],
  'too-many-labels': ['Label.spec'],
  'ignored-path': ['lifecycle.ignore_changes'],
  'unknown-base': ['spec.extends'],
  'wrong-base': ['spec.extends'],
  'extends-cycle': ['spec.extends'],
  'unknown-variable': ['spec.variables'],
  'rows-missing': ['TaskSet.spec.rows', 'TaskSet.spec.rows_from'],
  'range-inverted': [
    'dev_min_amount',
    'dev_max_amount',
    'market_cap_min',
    'market_cap_max',
    'min_trade_amount',
    'max_trade_amount',
  ],
  'needs-pump-fun': ['dev_sell_only', 'dev_sell_all_only'],
  'tiers-required': ['buy_config_mode', 'buy_config_tiers'],
  'amount-required': ['amount_sol'],
  'reentry-deprecated': ['reentry_after_flat'],
  'body-too-large': ['spec.config'],
  'removal-contradicted': ['Removal.spec.resources'],
  'removal-of-task': ['Removal.spec.resources', 'Removal.spec.release'],
  'account-shared': ['environments.*.account'],
  'patch-unused': ['patches.target'],
  'slippage-inert': ['mode.slippage', 'relay_slippage', 'priority_slippage'],
  'dex-source-global': ['config.dex_source'],
  'dexes-narrowing': ['buy_config_universal.selected_dexes', 'buy_config_tiers.selected_dexes'],
  'tiers-overlap': ['buy_config_tiers'],
  'tiers-gap': ['buy_config_tiers'],
  'tiers-unordered': ['buy_config_tiers'],
  'ladder-over-100': ['tp_orders', 'timed_strategy.orders'],
  'dormant-values': ['buy_config_universal', 'auto_sell.enabled', 'address_blacklist.enabled'],
  'ignored-under-dev-sell': ['dev_sell_only'],
};

/** The rules about a field, by its path as `explain` shows it. */
export function rulesOf(path: string): readonly FieldRule[] {
  const plain = path.replace(/\[\d+\]/g, '').replace(/\.environments\.[^.]+/, '.environments.*');
  return Object.entries(ABOUT).flatMap(([code, ends]) =>
    ends.some((end) => isEnd(plain, end))
      ? [{ code: code as DiagnosticCode, text: EXPLANATIONS[code as DiagnosticCode].means }]
      : [],
  );
}

/** `mode.slippage` ends `relay_mode.slippage`; `name` does not end `previous_name`. */
function isEnd(path: string, end: string): boolean {
  if (!path.endsWith(end)) return false;
  const before = path.charAt(path.length - end.length - 1);
  return before === '' || before === '.' || /^(?:mode|Template)\./.test(end);
}

/** Every end that a rule is about, for the test that holds them against the schemas. */
export const RULE_ENDS: readonly string[] = Object.values(ABOUT).flat();
