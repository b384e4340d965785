import type { ApplyReport } from '../model/generated/report.ts';

/** How long the tasks of an apply did not trade, in milliseconds, without what `settle` asks for. */
interface PausedTimes {
  /** The longest first. */
  readonly tasks: readonly { readonly address: string; readonly ms: number }[];
  readonly total: number;
  /** What `settle` asks for, of all tasks. */
  readonly settle: number;
}

export function pausedTimes({ changes }: ApplyReport): PausedTimes {
  const tasks = changes
    .flatMap(({ address, paused_ms, settle_ms = 0 }) =>
      paused_ms === null ? [] : [{ address, ms: Math.max(0, paused_ms - settle_ms) }],
    )
    .sort((left, right) => right.ms - left.ms || (left.address < right.address ? -1 : 1));
  const total = tasks.reduce((sum, { ms }) => sum + ms, 0);
  const settle = changes.reduce((sum, { settle_ms = 0 }) => sum + settle_ms, 0);
  return { tasks, total, settle };
}

const MOST_NAMED = 5;
/** Shorter pauses are not worth a line each. */
const LONG_MS = 1_000;

/** Those that are worth a line: where there are several, the few longest. */
export function longestPauses({ tasks }: PausedTimes): PausedTimes['tasks'] {
  return tasks.length === 1 ? [] : tasks.filter(({ ms }) => ms >= LONG_MS).slice(0, MOST_NAMED);
}

/** `sniper/a 0.04 s`, or `0.04 s on average, 0.31 s at most, 0.52 s in all`; and what `settle` adds. */
export function pausedWords({ tasks, total, settle }: PausedTimes): string {
  const [longest, ...others] = tasks;
  if (longest === undefined) return '';
  const words =
    others.length === 0
      ? `${longest.address} ${secondsText(longest.ms)}`
      : `${secondsText(total / tasks.length)} on average, ${secondsText(longest.ms)} at most, ${secondsText(total)} in all`;
  return settle === 0 ? words : `${words}; and ${secondsText(settle)} that settle asks for`;
}

/** `0.35 s`. */
export function secondsText(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
