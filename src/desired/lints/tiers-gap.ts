import { compareDecimals } from '../../model/decimal.ts';
import type { ConfigLint } from './lint.ts';
import { activeTiers, compareMax, compareMin, dexesInUse, rangeWords, type Tier, usedOn } from './tiers.ts';

interface Gap {
  readonly below: Tier;
  readonly above: Tier;
  readonly dexes: string[];
}

/**
 * The interface does not say what happens at a market cap that no tier covers (HAZARDS 16). Only a range between two tiers is a
 * gap: below the first tier and above the last one, the bound is intended.
 */
export const tiersGap: ConfigLint = {
  code: 'tiers-gap',
  of: ['copyTradeConfig'],
  check({ manifest, config }, report) {
    const tiers = activeTiers(config);
    if (tiers.length < 2) return;
    const dexes = dexesInUse(config, tiers);
    for (const { below, above, dexes: on } of gaps(tiers, dexes)) {
      const where = on.length === dexes.length ? '' : ` on ${on.join(', ')}`;
      report(
        manifest,
        [...above.path, 'market_cap_min'],
        `no tier covers market caps ${rangeWords(below.max, above.min)}${where}; the behaviour there is not documented`,
        `make the bounds meet: market_cap_max of tier ${below.number} and market_cap_min of tier ${above.number}`,
      );
    }
  },
};

/** A tier may apply only to some DEXes, so each DEX has its own sequence of tiers. */
function gaps(tiers: readonly Tier[], dexes: readonly string[]): readonly Gap[] {
  const found = new Map<string, Gap>();
  for (const dex of dexes) {
    const row = tiers
      .filter((tier) => usedOn(tier, dex))
      .sort((a, b) => compareMin(a, b) || compareMax(a, b));
    let [furthest] = row;
    for (const tier of row) {
      if (furthest === undefined) break;
      if (isApart(furthest, tier)) {
        const key = `${furthest.number} ${tier.number}`;
        const gap = found.get(key) ?? { below: furthest, above: tier, dexes: [] };
        found.set(key, gap);
        gap.dexes.push(dex);
      }
      if (compareMax(tier, furthest) > 0) furthest = tier;
    }
  }
  return [...found.values()];
}

function isApart(below: Tier, above: Tier): boolean {
  return below.max !== '' && above.min !== '' && compareDecimals(below.max, above.min) < 0;
}
