import type { Action } from '../model/generated/plan.ts';
import type { Moved } from '../plan/review/approval.ts';

/**
 * What changed since a plan was approved, as a sentence without its full stop. Invisible characters in names are not escaped
 * yet.
 */
export function movedText({ address, approved, now, held, blocked }: Moved): string {
  if (blocked !== undefined) return `${address} is blocked now: ${blocked.replace(/\.$/, '')}`;
  const was = new Set(approved.flatMap((does) => does.split('+')));
  const stays = held && !was.has('held') && approved.length > 0;
  const stops = now?.split('+').includes('stop') === true && !was.has('stop');
  if (stays && stops)
    return `${address} would now stop and stay paused, and not ${phrase(actionsOf([...was].join('+')))} as approved`;
  if (stays) {
    const still = now === undefined ? 'it would stay paused' : 'it would be changed and stay paused';
    return `${address} was paused: ${still}`;
  }
  const actions = actionsOf(now ?? '');
  const more = actions.filter((action) => !was.has(action));
  const all =
    actions.length > 0 && [...was].every((word) => word === 'held' || actions.includes(word as Action));
  if (more.length > 0 && all) return `${address} would now also ${phrase(more)}`;
  if (more.length === 0 && all) {
    return `${address} would ${phrase(actions)} as approved, but the task or its new values differ from the review`;
  }
  const missing = [...was].filter(
    (word): word is Action => Object.hasOwn(PHRASES, word) && !actions.includes(word as Action),
  );
  return `${address} would now ${phrase(actions)}, and not ${phrase(missing)} as approved`;
}

/** What the current plan does there, where nothing is known of what was approved. */
export function currentText(moved: Moved): string {
  const actions = actionsOf(moved.now ?? '');
  const isTold = moved.blocked !== undefined || actions.length === 0;
  return isTold ? movedText(moved) : `${moved.address} would ${phrase(actions)}`;
}

/** `be created and start`. */
function phrase(actions: readonly Action[]): string {
  const words = actions.map((action) => PHRASES[action]);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function actionsOf(does: string): readonly Action[] {
  return does.split('+').filter((word): word is Action => Object.hasOwn(PHRASES, word));
}

const PHRASES: Readonly<Record<Action, string>> = {
  none: 'stay as it is',
  create: 'be created',
  update: 'be updated',
  replace: 'be replaced',
  delete: 'be deleted',
  adopt: 'be adopted',
  rename: 'be renamed',
  start: 'start',
  stop: 'stop',
  finish: 'finish an interrupted start',
  'take-over': 'be taken over',
  release: 'be released',
};
