import { compareDecimals } from '../../model/decimal.ts';
import { compareMax, compareMin, type Tier, tierLint, tierWords } from './tiers.ts';

/** The interface does not say which of two overlapping tiers a buy uses (HAZARDS 16). Bounds that meet do not overlap. */
export const tiersOverlap = tierLint('tiers-overlap', (tier, before) => {
  const others = before.filter((other) => overlap(tier, other));
  if (others.length === 0) return undefined;
  return [
    `${tierWords(tier)} overlaps ${others.map(tierWords).join(', ')}; which one a buy uses is not documented`,
    'make the bounds meet: the market_cap_max of one is the market_cap_min of the next',
  ];
});

function overlap(a: Tier, b: Tier): boolean {
  const same = compareMin(a, b) === 0 && compareMax(a, b) === 0;
  return same || (reaches(a.max, b.min) && reaches(b.max, a.min));
}

/** True if the upper bound of one tier is beyond the lower bound of the other. */
function reaches(max: string, min: string): boolean {
  return max === '' || min === '' || compareDecimals(max, min) > 0;
}
