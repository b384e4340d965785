import type { Change, Plan } from '../model/generated/plan.ts';
import { COSTS, type Cost, costOf, isRaised } from '../plan/stakes/cost.ts';
import { workedChanges } from './plan-summary.ts';

/** What people read for the classes of fields. */
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

/** How many of each class. */
export type CostCounts = Readonly<Partial<Record<Cost, number>>>;

export function withCost(counts: CostCounts, cost: Cost, many: number): CostCounts {
  return { ...counts, [cost]: (counts[cost] ?? 0) + many };
}

/** `slippage 3, names and notes 600`, the dearest first; only what there is. */
export function costCounts(counts: CostCounts): string {
  return COSTS.flatMap((cost) =>
    counts[cost] === undefined ? [] : [`${COST_WORDS[cost]} ${counts[cost]}`],
  ).join(', ');
}

/**
 * `Changes amounts of 9 (7 raised), slippage of 1.`: how many changes touch what, however many there are and whatever is
 * shown of them. Undefined where nothing is changed.
 */
export function costText(plan: Pick<Plan, 'changes'>): string | undefined {
  // What comes and goes does so with all its fields.
  const kept = workedChanges(plan).filter(({ action }) => action !== 'create' && action !== 'delete');
  const touched = COSTS.flatMap((cost) => touchedText(kept, cost));
  return touched.length === 0 ? undefined : `Changes ${touched.join(', ')}.`;
}

/** Of these more is dearer. */
const RAISED: ReadonlySet<Cost> = new Set(['amounts', 'slippage', 'tips']);

function touchedText(changes: readonly Change[], cost: Cost): readonly string[] {
  // Who starts and stops is counted above.
  if (cost === 'switch') return [];
  const fields = changes.map((change) => change.fields.filter(({ path }) => costOf(path) === cost));
  const many = fields.filter(({ length }) => length > 0).length;
  if (many === 0) return [];
  const raised = RAISED.has(cost) ? fields.filter((list) => list.some(isRaised)).length : 0;
  return [`${COST_WORDS[cost]} of ${many}${raised === 0 ? '' : ` (${raised} raised)`}`];
}
