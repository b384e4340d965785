import type { Change, Observation, Plan } from '../model/generated/plan.ts';
import { TASK_KINDS } from '../model/kind.ts';
import { judge } from './guardrails/judge.ts';
import { judgedPlan } from './guardrails/judged.ts';
import { sortObservations } from './identity/observations.ts';
import { projectWarnings } from './identity/project-name-warnings.ts';
import type { PlanInput } from './input.ts';
import { labelBook, planNamed, withinLimits } from './named/labels-and-templates.ts';
import { afterRemovals, planRemovals } from './named/removal.ts';
import { operationsOf, sortDrafts } from './order/operations.ts';
import { makeRoom } from './order/quota-and-targets.ts';
import { orderRemovals } from './order/removals.ts';
import {
  ownedTasks,
  refusals,
  resumePolicy,
  selectDrafts,
  unknownSelectors,
  viewWarnings,
} from './refusals.ts';
import { planIntegrity, withDigests } from './review/digest.ts';
import { missingScopes, warnsOfScopes } from './scopes.ts';
import { hideStakes, markSecrets, secretPaths, withFurther } from './secrets.ts';
import { stakesOf } from './stakes/stakes.ts';
import { totalExposure } from './stakes/total-exposure.ts';
import { planTasks } from './task/plan-tasks.ts';
import { idleReleases } from './task/release.ts';
import type { TaskContext } from './task/task-context.ts';

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
    resume: resumePolicy(desired, input.options, input.only?.stay),
  };
  const idle = idleReleases(desired, ownedTasks(desired, live));
  const tasks = TASK_KINDS.filter(({ collection }) => live.visible.has(collection)).map((kind) =>
    planTasks(kind, input, context, idle),
  );
  const all = [...limited, ...removed, ...tasks.flatMap(({ drafts }) => drafts)];
  const selected = sortDrafts(selectDrafts(all, input.options, input.only?.exclude));
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
  const plan = withDigests({
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
    ...(input.baseRules === undefined ? {} : { rules_changed: [...input.baseRules.changes] }),
    source: {
      commit: input.source.commit,
      dirty: input.source.dirty,
      manifests_digest: input.source.manifestsDigest,
    },
    ...selectionOf(input),
    ...onlyOf(input, changes),
    complete: live.complete,
    summary: summarise(
      changes,
      observations,
      named.unchanged + sum(tasks.map(({ unchanged }) => unchanged)) - untouched(input, changes),
    ),
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
      ...unknownSelectors(input, all, changes),
      ...refusals(
        input,
        changes,
        operations,
        tasks.flatMap(({ orphans, left }) => [...orphans, ...left]),
      ),
    ],
    digest: '',
    integrity: '',
  });
  // After the digest, which --override names: no guardrail and no override changes what the plan is.
  const { guardrails, baseRules } = input;
  const judged = judgedPlan(plan, desired, live, stakes, secrets);
  const judgement = judge(judged, guardrails, plan.digest, input.options.overrides, baseRules?.guardrails);
  plan.diagnostics.push(...judgement.diagnostics);
  if (judgement.overrides.length > 0) plan.overrides = [...judgement.overrides];
  if (input.unsealed !== true) plan.integrity = planIntegrity(plan);
  return plan;
}

function selectionOf({ options }: PlanInput): Pick<Plan, 'selection'> {
  const { targets, excludes } = options;
  if (targets.length === 0 && excludes.length === 0) return {};
  return { selection: { targets: [...targets], excludes: [...excludes] } };
}

/** A label that was to be left, and that a task of the plan needs, is created all the same. */
function onlyOf({ only }: PlanInput, changes: readonly Change[]): Pick<Plan, 'only' | 'left'> {
  if (only === undefined) return {};
  const planned = new Set(changes.map(({ address }) => address));
  return {
    only: only.mode,
    left: only.left.filter(({ address, text }) => text === null || !planned.has(address)),
  };
}

/** Addresses that are as wanted only because what differs is left. */
function untouched({ only }: PlanInput, changes: readonly Change[]): number {
  const planned = new Set(changes.map(({ address }) => address));
  return (only?.left ?? []).filter(({ address, text }) => text === null && !planned.has(address)).length;
}

/** True where nothing would be done. */
export function isEmptyPlan(plan: Plan): boolean {
  return plan.operations.length === 0;
}

/** True where the plan must not be applied: something refused it. */
export function isRefused(plan: Plan): boolean {
  return plan.diagnostics.some(({ severity }) => severity === 'error');
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
