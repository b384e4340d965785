import type { DesiredTask } from '../desired/state.ts';
import type { Change, Observation, Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import { TASK_KINDS, type TaskKind } from '../model/kind.ts';
import type { LiveTask } from '../model/resource.ts';
import { createTask } from './creation.ts';
import { planDigest, planIntegrity } from './digest.ts';
import { blockDraft, type Draft } from './draft.ts';
import { totalExposure } from './exposure-total.ts';
import { judge } from './guardrails/index.ts';
import { sceneOf } from './guardrails/scene.ts';
import type { Orphan, TaskMatch } from './identity.ts';
import type { PlanInput } from './input.ts';
import { orderRemovals } from './let-go.ts';
import { matchTasks } from './match.ts';
import { labelBook, planNamed, withinLimits } from './named.ts';
import { observe, sortObservations } from './observe.ts';
import { operationsOf, sortDrafts } from './order.ts';
import { planOrphan } from './orphan.ts';
import { finishPair } from './pair.ts';
import {
  ownedTasks,
  refusals,
  resumePolicy,
  selectDrafts,
  unknownSelectors,
  viewWarnings,
} from './policy.ts';
import { projectWarnings } from './project-names.ts';
import { idleReleases, planReleases, unlessMeant } from './release.ts';
import { afterRemovals, planRemovals } from './removal.ts';
import { renameWarnings } from './rename.ts';
import { replaceTask } from './replacement.ts';
import { makeRoom } from './room.ts';
import { missingScopes, warnsOfScopes } from './scopes.ts';
import { hideStakes, markSecrets, secretPaths, withFurther } from './secrets.ts';
import { type SteadyTask, stakesOf } from './stakes.ts';
import { changeInPlace, type TaskContext } from './task-change.ts';

/** What planning one collection of tasks gives. */
interface TaskPlan {
  readonly drafts: readonly Draft[];
  readonly observations: readonly Observation[];
  /** Running tasks of this project in no change. */
  readonly steady: readonly SteadyTask[];
  readonly unchanged: number;
  readonly diagnostics: readonly PlanDiagnostic[];
  /** With the marker of the project's name before, and in no manifest. */
  readonly left: readonly LiveTask[];
}

/**
 * Compares the desired with the live state and says everything that would be done (DESIGN 5 and 6). Pure: equal input
 * gives equal bytes. A plan with an error among its diagnostics is refused: it may be shown and must not be applied.
 */
export function makePlan(input: PlanInput): Plan {
  const { desired, live } = input;
  const named = planNamed([...desired.labels, ...desired.templates], [...live.labels, ...live.templates]);
  const removed = planRemovals(desired, live, named.claimed);
  const limited = withinLimits(afterRemovals(named.drafts, removed), live, removed);
  const context: TaskContext = {
    project: desired.project,
    labels: labelBook(desired.labels, limited, live),
    settle: desired.settle,
    now: Date.parse(input.createdAt),
    resume: resumePolicy(desired, input.options),
  };
  const tasks = TASK_KINDS.filter(({ collection }) => live.visible.has(collection)).map((kind) =>
    planTasks(kind, input, context),
  );
  const all = [...limited, ...removed, ...tasks.flatMap(({ drafts }) => drafts)];
  const selected = sortDrafts(selectDrafts(all, input.options));
  const roomed = orderRemovals({
    selected,
    all,
    live,
    project: desired,
    makeRoom: (drafts) => makeRoom(drafts, live.account.quota.remaining, targetHolders(input)),
  });
  const { changes: unmarked, operations } = operationsOf(roomed.drafts, roomed.createNeeds);
  const secrets = withFurther(secretPaths(desired), input.furtherSecrets);
  const observations = sortObservations(tasks.flatMap((plan) => plan.observations));
  const selection = new Set(selected);
  const stakes = stakesOf({
    live,
    labels: context.labels,
    changes: unmarked,
    unselected: all.filter((draft) => !selection.has(draft)).map(({ change }) => change),
    operations,
    steady: tasks.flatMap(({ steady }) => steady),
    secrets,
  });
  const changes = hideStakes(markSecrets(unmarked, secrets), stakes);
  const plan: Plan = {
    format: 'tradeform.plan/1',
    tool: { name: 'tradeform', version: input.toolVersion },
    created_at: input.createdAt,
    project: desired.project,
    ...(desired.previousProject === undefined ? {} : { previous_project: desired.previousProject }),
    environment: desired.environment,
    service: {
      base_url: input.baseUrl,
      token_prefix: live.account.token_prefix,
      login_username: live.account.login_username,
    },
    source: {
      commit: input.source.commit,
      dirty: input.source.dirty,
      manifests_digest: input.source.manifestsDigest,
    },
    ...selectionOf(input),
    complete: live.complete,
    summary: summarise(changes, observations, named.unchanged + sum(tasks.map(({ unchanged }) => unchanged))),
    exposure: totalExposure(stakes, observations, live, changes),
    changes,
    observations,
    operations,
    diagnostics: [
      ...input.diagnostics,
      ...tasks.flatMap(({ diagnostics }) => diagnostics),
      ...roomed.drafts.flatMap(({ warnings }) => warnings),
      ...viewWarnings(input, observations),
      ...projectWarnings(
        input,
        tasks.flatMap(({ left }) => left),
      ),
      ...(warnsOfScopes(live.account.scopes)
        ? missingScopes({ operations }, live.account.scopes, 'warning')
        : []),
      ...unknownSelectors(input, all),
      ...refusals(input, changes, operations),
    ],
    digest: '',
    integrity: '',
  };
  plan.digest = planDigest(plan);
  // After the digest, which --override names: no guardrail and no override changes what the plan is.
  const { overrides } = input.options;
  const judgement = judge(sceneOf(plan, desired, live, stakes), input.guardrails, plan.digest, overrides);
  plan.diagnostics.push(...judgement.diagnostics);
  if (judgement.overrides.length > 0) plan.overrides = [...judgement.overrides];
  plan.integrity = planIntegrity(plan);
  return plan;
}

function selectionOf({ options }: PlanInput): Pick<Plan, 'selection'> {
  const { targets, excludes } = options;
  if (targets.length === 0 && excludes.length === 0) return {};
  return { selection: { targets: [...targets], excludes: [...excludes] } };
}

/** True where nothing would be done. */
export function isEmptyPlan(plan: Plan): boolean {
  return plan.operations.length === 0;
}

/** True where the plan must not be applied: something refused it. */
export function isRefused(plan: Plan): boolean {
  return plan.diagnostics.some(({ severity }) => severity === 'error');
}

function planTasks(kind: TaskKind, { desired, live, options }: PlanInput, context: TaskContext): TaskPlan {
  const wanted = desired.tasks.filter(({ collection }) => collection === kind.collection);
  const present = live.tasks.filter(({ collection }) => collection === kind.collection);
  const matched = matchTasks(kind, desired, wanted, present, options.takeOver);
  const { releases, matching } = planReleases(kind, matched, desired.removals);
  const idle = idleReleases(desired, ownedTasks(desired, live));
  const drafts: Draft[] = [...releases];
  const steady: SteadyTask[] = [];
  const diagnostics: PlanDiagnostic[] = [];
  let unchanged = 0;
  for (const task of wanted) {
    const match = matching.matches.get(task) ?? { type: 'create' };
    if (match.type === 'owned' && match.staleId) diagnostics.push(staleId(task));
    if (match.type === 'create') diagnostics.push(...renameWarnings(kind, task, matching.orphans));
    const draft = planTask(task, match, context);
    if (draft !== undefined) {
      drafts.push(draft);
      continue;
    }
    unchanged += 1;
    if (match.type === 'owned' && match.owned.task.is_active)
      steady.push({ task: match.owned.task, address: task.address });
  }
  const kept: Orphan[] = [];
  for (const orphan of matching.orphans) {
    const draft = planOrphan(kind, orphan, desired.pruneTasks);
    if (draft !== undefined) drafts.push(unlessMeant(draft, idle));
    else {
      kept.push(orphan);
      for (const left of tasksOf(orphan)) if (left.is_active) steady.push({ task: left });
    }
  }
  // Ours by their markers, and at stake, though in no change.
  for (const { class: reason, task } of matching.bystanders) {
    if (reason === 'conflict' && task.is_active) steady.push({ task });
  }
  const observations = observe(kind, matching.bystanders, kept);
  const left = matching.left.flatMap(tasksOf);
  return { drafts, observations, steady, unchanged, diagnostics, left };
}

function tasksOf(orphan: Orphan): readonly LiveTask[] {
  if (orphan.type === 'single') return [orphan.owned.task];
  if (orphan.type === 'pair') return [orphan.pair.successor.task, orphan.pair.predecessor.task];
  return orphan.owned.map(({ task }) => task);
}

function planTask(desired: DesiredTask, match: TaskMatch, context: TaskContext): Draft | undefined {
  const draft = planMatch(desired, match, context);
  const needsLabel = desired.label !== null && context.labels.target(desired.label) === undefined;
  if (!needsLabel || draft === undefined || draft.change.blocked !== null) return draft;
  return blockDraft(
    draft,
    'no-room',
    `Its label ${desired.label} cannot be had; see label/${desired.label}.`,
    [],
  );
}

function planMatch(desired: DesiredTask, match: TaskMatch, context: TaskContext): Draft | undefined {
  switch (match.type) {
    case 'create':
      return createTask(desired, context);
    case 'owned':
      return match.owned.task.target_wallet === desired.target_wallet
        ? changeInPlace(desired, match.owned, context, { actions: [], reason: undefined })
        : replaceTask(desired, match.owned, context);
    case 'adopt':
      return changeInPlace(desired, { task: match.task, note: match.note, marker: undefined }, context, {
        actions: ['adopt'],
        reason: match.reason,
      });
    case 'take-over':
      return changeInPlace(desired, { task: match.task, note: match.note, marker: undefined }, context, {
        actions: ['take-over'],
        reason: 'taken-over',
        from: match.marker,
      });
    case 'pair':
      return finishPair(desired, match.pair, context);
    case 'blocked':
      return blockDraft(createTask(desired, context), match.reason, match.text, match.ids);
  }
}

function staleId(task: DesiredTask): PlanDiagnostic {
  const place = task.origin('metadata.id');
  return {
    severity: 'warning',
    code: 'id-stale',
    address: task.address,
    message: `metadata.id of ${task.address} names a task that is gone; the one with its marker is used.`,
    hint: 'Remove metadata.id.',
    ...(place === undefined ? {} : { location: { ...place } }),
  };
}

function targetHolders({ live }: PlanInput) {
  return live.tasks
    .filter(({ collection }) =>
      TASK_KINDS.some((kind) => kind.collection === collection && kind.uniqueTarget),
    )
    .map(({ id, target_wallet }) => ({ id, target: target_wallet }));
}

function summarise(
  changes: readonly Change[],
  observations: readonly Observation[],
  unchanged: number,
): Plan['summary'] {
  const having = (action: Change['action']) =>
    changes.filter(({ actions }) => actions.includes(action)).length;
  const takenOver = having('take-over');
  return {
    ...(takenOver === 0 ? {} : { take_over: takenOver }),
    create: having('create'),
    update: having('update'),
    replace: having('replace'),
    delete: having('delete'),
    adopt: having('adopt'),
    rename: having('rename'),
    release: having('release'),
    start: having('start'),
    stop: having('stop'),
    finish: having('finish'),
    held: changes.filter(({ held }) => held).length,
    blocked: changes.filter(({ blocked }) => blocked !== null).length,
    unmanaged: observations.filter((item) => item.class === 'unmanaged').length,
    foreign: observations.filter((item) => item.class === 'foreign').length,
    unchanged,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, value) => total + value, 0);
}
