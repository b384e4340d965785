import type { Outside } from '../model/generated/plan.ts';
import { count } from '../render/layout.ts';

/**
 * A sum of what trades, and what trades outside git, which no sum contains (undefined: nobody looked): `0 SOL at stake, and 3 tasks outside git trade 2.0072 SOL`.
 * Every line with such a sum is made here.
 */
export function stakeText(sum: string, outside: Outside | undefined): string {
  if (outside === undefined || outside.tasks === 0) return sum;
  const { tasks, sol, unreadable } = outside;
  const least = unreadable === 0 ? '' : 'at least ';
  return `${sum}, and ${count(tasks, 'task')} outside git ${tasks === 1 ? 'trades' : 'trade'} ${least}${sol} SOL`;
}
