import { exactUnits } from '../../model/decimal.ts';
import type { Change, Operation } from '../../model/generated/plan.ts';
import { isTaskCollection } from '../../model/kind.ts';
import { isRunning } from '../stakes/cost.ts';
import { isBlockedByFreeze, spends } from '../stakes/frozen.ts';

/** What a change does to what its task may spend, in the order in which changes go. `finishes`: ends what an interrupted apply began. */
const EFFECTS = ['lowers', 'finishes', 'none', 'raises', 'starts', 'removes'] as const;
export type Effect = (typeof EFFECTS)[number];

/** Hidden amounts count as equal before and after, and a hidden field as raised: the order tells nothing of them. */
export function effectOf(change: Change): Effect {
  const { action, actions, kind, starts_trading: starts, stops_trading: stops } = change;
  if (action === 'delete' && !isTaskCollection(kind)) return 'removes';
  if (starts) return actions.includes('finish') ? 'finishes' : 'starts';
  const rise = riseOf(change);
  if (stops || rise < 0n) return 'lowers';
  const side = sideOf(change);
  return rise > 0n || side > 0 ? 'raises' : side < 0 ? 'lowers' : 'none';
}

/** The stake after a change, or a plan, minus the stake before, in units of the last place. */
export function riseOf({ exposure: { before, after } }: { readonly exposure: Change['exposure'] }): bigint {
  return exactUnits(after) - exactUnits(before);
}

/** At equal stakes: below 0 if the task may only spend less (slippage, tip, fee), above 0 if it may spend more. */
function sideOf(change: Change): number {
  if (isBlockedByFreeze(change)) return 1;
  return isRunning(change) && change.fields.some(({ path }) => spends(path)) ? -1 : 0;
}

/**
 * The operations in the order in which their chains begin (DESIGN 6). What a lowering change needs, and changes nothing, is first; what
 * it needs and raises is the first that raises.
 */
export function inTurn(changes: readonly Change[], operations: readonly Operation[]): Operation[] {
  const effects = new Map(changes.map((change) => [change.address, effectOf(change)]));
  const needed = new Set(
    operations.flatMap((one) => (effects.get(one.address) === 'lowers' ? one.needs : [])),
  );
  const places = changes.map((change) => {
    const effect = effects.get(change.address) ?? 'none';
    const isNeeded = change.operations.some((id) => needed.has(id));
    const needs = effect === 'none' ? -1 : Math.min(EFFECTS.indexOf(effect), 0.5);
    const rank = isNeeded ? needs : EFFECTS.indexOf(effect);
    return { change, rank, rise: riseOf(change), side: sideOf(change) };
  });
  // Equal ones stay in the order of addresses.
  places.sort((a, b) => a.rank - b.rank || Number(a.rise - b.rise) || a.side - b.side);
  const byId = new Map(operations.map((one) => [one.id, one]));
  return places.flatMap(({ change }) => change.operations.flatMap((id) => byId.get(id) ?? []));
}
