import { configs } from '../rules/rule.ts';
import type { Lint } from './lint.ts';
import { activeTiers, compareMin, shareDex, tierWords } from './tiers.ts';

/** The order in which tiers are tried is not shown (HAZARDS 16): only an ascending one leaves no question. */
export const tiersUnordered: Lint = {
  code: 'tiers-unordered',
  check(input, report) {
    for (const { manifest } of configs(input, 'copyTradeConfig')) {
      const tiers = activeTiers(manifest);
      for (const [index, tier] of tiers.entries()) {
        const before = tiers.slice(0, index).findLast((other) => shareDex(tier, other));
        if (before === undefined || compareMin(tier, before) >= 0) continue;
        report(
          manifest,
          [...tier.path, 'market_cap_min'],
          `${tierWords(tier)} stands after ${tierWords(before)}; the order in which tiers are tried is not documented`,
          `move it before tier ${before.number}: the lowest market caps first`,
        );
      }
    }
  },
};
