import { checkRange } from './range.ts';
import { CONFIG, configs, type Rule } from './rule.ts';

/** `dev_max_amount` is at least `dev_min_amount`, where both are set. */
export const devAmounts: Rule = {
  name: 'dev-amounts',
  check(input, report) {
    for (const { manifest } of configs(input, 'sniperConfig')) {
      checkRange(manifest, CONFIG, 'dev_min_amount', 'dev_max_amount', report);
    }
  },
};
