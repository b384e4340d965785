import { checkRange } from './range.ts';
import { CONFIG, type ConfigRule } from './rule.ts';

/** `max_trade_amount` is not below `min_trade_amount`, unless `dev_sell_only` ignores both. */
export const tradeAmounts: ConfigRule = {
  name: 'trade-amounts',
  of: ['copyTradeConfig'],
  check({ manifest, config }, report) {
    if (config.dev_sell_only === true) return;
    checkRange(manifest, CONFIG, 'min_trade_amount', 'max_trade_amount', report);
  },
};
