import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { CONFIG, type ConfigRule, type ReportAt } from './rule.ts';

/** The service stores `true` as `false` and forces `first_buy_only`, so every later comparison would differ (HAZARDS 18). */
export const reentry: ConfigRule = {
  name: 'reentry',
  of: ['copyTradeConfig'],
  check({ manifest, config }, report) {
    if (config.reentry_after_flat !== true) return;
    report(manifest, [...CONFIG, 'reentry_after_flat'], {
      code: 'reentry-deprecated',
      message: 'reentry_after_flat: true is stored as false, and sets first_buy_only',
      hint: 'write first_buy_only: true, and remove reentry_after_flat or set it to false',
    });
  },
};

/** The dev-sell modes trigger only on `pump-fun` tokens. */
export const needsPumpFun: ConfigRule = {
  name: 'needs-pump-fun',
  of: ['copyTradeConfig'],
  check({ manifest, config }, report) {
    const dexes = config.selected_dexes;
    if (!Array.isArray(dexes) || dexes.includes('pump-fun')) return;
    for (const field of ['dev_sell_only', 'dev_sell_all_only']) {
      if (config[field] !== true) continue;
      report(manifest, [...CONFIG, field], {
        code: 'needs-pump-fun',
        message: `${field} needs pump-fun in selected_dexes`,
        hint: 'add pump-fun to selected_dexes',
      });
    }
  },
};

/** `dev_max_amount` is at least `dev_min_amount` if both are set. */
export const devAmounts: ConfigRule = {
  name: 'dev-amounts',
  of: ['sniperConfig'],
  check({ manifest }, report) {
    checkRange(manifest, CONFIG, ['dev_min_amount', 'dev_max_amount'], report);
  },
};

/** `max_trade_amount` is not below `min_trade_amount`, unless `dev_sell_only` ignores both. */
export const tradeAmounts: ConfigRule = {
  name: 'trade-amounts',
  of: ['copyTradeConfig'],
  check({ manifest, config }, report) {
    if (config.dev_sell_only === true) return;
    checkRange(manifest, CONFIG, ['min_trade_amount', 'max_trade_amount'], report);
  },
};

/**
 * `market_cap_max` is not below `market_cap_min`, on the active side and on the other side, because a change of the mode
 * activates it.
 */
export const marketCaps: ConfigRule = {
  name: 'market-caps',
  of: ['copyTradeConfig'],
  check({ manifest }, report) {
    const tiers = manifest.list(...CONFIG, 'buy_config_tiers') ?? [];
    const sets = [['buy_config_universal'], ...tiers.map((_, index) => ['buy_config_tiers', index])];
    for (const at of sets)
      checkRange(manifest, [...CONFIG, ...at], ['market_cap_min', 'market_cap_max'], report);
  },
};

/** Reports an upper bound below its lower bound. Empty and absent bounds are open. */
function checkRange(
  manifest: Manifest,
  at: Path,
  [lower, upper]: readonly [string, string],
  report: ReportAt,
): void {
  const least = manifest.text(...at, lower);
  const most = manifest.text(...at, upper);
  if (least === undefined || most === undefined || !isDecimal(least) || !isDecimal(most)) return;
  if (compareDecimals(most, least) >= 0) return;
  report(manifest, [...at, upper], {
    code: 'range-inverted',
    message: `${upper} ${most} is below ${lower} ${least}`,
    hint: 'swap them, or write "" for no bound',
  });
}

/** The side that `buy_config_mode` names is complete. On the other side, `amount_sol` may be empty or 0. */
export const activeSide: ConfigRule = {
  name: 'active-side',
  of: ['copyTradeConfig'],
  check({ manifest, config }, report) {
    if (config.buy_config_mode === 'universal') {
      needAmount(manifest, [...CONFIG, 'buy_config_universal'], 'in universal mode', report);
    }
    const tiers = config.buy_config_tiers;
    if (config.buy_config_mode !== 'tiered' || !Array.isArray(tiers)) return;
    if (tiers.length === 0) {
      report(manifest, [...CONFIG, 'buy_config_tiers'], {
        code: 'tiers-required',
        message: 'tiered mode needs at least one tier',
        hint: 'add a tier, or write buy_config_mode: universal',
      });
    }
    tiers.forEach((_, index) => {
      needAmount(manifest, [...CONFIG, 'buy_config_tiers', index], 'in each tier of tiered mode', report);
    });
  },
};

function needAmount(manifest: Manifest, at: Path, when: string, report: ReportAt): void {
  const amount = manifest.text(...at, 'amount_sol');
  if (amount === undefined || (amount !== '' && (!isDecimal(amount) || compareDecimals(amount, '0') > 0)))
    return;
  report(manifest, [...at, 'amount_sol'], {
    code: 'amount-required',
    message: `amount_sol must be ${amount === '' ? 'set' : 'greater than 0'} ${when}`,
    hint: 'SOL per buy: greater than 0, at most 1000000',
  });
}
