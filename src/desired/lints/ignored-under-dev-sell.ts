import { CONFIG } from '../rules/rule.ts';
import { type ConfigLint, isSet } from './lint.ts';

/**
 * What `dev_sell_only` ignores according to the interface (HAZARDS 19). It also ignores Anti-PVP, but its fields are not
 * documented.
 */
export const ignoredUnderDevSell: ConfigLint = {
  code: 'ignored-under-dev-sell',
  of: ['copyTradeConfig'],
  check({ manifest, config }, report) {
    if (config.dev_sell_only !== true) return;
    for (const field of ['min_trade_amount', 'max_trade_amount']) {
      const amount = config[field];
      if (!isSet(amount)) continue;
      report(
        manifest,
        [...CONFIG, field],
        `${field} ${amount} is ignored because dev_sell_only is true`,
        `write ${field}: ""`,
      );
    }
    if (config.skip_dev_launch !== true) return;
    report(
      manifest,
      [...CONFIG, 'skip_dev_launch'],
      'skip_dev_launch: true is ignored because dev_sell_only is true',
      'remove skip_dev_launch, or write dev_sell_only: false',
    );
  },
};
