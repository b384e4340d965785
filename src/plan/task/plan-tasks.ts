import type { DesiredRemoval, DesiredTask } from '../../desired/state.ts';
import { type Diagnostic, diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import type { Observation, PlanDiagnostic } from '../../model/generated/plan.ts';
import { jsonEqual } from '../../model/json.ts';
import { TASK_KINDS, type TaskKind } from '../../model/kind.ts';
import { isPending } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { currentConfig } from '../../model/shape.ts';
import { blockDraft, type Draft } from '../draft.ts';
import { matchTasks } from '../identity/match-tasks.ts';
import { type NeverNamed, unlessNeverNamed } from '../identity/never-named.ts';
import { observe } from '../identity/observations.ts';
import { type Orphan, ownedBy, type TaskMatch } from '../identity/task-match.ts';
import type { PlanInput } from '../input.ts';
import type { SteadyTask } from '../stakes/stakes.ts';
import { changeInPlace } from './change-in-place.ts';
import { createTask } from './creation.ts';
import { finishPair } from './interrupted-replacement.ts';
import { planOrphan, planReleases, unlessMeant } from './orphan.ts';
import { replaceTask } from './replacement.ts';
import type { TaskContext } from './task-context.ts';

/** The result of planning tasks. */
export interface TaskPlan {
  readonly drafts: readonly Draft[];
  readonly observations: readonly Observation[];
  /** Running tasks of this project in no change. */
  readonly steady: readonly SteadyTask[];
  readonly unchanged: number;
  readonly diagnostics: readonly PlanDiagnostic[];
  /** Owned tasks in no manifest. */
  readonly orphans: readonly LiveTask[];
  /** Tasks with the project's former name in the marker, and in no manifest. */
  readonly left: readonly LiveTask[];
}

/** Plans the tasks of all kinds that the token can read. `idle`: Removals that release nothing. */
export function planTasks(input: PlanInput, context: TaskContext, idle: readonly DesiredRemoval[]): TaskPlan {
  const kinds = TASK_KINDS.filter(({ collection }) => input.live.visible.has(collection));
  const plans = kinds.map((kind) => planKind(kind, input, context, idle));
  return {
    drafts: plans.flatMap(({ drafts }) => drafts),
    observations: plans.flatMap(({ observations }) => observations),
    steady: plans.flatMap(({ steady }) => steady),
    unchanged: plans.reduce((sum, { unchanged }) => sum + unchanged, 0),
    diagnostics: plans.flatMap(({ diagnostics }) => diagnostics),
    orphans: plans.flatMap(({ orphans }) => orphans),
    left: plans.flatMap(({ left }) => left),
  };
}

function planKind(
  kind: TaskKind,
  { desired, live, options, neverNamed }: PlanInput,
  context: TaskContext,
  idle: readonly DesiredRemoval[],
): TaskPlan {
  const wanted = desired.tasks.filter(({ collection }) => collection === kind.collection);
  const matched = matchTasks(kind, desired, wanted, live.tasks, options.takeOver);
  const { releases, matching } = planReleases(kind, matched, desired.removals);
  const drafts: Draft[] = [...releases];
  const steady: SteadyTask[] = [];
  const diagnostics: PlanDiagnostic[] = [];
  let unchanged = 0;
  for (const task of wanted) {
    const match = matching.matches.get(task) ?? { type: 'create' };
    if (match.type === 'owned' && match.staleId) diagnostics.push(staleId(task));
    const renames = match.type === 'create' ? renameWarnings(kind, task, matching.orphans, neverNamed) : [];
    const draft = planTask(task, match, context);
    if (draft !== undefined) drafts.push({ ...draft, warnings: [...draft.warnings, ...renames] });
    else {
      unchanged += 1;
      if (match.type === 'owned') steady.push({ task: match.owned.task, address: task.address });
    }
  }
  const kept: Orphan[] = [];
  for (const orphan of matching.orphans) {
    const draft = planOrphan(kind, orphan, desired.pruneTasks);
    if (draft !== undefined) drafts.push(unlessNeverNamed(unlessMeant(draft, idle), neverNamed));
    else kept.push(orphan);
  }
  // Owned by their markers and at stake, although in no change.
  const contested = matching.bystanders.filter((bystander) => bystander.class === 'conflict');
  const others = [...tasksIn(kept), ...contested.map(({ task }) => task)].map((task) => ({ task }));
  return {
    drafts,
    observations: observe(kind, matching.bystanders, kept),
    steady: [...steady, ...others].filter(({ task }) => task.is_active),
    unchanged,
    diagnostics,
    orphans: tasksIn(matching.orphans),
    left: tasksIn(matching.left),
  };
}

function tasksIn(orphans: readonly Orphan[]): readonly LiveTask[] {
  return orphans.flatMap(ownedBy).map(({ task }) => task);
}

function planTask(desired: DesiredTask, match: TaskMatch, context: TaskContext): Draft | undefined {
  const draft = planMatch(desired, match, context);
  const needsLabel = desired.label !== null && context.labels.ref(desired.label) === undefined;
  if (!needsLabel || draft === undefined || draft.change.blocked !== null) return draft;
  return blockDraft(
    draft,
    'no-room',
    `Its label ${desired.label} is not available; see label/${desired.label}.`,
    [],
  );
}

function planMatch(desired: DesiredTask, match: TaskMatch, context: TaskContext): Draft | undefined {
  switch (match.type) {
    case 'create':
      return createTask(desired, context);
    case 'owned':
      return match.owned.task.target_wallet === desired.target_wallet
        ? changeInPlace(desired, match.owned, context)
        : replaceTask(desired, match.owned, context);
    case 'adopt':
      return changeInPlace(desired, { ...match, marker: undefined }, context, match.reason);
    case 'take-over': {
      const { task, note, marker: from } = match;
      const draft = changeInPlace(desired, { task, note, marker: undefined, from }, context, 'taken-over');
      if (draft === undefined || !draft.change.held || !isPending(task)) return draft;
      return { ...draft, warnings: [...draft.warnings, interruptedStart(desired.address, from.project)] };
    }
    case 'pair':
      return finishPair(desired, match.pair, context);
    case 'blocked':
      return blockDraft(createTask(desired, context), match.reason, match.text, match.ids);
  }
}

function interruptedStart(address: string, project: string): PlanDiagnostic {
  const message = `${address} is held: an apply of project ${project} was interrupted before it started the task, and taking over starts nothing.`;
  return warning('interrupted-start', message, `To start it: --resume-stopped ${address}.`, { address });
}

function staleId({ address, origin }: DesiredTask): PlanDiagnostic {
  const message = `metadata.id of ${address} names no task of its kind; the task with its marker is used.`;
  return warning('id-stale', message, 'Remove metadata.id.', { address, location: origin('metadata.id') });
}

/** With more removals than this, it is not a rename; comparing all pairs would take long. Tasks that keep trading are always compared. */
const MOST_ORPHANS = 50;

/**
 * Warns if a created task looks like a renamed one: that would stop one task and start another. It is an error if the former task
 * keeps trading beside the new one, because nobody approves that it is deleted: both would buy.
 */
function renameWarnings(
  kind: TaskKind,
  desired: DesiredTask,
  orphans: readonly Orphan[],
  never: NeverNamed | undefined,
): readonly Diagnostic[] {
  const { address, previousName } = desired;
  const warnings: Diagnostic[] = [];
  if (previousName !== undefined) {
    const message = `previous_name of ${address} is ${previousName}, but no owned task has that name: ${address} is created.`;
    const about = { address, location: desired.origin('metadata.previous_name') };
    warnings.push(warning('previous-name-unknown', message, undefined, about));
  }
  const twins = orphans.flatMap((orphan, index) => {
    const former = `${kind.collection}/${orphan.name}`;
    if (orphan.type !== 'single') return [];
    const isLeft = never?.unattended === true && never.addresses.has(former);
    if ((index >= MOST_ORPHANS && !isLeft) || !isTwin(kind, desired, orphan.owned.task)) return [];
    const both = isLeft && orphan.owned.task.is_active && desired.state === 'active';
    return [{ name: orphan.name, former, both }];
  });
  const twin = twins.find(({ both }) => both) ?? twins[0];
  if (twin !== undefined) {
    const { name, former, both } = twin;
    const message = `${address} is created; ${former}, whose manifest was removed, has the same target and config.${both ? ' It keeps trading, because nobody approves this plan: both would buy.' : ''}`;
    const hint = `If this is a rename, set metadata.previous_name: ${name}.${both ? ' If not, approve the plan, which deletes the former task.' : ''}`;
    warnings.push(diagnostic(both ? 'error' : 'warning', 'looks-like-rename', message, hint, { address }));
  }
  return warnings;
}

function isTwin(
  kind: TaskKind,
  desired: DesiredTask,
  task: Pick<DesiredTask, 'target_wallet' | 'config'>,
): boolean {
  return (
    task.target_wallet === desired.target_wallet &&
    jsonEqual(currentConfig(kind.config, task.config), currentConfig(kind.config, desired.config))
  );
}
