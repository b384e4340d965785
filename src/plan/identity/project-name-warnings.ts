import { note, warning } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import type { PlanDiagnostic } from '../../model/generated/plan.ts';
import { TASK_KINDS } from '../../model/kind.ts';
import { markerOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import type { PlanInput } from '../input.ts';
import { ownedTasks } from './task-match.ts';

/**
 * Warnings about `--take-over` and the project's former name. `left`: tasks with the former name that are in no
 * manifest.
 */
export function projectWarnings(input: PlanInput, left: readonly LiveTask[]): readonly PlanDiagnostic[] {
  return [
    ...input.options.takeOver.flatMap((project) => ownsNothing(project, input)),
    ...renamed(input, left),
  ];
}

function projectsOf(tasks: readonly LiveTask[]): ReadonlySet<string> {
  return new Set(tasks.flatMap((task) => markerOf(task)?.project ?? []));
}

/** The former name may be misspelt: then its tasks are taken for those of another project. */
function foundNothing(previousProject: string, tasks: readonly LiveTask[]): readonly PlanDiagnostic[] {
  const others = projectsOf(tasks);
  if (others.size === 0) return [];
  const near = didYouMean(previousProject, others);
  return [
    warning(
      'project-rename-nothing',
      `metadata.previous_name ${previousProject}: no task here carries the marker of project ${previousProject}; the markers here are of ${[...others].sort().join(', ')}.`,
      near,
    ),
  ];
}

function ownsNothing(project: string, { live }: PlanInput): readonly PlanDiagnostic[] {
  const others = projectsOf(live.tasks);
  if (others.has(project)) return [];
  const near = didYouMean(project, [...others]);
  return [
    warning(
      'take-over-nothing',
      `--take-over ${project}: no task here carries the marker of project ${project}.`,
      near,
    ),
  ];
}

function renamed({ desired, live }: PlanInput, left: readonly LiveTask[]): readonly PlanDiagnostic[] {
  const { project, previousProject } = desired;
  if (previousProject === undefined) return [];
  const running = left.filter(({ is_active }) => is_active).length;
  if (left.length > 0) {
    const tasks = left.length === 1 ? '1 task has' : `${left.length} tasks have`;
    const them = left.length === 1 ? 'it' : 'them';
    return [
      warning(
        'project-rename-left',
        `${tasks} the marker of ${previousProject}, the former name of this project, and no manifest names ${them}; ${running} of ${left.length} running. A rename of the project deletes and stops nothing.`,
        `Write a manifest for ${them} with its name or metadata.id, or delete ${them} on the service.`,
      ),
    ];
  }
  const all = TASK_KINDS.every(({ collection }) => live.visible.has(collection));
  const gone = ownedTasks({ project: previousProject }, live).length === 0;
  if (!all || !gone) return [];
  if (ownedTasks({ project }, live).length === 0) return foundNothing(previousProject, live.tasks);
  return [
    note(
      'project-rename-done',
      `No task on this account still has the marker of ${previousProject}.`,
      'Remove metadata.previous_name from the project file when this is true on every account: if another project takes the name later, its tasks would count as tasks of this project.',
    ),
  ];
}
