import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { CONFIG, type ConfigCheck, type ReportAtPath } from './rule.ts';

/** The service stores `true` as `false` and forces `first_buy_only`, so every later comparison would differ (HAZARDS 18). */
export const reentry: ConfigCheck = ({ config }, report) => {
  if (config.reentry_after_flat !== true) return;
  report(
    [...CONFIG, 'reentry_after_flat'],
    'reentry_after_flat: true is stored as false, and sets first_buy_only',
    'write first_buy_only: true, and remove reentry_after_flat or set it to false',
  );
};

/** The dev-sell modes trigger only on `pump-fun` tokens. */
export const needsPumpFun: ConfigCheck = ({ config }, report) => {
  const dexes = config.selected_dexes;
  if (!Array.isArray(dexes) || dexes.includes('pump-fun')) return;
  for (const field of ['dev_sell_only', 'dev_sell_all_only']) {
    if (config[field] !== true) continue;
    report([...CONFIG, field], `${field} needs pump-fun in selected_dexes`, 'add pump-fun to selected_dexes');
  }
};

/** `dev_max_amount` is at least `dev_min_amount` if both are set. */
export const devAmounts: ConfigCheck = ({ manifest }, report) => {
  checkRange(manifest, CONFIG, ['dev_min_amount', 'dev_max_amount'], report);
};

/** `max_trade_amount` is not below `min_trade_amount`, unless `dev_sell_only` ignores both. */
export const tradeAmounts: ConfigCheck = ({ manifest, config }, report) => {
  if (config.dev_sell_only === true) return;
  checkRange(manifest, CONFIG, ['min_trade_amount', 'max_trade_amount'], report);
};

/**
 * `market_cap_max` is not below `market_cap_min`, on the active side and on the other side, because a change of the mode
 * activates it.
 */
export const marketCaps: ConfigCheck = ({ manifest }, report) => {
  const tiers = manifest.list(...CONFIG, 'buy_config_tiers') ?? [];
  const sets = [['buy_config_universal'], ...tiers.map((_, index) => ['buy_config_tiers', index])];
  for (const at of sets)
    checkRange(manifest, [...CONFIG, ...at], ['market_cap_min', 'market_cap_max'], report);
};

/** Reports an upper bound below its lower bound. Empty and absent bounds are open. */
function checkRange(
  manifest: Manifest,
  at: Path,
  [lower, upper]: readonly [string, string],
  report: ReportAtPath,
): void {
  const least = manifest.text(...at, lower);
  const most = manifest.text(...at, upper);
  if (least === undefined || most === undefined || !isDecimal(least) || !isDecimal(most)) return;
  if (compareDecimals(most, least) >= 0) return;
  report(
    [...at, upper],
    `${upper} ${most} is below ${lower} ${least}`,
    'swap them, or write "" for no bound',
  );
}

/** In tiered mode there is a tier. */
export const tiersRequired: ConfigCheck = ({ config }, report) => {
  const { buy_config_mode: mode, buy_config_tiers: tiers } = config;
  if (mode !== 'tiered' || !Array.isArray(tiers) || tiers.length > 0) return;
  report(
    [...CONFIG, 'buy_config_tiers'],
    'tiered mode needs at least one tier',
    'add a tier, or write buy_config_mode: universal',
  );
};

/** The side that `buy_config_mode` names has an amount. On the other side, `amount_sol` may be empty or 0. */
export const activeAmounts: ConfigCheck = ({ manifest, config }, report) => {
  if (config.buy_config_mode === 'universal') {
    needAmount(manifest, [...CONFIG, 'buy_config_universal'], 'in universal mode', report);
  }
  const tiers = config.buy_config_tiers;
  if (config.buy_config_mode !== 'tiered' || !Array.isArray(tiers)) return;
  for (const index of tiers.keys())
    needAmount(manifest, [...CONFIG, 'buy_config_tiers', index], 'in each tier of tiered mode', report);
};

function needAmount(manifest: Manifest, at: Path, when: string, report: ReportAtPath): void {
  const amount = manifest.text(...at, 'amount_sol');
  if (amount === undefined || (amount !== '' && (!isDecimal(amount) || compareDecimals(amount, '0') > 0)))
    return;
  report(
    [...at, 'amount_sol'],
    `amount_sol must be ${amount === '' ? 'set' : 'greater than 0'} ${when}`,
    'SOL per buy: greater than 0, at most 1000000',
  );
}
