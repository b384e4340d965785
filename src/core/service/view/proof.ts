import { type Collection, hiddenKinds } from '../../model/kind.ts';
import type { Account, LiveResource } from '../../model/resource.ts';
import type { Traversal } from '../resources/pages.ts';

/** Why `quota.used` cannot prove the view (DESIGN 4), in words; undefined if it can. */
export function obstacle(account: Account, visible: ReadonlySet<Collection>): string | undefined {
  const hidden = hiddenKinds(visible);
  if (hidden.length > 0) return `the token cannot read ${hidden.join(' and ')} tasks`;
  if (account.family_role !== 'none') return 'a family account may share its quota';
  if (!Number.isInteger(account.quota.used) || account.quota.used < 0) return 'the quota is not plausible';
  return undefined;
}

/**
 * Why a reading is not proven. `unprovable`: no proof is possible, so a second, agreeing reading is enough. `moving`:
 * something changed in the meantime; read again in a moment. `contradicted`: the quota differs; agreement counts only
 * if the difference persists.
 */
export interface Doubt {
  readonly type: 'unprovable' | 'moving' | 'contradicted';
  readonly reason: string;
}

/** The state before a reading: `quota.used`, and the `Date` of that answer in milliseconds since the epoch. */
export interface Baseline {
  readonly used: number;
  readonly date: number | undefined;
}

/**
 * The proof for all tasks: as many as the quota counts, before and after, and none changed since the first answer. A
 * change moves an item in the order of the pages, so an item may be skipped. A skipped item is missing in the count,
 * unless an item that was created in the meantime takes its place; that item is visible by its time. The same holds for
 * parts (collections.ts).
 */
export function judgeTasks(
  traversals: readonly Traversal[],
  before: Baseline,
  usedAfter: number,
): Doubt | undefined {
  const count = traversals.reduce((sum, { items }) => sum + items.size, 0);
  if (before.used !== usedAfter || count !== usedAfter) {
    const counted = before.used === usedAfter ? `${usedAfter}` : `first ${before.used}, then ${usedAfter}`;
    return {
      type: 'contradicted',
      reason: `the service counts ${counted} tasks, but its lists contain ${count}`,
    };
  }
  if (before.date === undefined) return { type: 'unprovable', reason: 'an answer has no Date' };
  if (traversals.some(({ overlap }) => overlap)) {
    return { type: 'moving', reason: 'tasks moved between parts that were read in parallel' };
  }
  // One page shows one moment. Items can only move between several pages, and then the second of the Date is in doubt,
  // too.
  const limit = Math.floor(before.date / 1_000) + (traversals.some(({ pages }) => pages > 1) ? 0 : 1);
  return traversals.some((traversal) => changedSince(traversal, limit))
    ? { type: 'moving', reason: 'tasks changed while they were read' }
    : undefined;
}

/** Templates do not count in a quota: one page proves itself, several pages need a second, agreeing reading. */
export function judgeTemplates({ part, pages }: Traversal): Doubt | undefined {
  if (pages === 1) return undefined;
  return { type: 'unprovable', reason: `${part.collection} items do not count in the quota` };
}

/** True when an item was changed in that second (since the epoch) or later, or at a time that cannot be read. */
function changedSince({ items }: Traversal, second: number): boolean {
  return [...items.values()].some((item) => {
    return item.collection !== 'label' && !(Math.floor(Date.parse(item.updated_at) / 1_000) < second);
  });
}

/** True when two traversals of a part show the same items in the same versions. */
export function agree(a: Traversal | undefined, b: Traversal | undefined): boolean {
  if (a === undefined || b === undefined || a.items.size !== b.items.size) return false;
  for (const [id, item] of b.items) {
    const other = a.items.get(id);
    if (other === undefined || !sameState(other, item)) return false;
  }
  return true;
}

function sameState(a: LiveResource, b: LiveResource): boolean {
  // Labels are on one page, so there is no doubt and no need to agree.
  if (a.collection === 'label' || b.collection === 'label') return false;
  if (a.version !== b.version || a.updated_at !== b.updated_at) return false;
  // It is not documented whether the service raises the version when it stops a task by itself.
  return !('is_active' in a && 'is_active' in b) || a.is_active === b.is_active;
}
