import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { CONFIG, type ConfigRule, type ReportAt } from './rule.ts';

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
