import { ranBefore } from '../../model/change.ts';
import { compareDecimals, exactUnits, isDecimal, maxDecimal } from '../../model/decimal.ts';
import { FIELD_COSTS } from '../../model/generated/money.ts';
import type { Change, Field, Plan } from '../../model/generated/plan.ts';
import type { ApplyReport } from '../../model/generated/report.ts';
import { partAt } from '../../model/parts.ts';

/**
 * The cost of a difference. Outputs with room for only a part show the most expensive part: Markdown, annotations, lists that name
 * a few. The plan document itself stays in the order of addresses.
 */

/** Classes of fields, the most expensive first. */
export const COSTS = [
  'switch',
  'wallets',
  'amounts',
  'slippage',
  'tips',
  'dexes',
  'selling',
  'blacklists',
  'other',
  'label',
  'note',
] as const;
export type Cost = (typeof COSTS)[number];

/** The class of a field. A complete object counts as the most expensive field in it. */
export function costOf(path: string): Cost {
  let at = path.replace(/\[\d+\]/g, '[]');
  const known = FIELD_COSTS.get(at) ?? partAt(path)?.cost;
  if (known !== undefined) return known;
  // A name or a position.
  if (!/^config\b/.test(at)) return 'note';
  // Undocumented fields may be below open objects (HAZARDS 11).
  while (at !== 'config') {
    at = at.replace(/(?:\.[^.]*|\[\])$/, '');
    const open = FIELD_COSTS.get(`${at}.*`);
    if (open !== undefined) return open;
  }
  return 'other';
}

/** A change of a plan, or an item of drift, for ranking. */
interface Costly {
  readonly running: boolean;
  readonly fields: readonly { readonly path: string }[];
}

/** First money, then other effects of a task, then its names. */
export const COST_GROUPS = ['money', 'other', 'paper'] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

export function costGroupOf(cost: Cost): CostGroup {
  if (cost === 'other') return 'other';
  return cost === 'label' || cost === 'note' ? 'paper' : 'money';
}

/**
 * The rank of a field: by its group; within a group running tasks first; then by its class. A lower rank costs more.
 */
export function fieldRank(path: string, running: boolean): number {
  const cost = costOf(path);
  const group = COST_GROUPS.indexOf(costGroupOf(cost));
  return (group * 2 + (running ? 0 : 1)) * COSTS.length + COSTS.indexOf(cost);
}

/** True if the task runs before or after, so that its fields affect trades. */
export function isRunning(change: Change): boolean {
  return change.starts_trading || change.stops_trading || ranBefore(change);
}

/** The rank of a change: a multiplied amount, a deletion of what runs, a start, a stop, then its dearest field. Lower costs more. */
export function changeRank(change: Change): number {
  const { action, starts_trading: starts, stops_trading: stops, fields } = change;
  const isDeleted = action === 'delete';
  // Deletions stand in a list of their own as well.
  if (isMultiplied(change)) return 0;
  if (starts || stops) return isDeleted ? 1 : starts ? 2 : 3;
  return 4 + dearestField({ running: isRunning(change), fields: isDeleted ? [{ path: 'state' }] : fields });
}

/** True if an amount of a task that trades, or all that it stakes, grows tenfold: its decimal point may be in the wrong place. */
export function isMultiplied(change: Change): boolean {
  const { exposure, fields } = change;
  const staked = { ...exposure, path: 'config', sensitive: exposure.secret === true };
  const grown = [staked, ...fields].filter(({ before, after, sensitive }) => {
    if (sensitive || typeof before !== 'string' || typeof after !== 'string') return false;
    return exactUnits(before) > 0n && exactUnits(after) >= 10n * exactUnits(before);
  });
  return isRunning(change) && grown.some(({ path }) => ['amounts', 'tips'].includes(costOf(path)));
}

const NO_FIELD = 2 * COST_GROUPS.length * COSTS.length;

/** The rank of the most expensive field; after all others if there is none. */
export function dearestField({ running, fields }: Costly): number {
  return Math.min(NO_FIELD, ...fields.map(({ path }) => fieldRank(path, running)));
}

/** Compares by exposure, the highest first. Secret amounts do not count. */
export function byStake(a: Change['exposure'], b: Change['exposure']): number {
  return compareDecimals(stakeOf(b), stakeOf(a));
}

function stakeOf({ before, after, secret }: Change['exposure']): string {
  return secret === true ? '0' : maxDecimal([before, after]);
}

/** The same plan with changes, fields and diagnostics sorted by what they can cost. */
export function dearestFirst(plan: Plan): Plan {
  const rank = addressRank(plan);
  const ranks = new Map(plan.changes.map((change) => [change, changeRank(change)]));
  const { changes, diagnostics } = plan;
  return {
    ...plan,
    changes: changes
      .toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0) || byStake(a.exposure, b.exposure))
      .map((change) => ({ ...change, fields: sortedFields(change.fields) })),
    ...(plan.left === undefined
      ? {}
      : { left: plan.left.toSorted((a, b) => dearestField(a) - dearestField(b)) }),
    diagnostics: diagnostics.toSorted((a, b) => rank(a.address) - rank(b.address)),
  };
}

/** The same report in the order of its plan as shown. */
export function dearestReport(report: ApplyReport, plan: Plan): ApplyReport {
  const places = new Map(dearestFirst(plan).changes.map(({ address }, place) => [address, place]));
  const place = ({ address }: { readonly address: string }) => places.get(address) ?? places.size;
  return {
    ...report,
    changes: report.changes.toSorted((a, b) => place(a) - place(b)),
    left_paused: report.left_paused.toSorted((a, b) => place(a) - place(b)),
  };
}

/** Diagnostics about the plan as a whole come first, those about no change of the plan last. */
export function addressRank({ changes }: Pick<Plan, 'changes'>): (address: string | undefined) => number {
  const ranks = new Map(changes.map((change) => [change.address, changeRank(change)]));
  return (address) => (address === undefined ? -1 : (ranks.get(address) ?? Number.MAX_SAFE_INTEGER));
}

export function sortedFields<Item extends { readonly path: string }>(fields: readonly Item[]): Item[] {
  return fields.toSorted((a, b) => fieldRank(a.path, true) - fieldRank(b.path, true));
}

/** True if both values are amounts, and the second is larger; false for secret values. */
export function isRaised(field: Pick<Field, 'before' | 'after' | 'sensitive'>): boolean {
  const { before = '', after, sensitive } = field;
  const amount = (value: unknown): value is string =>
    typeof value === 'string' && (value === '' || isDecimal(value));
  return !sensitive && amount(before) && amount(after) && compareDecimals(after, before) > 0;
}
