import { CONFIG, configs } from '../rules/rule.ts';
import { isGlobal } from './dexes.ts';
import type { Lint } from './lint.ts';

/** The account's list of DEXes goes before the manifest's, and nobody can see it here (HAZARDS 15). */
export const dexSourceGlobal: Lint = {
  code: 'dex-source-global',
  check(input, report) {
    const places = [...configs(input, 'sniperConfig'), ...configs(input, 'copyTradeConfig')];
    for (const { manifest, config } of places) {
      if (!isGlobal(manifest)) continue;
      const written = config.dex_source === undefined ? ', which is the default' : '';
      report(
        manifest,
        [...CONFIG, 'dex_source'],
        `dex_source is global${written}: the account’s own list says where this trades, and selected_dexes counts only where that is unavailable`,
        'write dex_source: config, so that selected_dexes always counts',
      );
    }
  },
};
