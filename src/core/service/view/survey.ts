import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { TaskCollection } from '../../model/kind.ts';
import { isTask, type LiveTask } from '../../model/resource.ts';
import type { Api } from '../../ports/api.ts';
import { readAccount, visibleCollections } from '../resources/account.ts';
import { type Part, type Traversal, type TraverseOptions, traverse } from '../resources/pages.ts';
import { judgeTasks, obstacle } from './proof.ts';

/**
 * One reading of the tasks, for commands that cannot wait for a proven view: if one kind fails, the others are still
 * returned.
 */
export interface Survey {
  readonly tasks: readonly LiveTask[];
  /** Kinds that could not be read completely. */
  readonly failures: ReadonlyMap<TaskCollection, Diagnostic>;
  /** Why tasks may be missing; undefined if the quota proves that none is missing. */
  readonly doubt: string | undefined;
  /** Number of tasks that the service counts in kinds that were not read; undefined if unknown. */
  readonly unseen: number | undefined;
}

interface SurveyOptions extends Pick<TraverseOptions, 'progress' | 'limiter' | 'came'> {
  readonly api: Api;
  readonly kinds: readonly TaskCollection[];
  /** Reads only running tasks: fast, but without a proof. */
  readonly activeOnly: boolean;
}

export async function surveyTasks(options: SurveyOptions): Promise<Survey> {
  const { api, kinds, activeOnly } = options;
  const before = activeOnly ? undefined : await readAccount(api);
  const found: Traversal[] = [];
  const failures = new Map<TaskCollection, Diagnostic>();
  const filter: Part['filter'] = activeOnly ? { status: 'active' } : {};
  await Promise.all(
    kinds.map(async (collection) => {
      const leftOut = (problem: Diagnostic) => void failures.set(collection, problem);
      const result = await traverse({ collection, filter }, { ...options, leftOut });
      if (result.ok) found.push(result.traversal);
      else if (result.diagnostic !== undefined) leftOut(result.diagnostic);
    }),
  );
  const tasks = found.flatMap(({ items }) => [...items.values()].filter(isTask));
  const unproven = (doubt: string): Survey => ({ tasks, failures, doubt, unseen: undefined });
  if (failures.size > 0) return unproven('a kind could not be read');
  const after = before?.ok === true ? await readAccount(api) : undefined;
  if (before?.ok !== true || after?.ok !== true) return unproven('the account could not be read');
  const { account } = after;
  const { used } = account.quota;
  const visible = visibleCollections(account);
  const blocked = obstacle(account, new Set(kinds.filter((kind) => visible.has(kind))));
  const baseline = { used: before.account.quota.used, date: before.date };
  return {
    tasks,
    failures,
    doubt: blocked ?? judgeTasks(found, baseline, used)?.reason,
    unseen: account.family_role === 'none' ? Math.max(0, used - tasks.length) : undefined,
  };
}
