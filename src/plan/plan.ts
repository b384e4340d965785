import type { Change, Observation, Plan } from '../model/generated/plan.ts';
import { TASK_KINDS } from '../model/kind.ts';
import { MAX_COMMIT_NUMBER } from '../model/marker.ts';
import { judge } from './guardrails/judge.ts';
import { judgedPlan } from './guardrails/judged.ts';
import { sortObservations } from './identity/observations.ts';
import { projectWarnings } from './identity/project-name-warnings.ts';
import { ownedTasks } from './identity/task-match.ts';
import type { PlanInput } from './input.ts';
import { labelBook, planNamed, withinLimits } from './named/labels-and-templates.ts';
import { afterRemovals, planRemovals } from './named/removal.ts';
import { operationsOf, sortDrafts } from './order/operations.ts';
import { makeRoom, type TargetHolder } from './order/quota-and-targets.ts';
import { orderRemovals } from './order/removals.ts';
import { refusals, viewWarnings } from './refusals.ts';
import { planIntegrity, withDigests } from './review/digest.ts';
import { scopeWarnings } from './scopes.ts';
import { hideStakes, markSecrets, secretPaths, withFurther } from './secrets.ts';
import { resumePolicy, selectDrafts, unknownSelectors } from './selection.ts';
import { stakesOf } from './stakes/stakes.ts';
import { totalExposure } from './stakes/total-exposure.ts';
import { planTasks } from './task/plan-tasks.ts';
import { idleReleases } from './task/release.ts';
import { PLAIN, type TaskContext, type Versions } from './task/task-context.ts';

/**
 * Compares the desired with the live state, and plans everything that would be done (DESIGN 5 and 6). Pure: equal input
 * gives equal bytes. A plan with an error among its diagnostics is refused: it may be shown but must not be applied.
 */
export function makePlan(input: PlanInput): Plan {
  const { desired, live, options, only } = input;
  const compared = compareAll(input);
  const { drafts, labels, tasks } = compared;
  const selected = sortDrafts(selectDrafts(drafts, options, only?.exclude));
  const roomed = orderRemovals({
    selected,
    all: drafts,
    live,
    project: desired,
    makeRoom: (some) => makeRoom(some, live.account.quota.remaining, targetHolders(input)),
  });
  const { changes: drafted, operations } = operationsOf(roomed.drafts, roomed.createNeeds);
  const secrets = withFurther(secretPaths(desired), input.furtherSecrets);
  const selection = new Set(selected);
  const stakes = stakesOf({
    live,
    labels,
    changes: drafted,
    unselected: drafts.filter((draft) => !selection.has(draft)).map(({ change }) => change),
    operations,
    steady: tasks.steady,
    secrets,
  });
  const changes = hideStakes(markSecrets(drafted, secrets), stakes);
  const observations = sortObservations(tasks.observations);
  const unchanged = compared.unchanged - untouched(input, changes);
  const plan = withDigests({
    ...headerOf(input),
    ...onlyOf(input, changes),
    complete: live.complete,
    summary: summarise(changes, observations, unchanged),
    exposure: totalExposure(stakes, observations, live, changes),
    changes,
    observations,
    operations,
    diagnostics: [
      ...input.diagnostics,
      ...tasks.diagnostics,
      ...roomed.drafts.flatMap(({ warnings }) => warnings),
      ...viewWarnings(input, observations),
      ...projectWarnings(input, tasks.left),
      ...scopeWarnings(operations, live.account.scopes),
      ...unknownSelectors(input, drafts, changes),
      ...refusals(input, changes, operations, [...tasks.orphans, ...tasks.left]),
    ],
    digest: '',
    integrity: '',
  });
  // After the digest, which --override names: no guardrail and no override changes what the plan is.
  const judged = judgedPlan(plan, desired, live, stakes, secrets);
  const { diagnostics, overrides } = judge(
    judged,
    input.guardrails,
    plan.digest,
    options.overrides,
    input.baseRules?.guardrails,
  );
  plan.diagnostics.push(...diagnostics);
  if (overrides.length > 0) plan.overrides = [...overrides];
  if (input.unsealed !== true) plan.integrity = planIntegrity(plan);
  return plan;
}

/** Every difference as a draft, before selection and order. */
function compareAll(input: PlanInput) {
  const { desired, live, options, only } = input;
  const named = planNamed([...desired.labels, ...desired.templates], [...live.labels, ...live.templates]);
  const removed = planRemovals(desired, live, named.claimed);
  const limited = withinLimits(afterRemovals(named.drafts, removed), live, removed);
  const labels = labelBook(desired.labels, limited, live);
  const context: TaskContext = {
    project: desired.project,
    labels,
    settle: desired.settle,
    versions: versionsOf(input),
    resume: resumePolicy(desired, options, only?.stay),
  };
  const tasks = planTasks(input, context, idleReleases(desired, ownedTasks(desired, live)));
  return {
    drafts: [...limited, ...removed, ...tasks.drafts],
    labels,
    tasks,
    unchanged: named.unchanged + tasks.unchanged,
  };
}

/**
 * `--only` and `rollback` write the number of the commit. Any other apply writes none, and takes away a number above its own
 * (DESIGN 3, "The version", rule 4).
 */
function versionsOf({ only, source, numbered }: PlanInput): Versions {
  const { number = 0 } = source;
  if (only === undefined && numbered !== true) return { ...PLAIN, most: source.number ?? Infinity };
  return {
    ...PLAIN,
    number: number > MAX_COMMIT_NUMBER ? 0 : number,
    renews: (address) => only?.renewed.has(address) === true,
    keeps: (address) => only?.undecided.has(address) === true,
  };
}

/** Project, service, commit and selection of a plan. */
function headerOf({ desired, live, source, options, ...input }: PlanInput) {
  const { targets, excludes } = options;
  const { token_prefix, login_username } = live.account;
  return {
    format: 'tradeform.plan/1' as const,
    tool: { name: 'tradeform' as const, version: input.toolVersion },
    created_at: input.createdAt,
    project: desired.project,
    ...(desired.previousProject === undefined ? {} : { previous_project: desired.previousProject }),
    environment: desired.environment,
    service: { base_url: input.baseUrl, token_prefix, login_username },
    ...(input.baseRules === undefined ? {} : { rules_changed: [...input.baseRules.changes] }),
    source: { commit: source.commit, dirty: source.dirty, manifests_digest: source.manifestsDigest },
    ...(targets.length === 0 && excludes.length === 0
      ? {}
      : { selection: { targets: [...targets], excludes: [...excludes] } }),
  };
}

/** A label that was to be left, and that a task of the plan needs, is created all the same. */
function onlyOf(
  { only }: PlanInput,
  changes: readonly Change[],
): Pick<Plan, 'only' | 'left' | 'superseded_by'> {
  if (only === undefined) return {};
  const planned = new Set(changes.map(({ address }) => address));
  return {
    only: only.mode,
    left: only.left.filter(({ address, text }) => text === null || !planned.has(address)),
    ...(only.newer === undefined ? {} : { superseded_by: only.newer }),
  };
}

/** Addresses that are as wanted only because what differs is left. */
function untouched({ only }: PlanInput, changes: readonly Change[]): number {
  const planned = new Set(changes.map(({ address }) => address));
  return (only?.left ?? []).filter(({ address, text }) => text === null && !planned.has(address)).length;
}

/** True if nothing would be done. */
export function isEmptyPlan(plan: Plan): boolean {
  return plan.operations.length === 0;
}

/** True if the plan must not be applied, because something refused it. */
export function isRefused(plan: Plan): boolean {
  return plan.diagnostics.some(({ severity }) => severity === 'error');
}

/**
 * Who holds the targets that only one task can have. Whether that is so is documented for copy-trade alone; for other kinds it is
 * assumed until two tasks share one, on the service or in the manifests.
 */
function targetHolders({ desired, live }: PlanInput): readonly TargetHolder[] {
  return TASK_KINDS.flatMap(({ collection, uniqueTarget: unique }) => {
    const of = <Item extends { readonly collection: string }>(items: readonly Item[]) =>
      items.filter((item) => item.collection === collection);
    const sharesOne = (tasks: readonly { readonly target_wallet: string }[]) =>
      new Set(tasks.map(({ target_wallet }) => target_wallet)).size < tasks.length;
    const held = of(live.tasks);
    if (!unique && (sharesOne(held) || sharesOne(of(desired.tasks)))) return [];
    return held.map(({ id, target_wallet: target }) => ({ collection, id, target, unique }));
  });
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
