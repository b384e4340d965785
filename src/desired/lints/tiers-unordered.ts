import { compareMin, tierLint, tierWords } from './tiers.ts';

/** The interface does not say in which order tiers are tried (HAZARDS 16): only an ascending order leaves no question. */
export const tiersUnordered = tierLint('tiers-unordered', (tier, others) => {
  const before = others.at(-1);
  if (before === undefined || compareMin(tier, before) >= 0) return undefined;
  return [
    `${tierWords(tier)} comes after ${tierWords(before)}; the order in which tiers are tried is not documented`,
    `move it before tier ${before.number}, so that the lowest market caps come first`,
  ];
});
