import { CONFIG, configs, type Rule } from './rule.ts';

/** `true` is stored as `false` and forces `first_buy_only`: every later comparison would differ (HAZARDS 18). */
export const reentry: Rule = {
  name: 'reentry',
  check(input, report) {
    for (const { manifest, config } of configs(input, 'copyTradeConfig')) {
      if (config.reentry_after_flat !== true) continue;
      report(manifest, [...CONFIG, 'reentry_after_flat'], {
        code: 'reentry-deprecated',
        message: 'reentry_after_flat: true is stored as false, and sets first_buy_only',
        hint: 'write first_buy_only: true, and reentry_after_flat: false or nothing',
      });
    }
  },
};
