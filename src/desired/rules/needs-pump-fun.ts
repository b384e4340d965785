import { CONFIG, configs, type Rule } from './rule.ts';

/** The dev-sell modes trigger on `pump-fun` tokens alone. */
export const needsPumpFun: Rule = {
  name: 'needs-pump-fun',
  check(input, report) {
    for (const { manifest, config } of configs(input, 'copyTradeConfig')) {
      const dexes = config.selected_dexes;
      if (!Array.isArray(dexes) || dexes.includes('pump-fun')) continue;
      for (const field of ['dev_sell_only', 'dev_sell_all_only']) {
        if (config[field] !== true) continue;
        report(manifest, [...CONFIG, field], {
          code: 'needs-pump-fun',
          message: `${field} needs pump-fun in selected_dexes`,
          hint: 'add pump-fun to selected_dexes',
        });
      }
    }
  },
};
