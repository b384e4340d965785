import type { Base, Change, Plan } from '../model/generated/plan.ts';
import { hasWork } from './plan-summary.ts';
import { ACTION_WORDS } from './words.ts';

/** The words for the two provenances of a change. */
export const THIS_CHANGE = 'This change';
export const BEFORE = 'Already pending or drifted';

/** `main (1a2b3c4)`: the name of a base, with its commit if that adds information. A whole hash as a name is shortened. */
export function baseName({ revision, commit }: Pick<Base, 'revision' | 'commit'>): string {
  const name = revision.replace(/^([0-9a-f]{7})[0-9a-f]{33,}/, '$1');
  return commit.startsWith(name) ? name : `${name} (${commit.slice(0, 7)})`;
}

/** `Compared with main (1a2b3c4): 2 from this change, 1 pending or drifted before`. Undefined without a base. */
export function comparedText({ base, changes }: Plan): string | undefined {
  if (base === undefined) return undefined;
  if (base.digest === null)
    return `${baseName(base)} cannot be planned: all changes are shown as part of this change`;
  const counted = changes.filter((change) => hasWork(change) || change.held || change.blocked !== null);
  const before = counted.filter(({ provenance }) => provenance === 'before').length;
  const partly = counted.filter(({ provenance }) => provenance === 'both').length;
  const parts = [
    `${counted.length - before} from this change${partly === 0 ? '' : ` (${partly} partly)`}`,
    ...(before === 0 ? [] : [`${before} pending or drifted before`]),
    ...(base.settled.length === 0 ? [] : [`${base.settled.length} settled`]),
  ];
  return `Compared with ${baseName(base)}: ${parts.join(', ')}`;
}

/** `update, start at the base, nothing left to do`, `config.buy_amount stays as it is on the service`. */
export function settledText({ actions, fields }: Base['settled'][number]): string {
  if (fields !== undefined)
    return `${fields.join(', ')} ${fields.length === 1 ? 'stays as it is' : 'stay as they are'} on the service`;
  const words = actions.filter((action) => action !== 'none').map((action) => ACTION_WORDS[action]);
  return `${words.length === 0 ? 'held or blocked' : words.join(', ')} at the base, nothing left to do`;
}

/**
 * Deletions and replacements take the provenance of the change. Starts and stops take that of the field that causes them, or of
 * the change if no field does.
 */
export function isBefore({ action, provenance, fields }: Change): boolean {
  if (action === 'delete' || action === 'replace') return provenance === 'before';
  const state = fields.find(({ path }) => path === 'state');
  return (state?.provenance ?? provenance) === 'before';
}
