import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { TaskCollection } from '../../model/kind.ts';
import { type Account, isTask, type LiveTask } from '../../model/resource.ts';
import type { Api } from '../../ports/api.ts';
import type { Limiter } from '../../ports/limiter.ts';
import type { Progress } from '../../ports/output.ts';
import { readAccount, visibleCollections } from '../resources/account.ts';
import { type Traversal, traverse } from '../resources/pages.ts';
import { judgeTasks, obstacle } from './proof.ts';

/** One look at the tasks, for commands that cannot wait for a proven view: a kind that fails does not hide the others. */
export interface Survey {
  readonly tasks: readonly LiveTask[];
  /** Kinds that could not be read, or not all of. */
  readonly failures: ReadonlyMap<TaskCollection, Diagnostic>;
  /** Why tasks may be missing; undefined where the quota proves that none is. */
  readonly doubt: string | undefined;
  /** Tasks that the service counts and that are of no kind that was asked for; undefined where that is not known. */
  readonly unseen: number | undefined;
}

interface SurveyOptions {
  readonly api: Api;
  readonly progress: Progress;
  readonly limiter: Limiter;
  readonly kinds: readonly TaskCollection[];
  /** Only those that run: quick, and without a proof. */
  readonly activeOnly: boolean;
}

export async function surveyTasks(options: SurveyOptions): Promise<Survey> {
  const { api, activeOnly } = options;
  const before = activeOnly ? undefined : await readAccount(api);
  const { traversals, failures } = await traverseAll(options);
  // Nothing is proven without both, nor where a kind is missing.
  const after = before?.ok === true && failures.size === 0 ? await readAccount(api) : undefined;
  const accounts = before?.ok === true && after?.ok === true ? { before, after: after.account } : undefined;
  const read = [...traversals.values()];
  const tasks = read.flatMap(({ items }) => [...items.values()].filter(isTask));
  const counted = accounts === undefined ? undefined : quotaOf(accounts.after);
  return {
    tasks,
    failures,
    doubt: failures.size > 0 ? 'a kind could not be read' : doubtOf(read, options, accounts),
    unseen: counted === undefined || failures.size > 0 ? undefined : Math.max(0, counted - tasks.length),
  };
}

async function traverseAll(options: SurveyOptions) {
  const { api, progress, limiter, kinds, activeOnly } = options;
  const traversals = new Map<TaskCollection, Traversal>();
  const failures = new Map<TaskCollection, Diagnostic>();
  const filter: Readonly<Record<string, string>> = activeOnly ? { status: 'active' } : {};
  await Promise.all(
    kinds.map(async (collection) => {
      const leftOut = (problem: Diagnostic) => void failures.set(collection, problem);
      const shared = { api, progress, limiter, leftOut };
      const result = await traverse({ collection, filter }, shared);
      if (result.ok) traversals.set(collection, result.traversal);
      else if (result.diagnostic !== undefined) failures.set(collection, result.diagnostic);
    }),
  );
  return { traversals, failures };
}

function quotaOf({ quota, family_role }: Account): number | undefined {
  return family_role === 'none' ? quota.used : undefined;
}

function doubtOf(
  read: readonly Traversal[],
  { kinds }: SurveyOptions,
  accounts:
    | {
        readonly before: { readonly account: Account; readonly date: number | undefined };
        readonly after: Account;
      }
    | undefined,
): string | undefined {
  if (accounts === undefined) return 'the account could not be read';
  const { before, after } = accounts;
  const blocked = obstacle(after, new Set(kinds.filter((kind) => visibleCollections(after).has(kind))));
  if (blocked !== undefined) return blocked;
  const { quota } = before.account;
  return judgeTasks(read, { used: quota.used, date: before.date }, after.quota.used)?.reason;
}
