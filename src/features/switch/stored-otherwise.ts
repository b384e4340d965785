import type { DesiredState, DesiredTask } from '../../desired/state.ts';
import { compareDecimals } from '../../model/decimal.ts';
import type { Field } from '../../model/generated/plan.ts';
import { kindOf, TASK_KINDS } from '../../model/kind.ts';
import { hiddenField, isSecretPath } from '../../model/secret.ts';
import type { KnownTask } from '../../plan/identity/known-task.ts';
import { matchTasks } from '../../plan/identity/match-tasks.ts';
import { tasksOf } from '../../plan/identity/task-match.ts';
import { costGroupOf, costOf, sortedFields } from '../../plan/stakes/cost.ts';
import { countedPaths, exposureOf } from '../../plan/stakes/exposure.ts';
import { compareTask, field, type LabelBook, wantedOf } from '../../plan/task/compare-task.ts';

/** How a task can spend differently than its manifest says. Values from the environment are hidden. */
export interface StoredOtherwise {
  /** The address of the manifest: that of the task, unless git renames it. */
  readonly address: string;
  readonly state: DesiredTask['state'];
  /** `before`: stored, `after`: in the manifest. The most expensive field first. */
  readonly fields: readonly Field[];
  /** SOL per trigger according to the manifest. null if it may not be shown. */
  readonly exposure: string | null;
}

/** By the ids of live tasks. */
export type Manifests = ReadonlyMap<string, DesiredTask>;

/** The manifests of live tasks, matched as in the next plan. `seen`: all tasks of the requested kinds. */
export function manifestsOf(desired: DesiredState, seen: readonly KnownTask[]): Manifests {
  const byAddress = new Map(desired.tasks.map((task) => [task.address as string, task]));
  const byId = new Map(
    seen.flatMap(({ task, address }) => {
      const named = byAddress.get(address ?? '');
      return named === undefined ? [] : [[task.id, named] as const];
    }),
  );
  for (const kind of TASK_KINDS) {
    const wanted = desired.tasks.filter(({ collection }) => collection === kind.collection);
    const present = seen.flatMap(({ task }) => (task.collection === kind.collection ? [task] : []));
    for (const [task, match] of matchTasks(kind, desired, wanted, present).matches)
      for (const { id } of tasksOf(match)) byId.set(id, task);
  }
  return byId;
}

/**
 * Undefined if the task spends as its manifest says, and on the same wallets. Fields in `lifecycle.ignore_changes` are not
 * compared.
 */
export function storedOtherwise(
  { task, exposure }: KnownTask,
  desired: DesiredTask,
): StoredOtherwise | undefined {
  const kind = kindOf(desired.collection);
  const subject = { task, note: '', marker: undefined };
  const wanted = wantedOf(desired, subject, NO_LABELS);
  const differing = [
    ...(task.target_wallet === desired.target_wallet
      ? []
      : [field(desired, 'target_wallet', task.target_wallet, desired.target_wallet)]),
    ...compareTask(kind, desired, wanted, subject, NO_LABELS).fields,
  ];
  const fields = differing.filter(({ path }) => costGroupOf(costOf(path)) === 'money');
  const inGit = exposureOf(kind.config, wanted.config);
  if (fields.length === 0 && compareDecimals(inGit, exposure) === 0) return undefined;
  const { secrets = [], address, state } = desired;
  const hidden = countedPaths(kind.config, wanted.config).some((path) => isSecretPath(secrets, path));
  return {
    address,
    state,
    fields: sortedFields(fields).map((item) =>
      isSecretPath(secrets, item.path) ? { ...hiddenField(item), sensitive: true } : item,
    ),
    exposure: hidden ? null : inGit,
  };
}

/** Labels and notes spend nothing. */
const NO_LABELS: LabelBook = { ref: () => undefined, shownName: (name) => name, liveName: (id) => id };
