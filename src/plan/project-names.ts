import { didYouMean } from '../manifest/suggest.ts';
import type { PlanDiagnostic } from '../model/generated/plan.ts';
import { TASK_KINDS } from '../model/kind.ts';
import { parseRemark } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import type { PlanInput } from './input.ts';
import { ownedTasks } from './policy.ts';

/** What is to be said of `--take-over` and of the project's name before. `left`: tasks with its marker in no manifest. */
export function projectWarnings(input: PlanInput, left: readonly LiveTask[]): readonly PlanDiagnostic[] {
  return [
    ...input.options.takeOver.flatMap((project) => ownsNothing(project, input)),
    ...renamed(input, left),
  ];
}

function ownsNothing(project: string, { live }: PlanInput): readonly PlanDiagnostic[] {
  const others = new Set(
    live.tasks.flatMap(({ remark }) => {
      const parsed = parseRemark(remark);
      return parsed.type === 'marked' ? [parsed.marker.project] : [];
    }),
  );
  if (others.has(project)) return [];
  const near = didYouMean(project, [...others]);
  return [
    {
      severity: 'warning',
      code: 'take-over-nothing',
      message: `--take-over ${project}: no task here carries the marker of project ${project}.`,
      ...(near === undefined ? {} : { hint: near }),
    },
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
      {
        severity: 'warning',
        code: 'project-rename-left',
        message: `${tasks} the marker of ${previousProject}, as this project was called before, and no manifest names ${them}; ${running} of ${left.length} running. A rename of the project deletes and stops nothing.`,
        hint: `Give ${them} a manifest by name or metadata.id, or delete ${them} on the service.`,
      },
    ];
  }
  const all = TASK_KINDS.every(({ collection }) => live.visible.has(collection));
  const gone = ownedTasks({ project: previousProject }, live).length === 0;
  if (!all || !gone || ownedTasks({ project }, live).length === 0) return [];
  return [
    {
      severity: 'info',
      code: 'project-rename-done',
      message: `No task on this account has the marker of ${previousProject} any more.`,
      hint: 'Take metadata.previous_name out of the project file once that is so on every account: a project that takes the name later would count as this one.',
    },
  ];
}
