import type { Change, Plan } from '../model/generated/plan.ts';
import { COSTS, type Cost, costOf, isRaised } from '../plan/stakes/cost.ts';
import { workedChanges } from './plan-summary.ts';

/** The words for the classes of fields. */
const COST_WORDS: Readonly<Record<Cost, string>> = {
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

/**
 * `Changes amounts of 9 (7 raised), slippage of 1.`: how many changes touch which class, over all changes, shown or not.
 * Undefined if nothing is changed.
 */
export function costText(plan: Pick<Plan, 'changes'>): string | undefined {
  // Created and deleted tasks change all their fields, so they are not counted here.
  const kept = workedChanges(plan).filter(({ action }) => action !== 'create' && action !== 'delete');
  const touched = COSTS.flatMap((cost) => touchedText(kept, cost));
  return touched.length === 0 ? undefined : `Changes ${touched.join(', ')}.`;
}

/** For these classes, more is more expensive. */
const RAISED: ReadonlySet<Cost> = new Set(['amounts', 'slippage', 'tips']);

function touchedText(changes: readonly Change[], cost: Cost): readonly string[] {
  // Starts and stops are already counted above.
  if (cost === 'switch') return [];
  const fields = changes.map((change) => change.fields.filter(({ path }) => costOf(path) === cost));
  const many = fields.filter(({ length }) => length > 0).length;
  if (many === 0) return [];
  const raised = RAISED.has(cost) ? fields.filter((list) => list.some(isRaised)).length : 0;
  return [`${COST_WORDS[cost]} of ${many}${raised === 0 ? '' : ` (${raised} raised)`}`];
}
