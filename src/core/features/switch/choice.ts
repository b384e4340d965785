import { namingHost } from '../../command/connection.ts';
import { orStopped, stopped } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import { kindsMeant, labelsMeant, unmatched } from '../../command/meant.ts';
import { CommandFailure, type Diagnostic, problem, usage } from '../../diagnostics/diagnostic.ts';
import { collectionOf } from '../../model/address.ts';
import { TASK_COLLECTIONS, TASK_KINDS, type TaskCollection } from '../../model/kind.ts';
import { isLabel, type LiveLabel } from '../../model/resource.ts';
import {
  isChosen,
  type KnownTask,
  knownTask,
  nameOf,
  namesTask,
  type TaskSelection,
} from '../../plan/identity/known-task.ts';
import { traverse } from '../../service/resources/pages.ts';
import { surveyTasks } from '../../service/view/survey.ts';
import { type OperatorContext, type OperatorOptions, visibleKinds } from './context.ts';

/** Names and kinds as written. Fails (exit 3) without any choice, or for an unknown kind. */
export function writtenChoice(
  names: readonly string[],
  { all, kind = [], label = [] }: OperatorOptions,
): { readonly kinds: readonly TaskCollection[] } {
  if (names.length + kind.length + label.length === 0 && all !== true) {
    throw usage(
      'no task is named',
      'Name tasks by address (sniper/dawn, sniper/*), --label, --kind, or --all.',
    );
  }
  if (all === true && names.length > 0)
    throw usage('--all cannot be combined with addresses', 'Remove one of them.');
  return { kinds: kindsMeant(kind, TASK_KINDS) };
}

/** Kinds that a choice can concern. Nothing else must be read. */
export function kindsOf(
  names: readonly string[],
  kinds: readonly TaskCollection[],
): readonly TaskCollection[] {
  const wanted = kinds.length === 0 ? TASK_COLLECTIONS : kinds;
  const named = names.map((name) => TASK_COLLECTIONS.find((kind) => kind === collectionOf(name)));
  if (names.length === 0 || named.includes(undefined)) return wanted;
  const chosen = wanted.filter((kind) => named.includes(kind));
  if (chosen.length > 0) return chosen;
  throw usage(`no name here is of --kind ${kinds.join(', ')}`, 'Remove the option, or name other tasks.');
}

/** The chosen tasks. Fails with exit 3 for an unknown label, and with exit 1 if the labels cannot be read. */
export async function selectionOf(
  names: readonly string[],
  kinds: readonly TaskCollection[],
  context: OperatorContext,
  options: OperatorOptions,
  io: Io,
): Promise<TaskSelection> {
  const { label = [], includeUnmanaged = false } = options;
  const live = { labels: label.length === 0 ? [] : await liveLabels(context, io), tasks: [] };
  const labels = await labelsMeant(label, live, async () => {
    const { readProjectOf } = await import('../../command/read-project.ts');
    return (await readProjectOf(options, io, { partial: true })).state?.labels ?? [];
  });
  return { names, kinds, labels: labels.map(({ id }) => id), includeUnmanaged };
}

/** The labels of the account. Fails with exit 1 if they cannot be read, and with 130 after an interruption. */
export async function liveLabels(
  { session: { api, limiter } }: OperatorContext,
  io: Io,
): Promise<readonly LiveLabel[]> {
  const reading = traverse(
    { collection: 'label', filter: {} },
    { api, limiter, cancelled: () => io.stop.soft.aborted },
  );
  const result = await orStopped(reading, io.stop.soft);
  if (result?.ok) return [...result.traversal.items.values()].filter(isLabel);
  if (result?.diagnostic === undefined) throw stopped(io.stop.soft);
  throw new CommandFailure(1, [result.diagnostic]);
}

/**
 * All tasks that the token can read, running or not, for commands that then ask a person. Fails with exit 1 if a kind cannot be
 * read, with 3 for a name that chooses nothing, and with 130 after an interruption.
 */
export async function allTasks(
  selection: TaskSelection,
  { session: { api, limiter }, progress, connection, account, project }: OperatorContext,
  io: Io,
): Promise<readonly KnownTask[]> {
  const kinds = visibleKinds(account);
  const survey = await orStopped(
    surveyTasks({ api, limiter, progress, kinds, activeOnly: false }),
    io.stop.soft,
  );
  progress.close();
  if (survey === undefined) throw stopped(io.stop.soft);
  if (survey.failures.size > 0)
    throw new CommandFailure(1, namingHost([...survey.failures.values()], connection.baseUrl));
  const seen = survey.tasks.map((task) => knownTask(task, project));
  const unknown = unknownTaskNames(selection, seen);
  if (unknown.length > 0) throw new CommandFailure(3, unknown);
  return seen;
}

/** Names that choose nothing, each with a suggestion. */
export function unknownTaskNames(
  selection: TaskSelection,
  seen: readonly KnownTask[],
): readonly Diagnostic[] {
  // The other options narrow what a pattern chooses, down to nothing.
  const narrowed = (name: string): TaskSelection =>
    name.includes('*')
      ? { ...selection, kinds: [], labels: [], names: [name] }
      : { ...selection, names: [name] };
  const unknown = selection.names.filter((name) => !seen.some((known) => isChosen(known, narrowed(name))));
  const owned = seen.filter(({ owner }) => owner === 'owned').map(nameOf);
  return unknown.map((name) => {
    const other = seen.find((known) => namesTask(name, known));
    const near = name === 'all' ? ['--all'] : owned;
    if (other === undefined) return unmatched(name, 'no task of the project on the service', near);
    if (other.owner === 'owned' || selection.includeUnmanaged)
      return problem(
        'target-unknown',
        `${name} is there, but not with the kind and the label that the options ask for`,
        'Remove --kind or --label, or name another task.',
      );
    return problem(
      'target-unknown',
      `${name} is ${other.owner === 'foreign' ? `of project ${other.marker?.project ?? ''}` : other.owner}, not owned by this project`,
      'Add --include-unmanaged if this is intended.',
    );
  });
}
