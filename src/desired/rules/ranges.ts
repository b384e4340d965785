import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { CONFIG, type ConfigRule, type ReportAt } from './rule.ts';

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
