import { maxDecimal } from '../../model/decimal.ts';
import { kindOf } from '../../model/kind.ts';
import { markerOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { type Role, spotsOf } from '../../plan/guardrails/config-amounts.ts';

/** A guardrail of a new project file. */
export interface NewLimit {
  readonly guardrail: string;
  readonly limit: string;
  /** The comment beside it. */
  readonly comment: string;
}

export const USUAL_LIMITS: readonly NewLimit[] = [
  { guardrail: 'max_buy_amount', limit: '1', comment: 'SOL' },
  { guardrail: 'max_slippage', limit: '30', comment: 'percent' },
];

const LIVE: readonly { readonly role: Role; readonly comment: string }[] = [
  { role: 'buy_amount', comment: 'SOL: the largest live buy' },
  { role: 'tip', comment: 'SOL: the highest live tip or bundle amount' },
  { role: 'priority_fee', comment: 'SOL: the highest live fee' },
  { role: 'slippage', comment: 'percent: the highest live value' },
];

/**
 * The highest amount of each role that counts in a task, running or paused, except in tasks of other projects. A role with 0 is
 * left out. Without any amount, the usual limits.
 */
export function liveLimits(tasks: readonly LiveTask[], project: string): readonly NewLimit[] {
  const spots = tasks
    .filter((task) => (markerOf(task)?.project ?? project) === project)
    .flatMap(({ collection, config }) => spotsOf(kindOf(collection).config, config))
    .filter(({ awake }) => awake);
  const limits = LIVE.map(({ role, comment }) => ({
    guardrail: `max_${role}`,
    limit: maxDecimal(spots.flatMap((spot) => (spot.role === role ? [spot.value] : []))),
    comment,
  })).filter(({ limit }) => limit !== '0');
  return limits.length === 0 ? USUAL_LIMITS : limits;
}
