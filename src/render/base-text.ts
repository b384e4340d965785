import type { Base, Change, Plan } from '../model/generated/plan.ts';
import { count, hang } from './layout.ts';
import { hasWork } from './plan-summary.ts';
import type { Paint } from './style.ts';
import { visible } from './untrusted.ts';
import { ACTION_WORDS } from './words.ts';

/** What people read for the two provenances of a change. */
export const THIS_CHANGE = 'This change';
export const BEFORE = 'Already pending or drifted';

/** `main (1a2b3c4)`: a base as it was named, and its commit where that says more. */
export function baseName({ revision, commit }: Pick<Base, 'revision' | 'commit'>): string {
  return visible(commit.startsWith(revision) ? revision : `${revision} (${commit.slice(0, 7)})`);
}

/** `Compared with main (1a2b3c4): 2 of this change, 1 already pending or drifted`; undefined without a base. */
export function comparedText({ base, changes }: Plan): string | undefined {
  if (base === undefined) return undefined;
  if (base.digest === null) return `${baseName(base)} cannot be planned: every change counts as this change`;
  const counted = changes.filter((change) => hasWork(change) || change.held || change.blocked !== null);
  const before = counted.filter(({ provenance }) => provenance === 'before').length;
  const partly = counted.filter(({ provenance }) => provenance === 'both').length;
  const parts = [
    `${counted.length - before} of this change${partly === 0 ? '' : ` (${partly} in part)`}`,
    ...(before === 0 ? [] : [`${before} already pending or drifted`]),
    ...(base.settled.length === 0 ? [] : [`${base.settled.length} settled`]),
  ];
  return `Compared with ${baseName(base)}: ${parts.join(', ')}`;
}

/** What the base would do, and this plan does not any more: git has come to where the service is. */
export function settledLines({ base }: Plan, columns: number, paint: Paint): string[] {
  if (base === undefined || base.settled.length === 0) return [];
  const { settled } = base;
  return [
    paint('title', `Settled by this change (${count(settled.length, 'address', 'addresses')})`),
    ...settled.flatMap((item) =>
      hang('  = ', `${visible(item.address)}: ${settledText(item)}`, columns).map((line) =>
        paint('dim', line),
      ),
    ),
  ];
}

/** `would update, start`, `would be held or blocked`, `config.buy_amount stays as it is`. */
export function settledText({ actions, fields }: Base['settled'][number]): string {
  if (fields !== undefined)
    return `${fields.map(visible).join(', ')} ${fields.length === 1 ? 'stays as it is' : 'stay as they are'} on the service`;
  const words = actions.filter((action) => action !== 'none').map((action) => ACTION_WORDS[action]);
  return `${words.length === 0 ? 'held or blocked' : words.join(', ')} at the base, nothing any more`;
}

/** Whether a start or a stop was there before: the field that says so, or the change as a whole where none does. */
export function isSwitchedBefore({ provenance, fields }: Change): boolean {
  const state = fields.find(({ path }) => path === 'state');
  return (state?.provenance ?? provenance) === 'before';
}
