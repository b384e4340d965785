import { note, warning } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../diagnostics/suggest.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { Observation, PlanDiagnostic } from '../../model/generated/plan.ts';
import { given } from '../../model/given.ts';
import { hiddenKinds, type TaskKind } from '../../model/kind.ts';
import { markerOf, remarkOf } from '../../model/marker.ts';
import { count } from '../../model/named.ts';
import type { LiveTask } from '../../model/resource.ts';
import type { PlanInput } from '../input.ts';
import type { Copies } from '../task/copies.ts';
import { type Bystander, type Orphan, ownedBy, ownedTasks } from './task-match.ts';

/** The tasks that this plan leaves alone, with one sentence each: running ones first, unmanaged before all others. `copies`: of conflicts. */
export function observe(
  kind: TaskKind,
  bystanders: readonly Bystander[],
  kept: readonly Orphan[],
  copies: Copies,
): readonly Observation[] {
  const seen = (reason: Observation['class'], task: LiveTask, text: string): Observation => ({
    class: reason,
    kind: kind.collection,
    id: task.id,
    remark: task.remark,
    running: task.is_active,
    text,
  });
  const orphans = kept.flatMap((orphan) => (orphan.type === 'conflict' ? [] : ownedBy(orphan)));
  return [
    ...bystanders.map(({ class: reason, task, before }) => {
      const owner = markerOf(task)?.project ?? '';
      if (reason === 'unmanaged' && remarkOf(task).type === 'damaged')
        return seen(reason, task, LOOKS_LIKE_ONE);
      if (reason === 'conflict') {
        const { text = '', copy } = copies.get(task.id) ?? {};
        return { ...seen(reason, task, text), ...given({ copy }) };
      }
      return seen(reason, task, before === undefined ? TEXTS[reason](owner) : BEFORE[before](owner));
    }),
    ...orphans.map(({ task }) => seen('kept', task, 'Its manifest was removed, and prune.tasks keeps it.')),
  ];
}

const TEXTS: Readonly<Record<Exclude<Bystander['class'], 'conflict'>, (owner: string) => string>> = {
  unmanaged: () => `It is left alone. ${BRING_IN}`,
  foreign: (owner) => `It belongs to project ${owner} and is left alone.`,
  damaged: () =>
    'Its remark ends in something like a marker: it is left alone. A manifest with metadata.id manages it; `tradeform release --id ID` takes the end away.',
};

const BRING_IN = 'To bring it into git: `tradeform export --out . ID`.';
const LOOKS_LIKE_ONE = `Its remark only looks like a marker. ${BRING_IN}`;

const BEFORE: Readonly<Record<NonNullable<Bystander['before']>, (owner: string) => string>> = {
  unnamed: (owner) =>
    `It has the marker of ${owner}, the former name of this project, and no manifest names it: it is left alone. Write a manifest with its name or metadata.id, or delete it on the service.`,
  beside: (owner) =>
    `It has the marker of ${owner}, the former name of this project, and another task has its name now: it is left alone. Remove its marker with \`tradeform release --id ID\`, or delete it on the service.`,
};

const CLASS_ORDER: readonly Observation['class'][] = ['unmanaged', 'conflict', 'damaged', 'foreign', 'kept'];

export function sortObservations(observations: readonly Observation[]): Observation[] {
  return [...observations].sort(
    (a, b) =>
      Number(b.running) - Number(a.running) ||
      CLASS_ORDER.indexOf(a.class) - CLASS_ORDER.indexOf(b.class) ||
      compareTexts(a.kind, b.kind) ||
      compareTexts(a.id, b.id),
  );
}

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
  return [
    warning(
      'project-rename-nothing',
      `metadata.previous_name ${previousProject}: no task here carries the marker of project ${previousProject}; the markers here are of ${[...others].sort().join(', ')}.`,
      didYouMean(previousProject, others),
    ),
  ];
}

function ownsNothing(project: string, { live }: PlanInput): readonly PlanDiagnostic[] {
  const others = projectsOf(live.tasks);
  if (others.has(project)) return [];
  return [
    warning(
      'take-over-nothing',
      `--take-over ${project}: no task here carries the marker of project ${project}.`,
      didYouMean(project, others),
    ),
  ];
}

function renamed({ desired, live }: PlanInput, left: readonly LiveTask[]): readonly PlanDiagnostic[] {
  const { project, previousProject } = desired;
  if (previousProject === undefined) return [];
  const running = left.filter(({ is_active }) => is_active).length;
  if (left.length > 0) {
    const tasks = count(left.length, 'task has', 'tasks have');
    const them = left.length === 1 ? 'it' : 'them';
    return [
      warning(
        'project-rename-left',
        `${tasks} the marker of ${previousProject}, the former name of this project, and no manifest names ${them}; ${running} of ${left.length} running. A rename of the project deletes and stops nothing.`,
        `Write a manifest for ${them} with its name or metadata.id, or delete ${them} on the service.`,
      ),
    ];
  }
  const gone = ownedTasks({ project: previousProject }, live).length === 0;
  if (hiddenKinds(live.visible).length > 0 || !gone) return [];
  if (ownedTasks({ project }, live).length === 0) return foundNothing(previousProject, live.tasks);
  return [
    note(
      'project-rename-done',
      `No task on this account still has the marker of ${previousProject}.`,
      'Remove metadata.previous_name from the project file when this is true on every account: if another project takes the name later, its tasks would count as tasks of this project.',
    ),
  ];
}
