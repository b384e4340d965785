import { addDecimals } from '../model/decimal.ts';
import type { Outside } from '../model/generated/plan.ts';
import { count } from '../model/named.ts';

/**
 * A sum of what trades, and what trades outside git, which no sum contains (undefined: nobody looked): `0 SOL at stake, and 3 tasks outside git (1 of project desk) trade 2.0072 SOL`.
 * Every line with such a sum is made here. `isCell`: `0 + 2.0072 in 3 tasks outside git`, for a column.
 */
export function stakeText(sum: string, outside: readonly Outside[] = [], isCell = false): string {
  if (outside.length === 0) return sum;
  return isCell
    ? `${sum} + ${solOf(outside)} in ${count(outsideTasks(outside), 'task')} outside git`
    : `${sum}, and ${outsideText(outside)}`;
}

const MOST_NAMED = 3;

/** `3 tasks outside git (1 of project desk) trade 2.0072 SOL`. `still`: `still `, after a pause. */
export function outsideText(outside: readonly Outside[] = [], still = ''): string {
  const tasks = outsideTasks(outside);
  const others = outside.filter(({ project }) => project !== null);
  const whose =
    others.length > MOST_NAMED
      ? [`${outsideTasks(others)} of ${others.length} other projects`]
      : others.map((one) => `${one.tasks} of project ${one.project}`);
  const beside = whose.length === 0 ? '' : ` (${whose.join(', ')})`;
  const trade = `${still}${tasks === 1 ? 'trades' : 'trade'}`;
  return `${count(tasks, 'task')} outside git${beside} ${trade} ${solOf(outside)} SOL`;
}

export function outsideTasks(outside: readonly Outside[]): number {
  return outside.reduce((sum, { tasks }) => sum + tasks, 0);
}

function solOf(outside: readonly Outside[]): string {
  const least = outside.some(({ unreadable }) => unreadable > 0) ? 'at least ' : '';
  return `${least}${addDecimals(outside.map(({ sol }) => sol))}`;
}
