import { type Armed, HELD_BY_APPLY, keptOff, type Off, SETTLED, switchedOff } from './armed.ts';
import type { RemarkSymbol } from './generated/plan.ts';

/** The mark in a remark symbol of a plan: the number of a pending mark is known only when the request is sent (DESIGN 6). */
type MarkSymbol = Pick<RemarkSymbol, 'mark' | 'due'>;

/** The names in a plan for the forms that keep a task off. */
const OFF_NAMES = { '!': 'off', '0!': 'kept-off', '-': 'held' } as const;

/** A form that keeps a task off, as part of a remark symbol. */
export function offSymbol({ form, due }: Off): MarkSymbol {
  return { mark: OFF_NAMES[form], ...(due === undefined ? {} : { due }) };
}

/** The mark that a remark symbol stands for. `pending`: see `pendingMark`. */
export function armedOfSymbol({ mark, due }: MarkSymbol, pending: number): Armed {
  switch (mark) {
    case 'pending':
      return pending;
    case 'settled':
      return SETTLED;
    case 'off':
      return switchedOff(due);
    case 'kept-off':
      return keptOff(due);
    case 'held':
      return HELD_BY_APPLY;
    case 'none':
      return undefined;
  }
}
