import { type Armed, HELD_BY_APPLY, type Off, SETTLED } from './armed.ts';
import type { RemarkSymbol } from './generated/plan.ts';

/** The mark in a remark symbol of a plan: the number of a pending mark is known only when the request is sent (DESIGN 6). */
type Mark = RemarkSymbol['mark'];

/** The names in a plan for the forms that keep a task off. */
export const OFF_NAMES = { '!': 'off', '0!': 'kept-off', '-': 'held' } as const satisfies Record<Off, Mark>;

/** The mark that a remark symbol stands for. `pending`: see `pendingMark`. */
export function armedOfSymbol(mark: Mark, pending: number): Armed {
  switch (mark) {
    case 'pending':
      return pending;
    case 'settled':
      return SETTLED;
    case 'off':
      return '!';
    case 'kept-off':
      return '0!';
    case 'held':
      return HELD_BY_APPLY;
    case 'none':
      return undefined;
  }
}
