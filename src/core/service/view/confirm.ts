import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { type Collection, TASK_COLLECTIONS } from '../../model/kind.ts';
import { isTask, type LiveState, type LiveTask } from '../../model/resource.ts';
import { SILENT } from '../../ports/output.ts';
import { readAccount } from '../resources/account.ts';
import type { Traversal } from '../resources/pages.ts';
import { itemsOf, readCollections } from './collections.ts';
import { READ_LIMITS, type ReadLimits, type ReadOptions } from './read.ts';

type ConfirmResult =
  | { readonly live: LiveState }
  /** The service could not be read. */
  | { readonly live?: undefined; readonly failure: Diagnostic };

/**
 * Reads the tasks again, and proves without any clock that none was missed (DESIGN 4). The proof of one reading needs `updated_at`
 * and `Date` to agree: if `updated_at` lags, a task that was created in the meantime and one that was deleted can hide a missed
 * one. This proof needs only `quota.used`:
 *
 * Every task that both the reading before some moment and the reading after that moment show existed at that moment. If these are
 * as many as the service counted at that moment, no other task existed.
 *
 * The answer contains the states of the later reading. If no moment can be proven, `complete` is false.
 */
export async function confirmLive(
  live: LiveState,
  options: Omit<ReadOptions, 'needed'>,
): Promise<ConfirmResult> {
  const { api, clock, progress = SILENT } = options;
  const limits: ReadLimits = { ...READ_LIMITS, ...options.limits };
  const kinds = TASK_COLLECTIONS.filter((collection) => live.visible.has(collection));
  let { account } = live;
  let before: readonly LiveTask[] = live.tasks;
  for (let pass = 1; ; pass += 1) {
    progress.emit({
      type: 'read-again',
      reason: 'resources are created or deleted, so no task may be missed',
    });
    const traversals = new Map<Collection, Traversal>();
    const large =
      pass === 1 && account.quota.used >= limits.inParts
        ? { tasks: account.quota.used, from: limits.inParts }
        : undefined;
    const failure = await readCollections(kinds, traversals, options, large);
    if (failure !== undefined) return { failure };
    const after = itemsOf(traversals).filter(isTask);
    const known = new Set(before.map(({ id }) => id));
    const both = after.filter(({ id }) => known.has(id)).length;
    const { used } = account.quota;
    if (both === used) {
      const proof = 'two readings have the same tasks, as many as the quota counts';
      return { live: { ...live, account, tasks: after, confirmed: true, proof } };
    }
    if (pass >= limits.passes) {
      const proof = `not proven complete: the service counts ${used} tasks, but readings before and after that count have ${both} in common`;
      return { live: { ...live, account, tasks: after, complete: false, proof } };
    }
    await clock.sleep(limits.wait * pass);
    const counted = await readAccount(api);
    if (!counted.ok) return { failure: counted.diagnostic };
    ({ account } = counted);
    before = after;
  }
}
