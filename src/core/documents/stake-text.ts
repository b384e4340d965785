import type { Outside } from '../model/generated/plan.ts';
import { count } from '../render/layout.ts';

/**
 * A sum of what trades, and what trades outside git, which no sum contains (undefined: nobody looked): `0 SOL at stake, and 3 tasks outside git trade 2.0072 SOL`.
 * Every line with such a sum is made here. `isCell`: `0 + 2.0072 in 3 tasks outside git`, for a column.
 */
export function stakeText(sum: string, outside: Outside | undefined, isCell = false): string {
  if (outside === undefined || outside.tasks === 0) return sum;
  const { tasks, sol, unreadable } = outside;
  const least = unreadable === 0 ? '' : 'at least ';
  if (isCell) return `${sum} + ${least}${sol} in ${count(tasks, 'task')} outside git`;
  return `${sum}, and ${count(tasks, 'task')} outside git ${tasks === 1 ? 'trades' : 'trade'} ${least}${sol} SOL`;
}
