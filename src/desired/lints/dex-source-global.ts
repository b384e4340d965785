import { CONFIG } from '../rules/rule.ts';
import { isGlobal } from './dexes.ts';
import type { ConfigLint } from './lint.ts';

/** The account's list of DEXes overrides the manifest's, and cannot be seen here (HAZARDS 15). */
export const dexSourceGlobal: ConfigLint = {
  code: 'dex-source-global',
  of: ['sniperConfig', 'copyTradeConfig'],
  check({ manifest, config }, report) {
    if (!isGlobal(config)) return;
    const written = config.dex_source === undefined ? ', which is the default' : '';
    report(
      manifest,
      [...CONFIG, 'dex_source'],
      `dex_source is global${written}: the account’s own list decides where this task trades, and selected_dexes counts only where that list is unavailable`,
      'write dex_source: config, so that selected_dexes always counts',
    );
  },
};
