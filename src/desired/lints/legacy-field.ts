import type { Path } from '../../manifest/spans.ts';
import { CONFIG } from '../rules/rule.ts';
import { allSets } from './buy-sets.ts';
import { type ConfigLint, configField, isSet } from './lint.ts';

/** Legacy fields that are still accepted on write, if they have a value (HAZARDS 20). No manifest is rewritten. */
export const legacyField: ConfigLint = {
  code: 'legacy-field',
  of: ['sniperConfig', 'copyTradeConfig'],
  check({ manifest, config, definition }, report) {
    const sniper = definition === 'sniperConfig';
    if (isSet(config.bundle_amount)) {
      report(
        manifest,
        [...CONFIG, 'bundle_amount'],
        sniper
          ? `bundle_amount ${config.bundle_amount} is a legacy fallback: the values in relay_mode and priority_mode take precedence`
          : `bundle_amount ${config.bundle_amount} is a legacy field: its effect beside the amounts of the routes is not documented`,
        sniper
          ? 'write bundle_amount in relay_mode and in priority_mode, and remove this one'
          : 'write relay_bundle_amount and priority_bundle_amount in the buy parameters, and remove this one',
      );
    }
    if (sniper && config.sol_slippage_mode === true) {
      report(
        manifest,
        [...CONFIG, 'sol_slippage_mode'],
        'sol_slippage_mode: true is a legacy flag for both routes: the flags in relay_mode and priority_mode take precedence',
        'write sol_slippage_mode in relay_mode and in priority_mode, and remove this one',
      );
    }
    for (const { path: at, values } of sniper ? [] : allSets(config)) {
      if (values.sol_slippage_mode !== true) continue;
      const path: Path = [...at, 'sol_slippage_mode'];
      report(
        manifest,
        path,
        `${configField(path)}: true is a legacy flag for both routes`,
        'write relay_sol_slippage_mode and priority_sol_slippage_mode, and remove this one',
      );
    }
  },
};
