import { CONFIG, type ConfigRule } from './rule.ts';

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
