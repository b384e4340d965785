import { checkRange } from './range.ts';
import { CONFIG, type ConfigRule } from './rule.ts';

/** `dev_max_amount` is at least `dev_min_amount`, where both are set. */
export const devAmounts: ConfigRule = {
  name: 'dev-amounts',
  of: ['sniperConfig'],
  check({ manifest }, report) {
    checkRange(manifest, CONFIG, 'dev_min_amount', 'dev_max_amount', report);
  },
};
