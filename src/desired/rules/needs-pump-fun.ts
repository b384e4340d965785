import { CONFIG, type ConfigRule } from './rule.ts';

/** The dev-sell modes trigger only on `pump-fun` tokens. */
export const needsPumpFun: ConfigRule = {
  name: 'needs-pump-fun',
  of: ['copyTradeConfig'],
  check({ manifest, config }, report) {
    const dexes = config.selected_dexes;
    if (!Array.isArray(dexes) || dexes.includes('pump-fun')) return;
    for (const field of ['dev_sell_only', 'dev_sell_all_only']) {
      if (config[field] !== true) continue;
      report(manifest, [...CONFIG, field], {
        code: 'needs-pump-fun',
        message: `${field} needs pump-fun in selected_dexes`,
        hint: 'add pump-fun to selected_dexes',
      });
    }
  },
};
