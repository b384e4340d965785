import { COSTS, type Cost } from '../plan/stakes/cost.ts';

/** The words for the classes of fields. */
export const COST_WORDS: Readonly<Record<Cost, string>> = {
  switch: 'starts and stops',
  wallets: 'wallets and targets',
  amounts: 'amounts',
  slippage: 'slippage',
  tips: 'tips and fees',
  dexes: 'DEXes',
  selling: 'selling',
  blacklists: 'blacklists',
  other: 'other settings',
  label: 'labels',
  note: 'names and notes',
};

/** The number of fields or changes in each class. */
export type CostCounts = Readonly<Partial<Record<Cost, number>>>;

export function withCost(counts: CostCounts, cost: Cost, many: number): CostCounts {
  return { ...counts, [cost]: (counts[cost] ?? 0) + many };
}

/** `slippage 3, names and notes 600`: the most expensive class first, without empty classes. */
export function costCounts(counts: CostCounts): string {
  return COSTS.flatMap((cost) =>
    counts[cost] === undefined ? [] : [`${COST_WORDS[cost]} ${counts[cost]}`],
  ).join(', ');
}
