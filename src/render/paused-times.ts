import type { ChangeResult } from '../model/generated/report.ts';
import type { Section } from './view.ts';

const MOST_NAMED = 5;
/** Shorter pauses do not get a line each. */
const LONG_MS = 1_000;

/**
 * How long tasks did not trade, in milliseconds, without the time for `settle`: in total, and for several tasks also the few
 * longest.
 */
export function withoutTrading(
  changes: readonly Pick<ChangeResult, 'address' | 'paused_ms' | 'settle_ms'>[],
): readonly Section[] {
  const tasks = changes
    .flatMap(({ address, paused_ms, settle_ms = 0 }) =>
      paused_ms === null ? [] : [{ address, ms: Math.max(0, paused_ms - settle_ms) }],
    )
    .sort((left, right) => right.ms - left.ms || (left.address < right.address ? -1 : 1));
  const [longest, ...others] = tasks;
  if (longest === undefined) return [];
  const total = tasks.reduce((sum, { ms }) => sum + ms, 0);
  const settle = changes.reduce((sum, { settle_ms = 0 }) => sum + settle_ms, 0);
  const words =
    others.length === 0
      ? `${longest.address} ${secondsText(longest.ms)}`
      : `${secondsText(total / tasks.length)} on average, ${secondsText(longest.ms)} at most, ${secondsText(total)} in all`;
  const named = others.length === 0 ? [] : tasks.filter(({ ms }) => ms >= LONG_MS).slice(0, MOST_NAMED);
  return [
    {
      title: 'Without trading',
      number: tasks.length,
      aside: `: ${words}${settle === 0 ? '' : `; and ${secondsText(settle)} that settle asks for`}`,
      tone: 'dim',
      rows: named.map(({ address, ms }) => ({ names: [address], text: '', value: secondsText(ms) })),
      weight: 57,
      unit: ['pause', 'pauses'],
    },
  ];
}

/** `0.35 s`. */
export function secondsText(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
