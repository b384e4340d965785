import { checkRange } from './range.ts';
import { CONFIG, configs, type Rule } from './rule.ts';

/** `max_trade_amount` is not below `min_trade_amount`, unless `dev_sell_only` ignores both. */
export const tradeAmounts: Rule = {
  name: 'trade-amounts',
  check(input, report) {
    for (const { manifest, config } of configs(input, 'copyTradeConfig')) {
      if (config.dev_sell_only === true) continue;
      checkRange(manifest, CONFIG, 'min_trade_amount', 'max_trade_amount', report);
    }
  },
};
