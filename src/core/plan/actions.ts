import type { Action } from '../model/generated/plan.ts';

/** The actions of changes, the weightiest first. In place, a resource is neither made nor deleted. */
const ACTIONS: Readonly<Record<Action, 'whole' | 'in-place'>> = {
  replace: 'whole',
  delete: 'whole',
  create: 'whole',
  'take-over': 'in-place',
  adopt: 'in-place',
  rename: 'in-place',
  release: 'in-place',
  stop: 'in-place',
  start: 'in-place',
  finish: 'in-place',
  update: 'in-place',
  none: 'in-place',
};
export const BY_WEIGHT = Object.keys(ACTIONS) as readonly Action[];

export function weightiestFirst(actions: readonly Action[]): Action[] {
  return BY_WEIGHT.filter((action) => actions.includes(action));
}

export function isInPlace(action: Action): boolean {
  return ACTIONS[action] === 'in-place';
}
