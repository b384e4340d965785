import { usage } from '../../diagnostics/diagnostic.ts';
import { MAX_DUE } from '../../model/armed.ts';

const UNITS = { m: 1, h: 60, d: 1_440 } as const;
/** For a longer pause, leave out `--for`. */
const MOST_DAYS = 366;

/** `--for 30m`, `2h`, `1d`: the end of that time, in minutes since the epoch, rounded up. Fails with exit 3. */
export function dueAfter(text: string, now: number): number {
  const [, number = '', unit = ''] = /^([1-9][0-9]{0,6})([mhd])$/.exec(text) ?? [];
  const minutes = Number(number) * (UNITS[unit as keyof typeof UNITS] ?? 0);
  const due = Math.ceil(now / 60_000) + minutes;
  if (minutes > 0 && minutes <= MOST_DAYS * UNITS.d && due <= MAX_DUE) return due;
  throw usage(
    `--for ${text}: not a valid duration`,
    `Write minutes, hours or days, such as 30m, 2h or 1d, at most ${MOST_DAYS}d; without --for the pause lasts until \`tradeform resume\`.`,
  );
}
