import { checkRange } from './range.ts';
import { CONFIG, type ConfigRule } from './rule.ts';

/** `market_cap_max` is not below `market_cap_min`, on the active side and on the other: a mode switch wakes it. */
export const marketCaps: ConfigRule = {
  name: 'market-caps',
  of: ['copyTradeConfig'],
  check({ manifest }, report) {
    const tiers = manifest.list(...CONFIG, 'buy_config_tiers') ?? [];
    const sets = [
      [...CONFIG, 'buy_config_universal'],
      ...tiers.map((_, index) => [...CONFIG, 'buy_config_tiers', index]),
    ];
    for (const at of sets) checkRange(manifest, at, 'market_cap_min', 'market_cap_max', report);
  },
};
