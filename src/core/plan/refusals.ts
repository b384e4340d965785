import type { DesiredState } from '../desired/state.ts';
import { note, problem, warning } from '../diagnostics/diagnostic.ts';
import type { Change, Observation, Operation, PlanDiagnostic } from '../model/generated/plan.ts';
import { count } from '../model/named.ts';
import type { LiveTask } from '../model/resource.ts';
import { ownedTasks } from './identity/task-match.ts';
import type { PlanInput } from './input.ts';

/** Warnings about the view, which people should read before they look at the changes. */
export function viewWarnings(
  { desired, live }: PlanInput,
  observations: readonly Observation[],
): readonly PlanDiagnostic[] {
  const running = observations.filter((item) => item.class === 'unmanaged' && item.running).length;
  const unmanaged = `${count(running, 'unmanaged task is', 'unmanaged tasks are')} running: no manifest describes ${running === 1 ? 'it' : 'them'}.`;
  const isFirst = desired.tasks.length > 0 && ownedTasks(desired, live).length === 0;
  const first = `No task of project ${desired.project} is on the service yet. If this surprises you, check whether this is the right account.`;
  return [
    ...(running > 0 ? [warning('unmanaged-running', unmanaged)] : []),
    ...(isFirst ? [note('first-apply', first)] : []),
  ];
}

/** The hint if a view could not be proven complete and something would be created or deleted. */
const INCOMPLETE_HINT =
  'Run again when nobody else writes, or give the token read scopes for all task kinds. To apply the updates now, leave the creates and deletes out with --exclude ADDRESS.';

/** True if the plan creates or deletes resources: that needs a complete view. */
export function createsOrDeletes({ operations }: { readonly operations: readonly Operation[] }): boolean {
  return operations.some(({ verb }) => verb === 'create' || verb === 'delete');
}

/** Errors that refuse the whole plan (exit 4): nothing of it may be applied. */
export function refusals(
  { desired, live, options }: PlanInput,
  changes: readonly Change[],
  operations: readonly Operation[],
  orphans: readonly LiveTask[],
): readonly PlanDiagnostic[] {
  const incomplete = !live.complete && createsOrDeletes({ operations });
  const message = `Creates and deletes are refused: ${live.proof}`;
  return [
    ...(incomplete ? [problem('view-incomplete', message, INCOMPLETE_HINT)] : []),
    ...(options.allowEmpty ? [] : allOwnedGone(desired, live, changes, orphans)),
    ...nameTaken(desired, changes),
  ];
}

/**
 * If no manifest means any of the tasks that carry the project's marker, they may be another repository's of that name:
 * then nothing is done, also to what git named once (a copy of a repository has its history). `orphans`: owned, in no manifest.
 */
function allOwnedGone(
  desired: DesiredState,
  live: PlanInput['live'],
  changes: readonly Change[],
  orphans: readonly LiveTask[],
): readonly PlanDiagnostic[] {
  const { project, tasks, pruneTasks } = desired;
  const touched = changes.filter(
    ({ reason, operations }) =>
      reason === 'never-named' || (reason === 'not-in-manifests' && operations.length > 0),
  ).length;
  if (touched === 0 || (tasks.length > 0 && ownedTasks(desired, live).length > orphans.length)) return [];
  const carry = count(orphans.length, 'task carries', 'tasks carry');
  const none = orphans.length === 1 ? 'it is not in these manifests' : 'none of them is in these manifests';
  const message =
    tasks.length === 0
      ? `The manifests contain no task, and the plan would ${pruneTasks} ${touched === 1 ? 'the only task' : `all ${touched} tasks`} of project ${project}.`
      : `${carry} the marker of project ${project}, but ${none}; another repository may use the name. The plan would ${pruneTasks} ${touched === 1 ? 'it' : `all ${touched}`}.`;
  const hint =
    tasks.length === 0
      ? 'Pass --allow-empty if this is intended.'
      : 'If another repository uses the name, choose another metadata.name in the project file. If not: --exclude ADDRESS leaves tasks for a later plan, and --allow-empty allows this one; a renamed task needs previous_name.';
  return [problem('all-owned-gone', message, hint)];
}

/** A rename of the project deletes and stops nothing: what has the new name already may be another project's. */
function nameTaken(
  { project, previousProject }: DesiredState,
  changes: readonly Change[],
): readonly PlanDiagnostic[] {
  if (previousProject === undefined) return [];
  const renames = changes.some(({ fields }) => fields.some(({ path }) => path === 'project'));
  const gone = changes.filter(
    ({ reason, operations }) => /^(?:not-in-manifests|never-named)$/.test(reason) && operations.length > 0,
  );
  if (!renames || gone.length === 0) return [];
  const what = count(gone.length, 'task has', 'tasks have');
  const message = `The plan renames project ${previousProject} to ${project}, but ${what} the marker of ${project} already, and no manifest: ${gone.map(({ address }) => address).join(', ')}.`;
  const hint = `If another project has the name ${project}, choose another name: the tasks of two projects with one name cannot be told apart. If not, leave these tasks for a later plan with --exclude ADDRESS.`;
  return [problem('project-name-taken', message, hint)];
}
