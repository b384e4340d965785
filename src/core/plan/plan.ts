import { isFreeze } from '../model/freeze.ts';
import { type Change, type Observation, PLAN_FORMAT, type Plan } from '../model/generated/plan.ts';
import { given } from '../model/given.ts';
import { TASK_KINDS } from '../model/kind.ts';
import { BY_WEIGHT } from './actions.ts';
import { judge } from './guardrails/judge.ts';
import { judgedPlan } from './guardrails/judged.ts';
import { projectWarnings, sortObservations } from './identity/observations.ts';
import { newestNumber } from './identity/task-match.ts';
import type { PlanInput } from './input.ts';
import { labelBook, planNamed, withinLimits } from './named/labels-and-templates.ts';
import { afterRemovals, planRemovals } from './named/removal.ts';
import { byAddress, operationsOf, orderDrafts } from './order/operations.ts';
import type { TargetHolder } from './order/quota-and-targets.ts';
import { inTurn } from './order/turn.ts';
import { refusals, viewWarnings } from './refusals.ts';
import { withDigests } from './review/digest.ts';
import { scopeWarnings } from './scopes.ts';
import { hideObserved, markSecrets, secretPaths } from './secrets.ts';
import { resumePolicy, selectDrafts, unknownSelectors } from './selection.ts';
import { freezesOf, freezeWarnings } from './stakes/frozen.ts';
import { stakesOf } from './stakes/stakes.ts';
import { totalExposure } from './stakes/total-exposure.ts';
import { planTasks, type TaskPlan } from './task/plan-tasks.ts';
import { PLAIN, type TaskContext, type Versions } from './task/task-context.ts';

/**
 * Compares the desired with the live state, and plans everything that would be done (DESIGN 5 and 6). Pure: equal input
 * gives equal bytes. A plan with an error among its diagnostics is refused: it may be shown but must not be applied.
 */
export function makePlan(input: PlanInput): Plan {
  return planOf(findDifferences(input));
}

/** What would be done, before it has a digest and before any guardrail has seen it. */
export type Differences = ReturnType<typeof findDifferences>;

/** The first half of {@link makePlan}. One function, because it is the order of the stages. */
export function findDifferences(input: PlanInput) {
  const { desired, live, options, only } = input;
  const { drafts, labels, tasks, unchanged } = compareAll(input);
  const selected = selectDrafts(drafts, options, only?.exclude).toSorted((a, b) =>
    byAddress(a.change, b.change),
  );
  const holders = targetHolders(input);
  const ordered = orderDrafts({ selected, all: drafts, live, project: desired, holders });
  const { changes: drafted, operations: steps } = operationsOf(ordered);
  const secrets = secretPaths(desired, input.furtherSecrets);
  const selection = new Set(selected);
  const unselected = drafts.filter((draft) => !selection.has(draft)).map(({ change }) => change);
  const stakes = stakesOf({
    live,
    labels,
    changes: drafted,
    unselected,
    operations: steps,
    steady: tasks.steady,
    secrets,
  });
  const changes = markSecrets(drafted, secrets, stakes);
  const operations = inTurn(changes, steps);
  const observations = hideObserved(sortObservations(tasks.observations), secrets);
  const warnings = [...tasks.diagnostics, ...ordered.flatMap((draft) => draft.warnings)];
  return {
    ...{ input, drafts, tasks, unchanged, unselected, secrets, stakes },
    ...{ changes, operations, observations, warnings },
  };
}

/** The second half of {@link makePlan}: the document, its digest, and what the guardrails say. */
export function planOf(found: Differences): Plan {
  const { input, drafts, tasks, unselected, secrets, stakes, changes, operations, observations } = found;
  const { desired, live, options, only } = input;
  const leftOut = unselected.filter(
    ({ address, action }) => action !== 'none' && only?.exclude.has(address) !== true,
  ).length;
  const planned = new Set(changes.map(({ address }) => address));
  // A label that was to be left, and that a task of the plan needs, is created all the same.
  const left = only?.left.filter(({ address, text }) => text === null || !planned.has(address));
  // Addresses that are as wanted only because what differs is left.
  const kept = left?.filter(({ address, text }) => text === null && !planned.has(address)) ?? [];
  const plan = withDigests({
    ...headerOf(input, leftOut),
    ...given({ only: only && 'pending', left }),
    complete: live.complete,
    summary: summarise(changes, observations, found.unchanged - kept.length),
    exposure: totalExposure(stakes, observations, live, changes),
    changes,
    observations,
    operations,
    diagnostics: [
      ...freezeWarnings(live.labels.filter(freezesOf(desired, live.tasks, changes)), changes),
      ...input.diagnostics,
      ...found.warnings,
      ...viewWarnings(input, observations),
      ...projectWarnings(input, tasks.left),
      ...scopeWarnings(operations, live.account.scopes),
      ...unknownSelectors(input, drafts, changes),
      ...refusals(input, changes, operations, [...tasks.orphans, ...tasks.left]),
    ],
    digest: '',
  });
  // After the digest, which --override names: no guardrail and no override changes what the plan is.
  const { diagnostics, overrides } = judge(
    judgedPlan(plan, desired, live, stakes, secrets),
    input.guardrails,
    plan.digest,
    options.overrides,
    input.baseRules?.guardrails,
    input.inJob,
  );
  plan.diagnostics.push(...diagnostics);
  if (overrides.length > 0) plan.overrides = [...overrides];
  return plan;
}

/** Every difference as a draft, before selection and order. */
function compareAll(input: PlanInput) {
  const { desired, live, options, only } = input;
  // No manifest renames or deletes what freezes the account.
  const seen = { ...live, labels: live.labels.filter((label) => !isFreeze(label)) };
  const named = planNamed([...desired.labels, ...desired.templates], [...seen.labels, ...live.templates]);
  const removed = planRemovals(desired, seen, named.claimed);
  const limited = withinLimits(afterRemovals(named.drafts, removed), live, removed);
  const labels = labelBook(desired.labels, { ...named, drafts: limited }, live);
  const context: TaskContext = {
    project: desired.project,
    labels,
    settle: desired.settle,
    versions: versionsOf(input),
    resume: resumePolicy(desired, options, only?.stay),
  };
  const tasks: TaskPlan = planTasks(input, context);
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
    number,
    renews: (address) => only?.renewed.has(address) === true,
  };
}

/** Project, service, commit and selection of a plan. `leftOut`: how many changes the selection leaves out. */
function headerOf({ desired, live, source, options, ...input }: PlanInput, leftOut: number) {
  const { targets, excludes, resumeStopped, allowEmpty, takeOver } = options;
  const besides = given({
    resume_stopped: resumeStopped === 'all' || (resumeStopped === 'none' ? undefined : [...resumeStopped]),
    allow_empty: allowEmpty || undefined,
    take_over: takeOver.length === 0 ? undefined : [...takeOver],
  });
  const { token_prefix, login_username } = live.account;
  return {
    format: PLAN_FORMAT,
    tool: { name: 'tradeform' as const, version: input.toolVersion },
    created_at: input.createdAt,
    project: desired.project,
    ...given({ previous_project: desired.previousProject }),
    environment: desired.environment,
    service: { base_url: input.baseUrl, token_prefix, login_username },
    settle: { ...desired.settle },
    ...(input.baseRules === undefined ? {} : { rules_changed: [...input.baseRules.changes] }),
    source: {
      commit: source.commit,
      dirty: source.dirty,
      manifests_digest: source.manifestsDigest,
      ...(source.number === undefined
        ? {}
        : { number: Math.max(source.number, newestNumber(desired, live)) }),
    },
    ...(targets.length === 0 && excludes.length === 0
      ? {}
      : {
          selection: {
            ...{ targets: [...targets], excludes: [...excludes] },
            ...given({ left_out: leftOut || undefined }),
          },
        }),
    ...(Object.keys(besides).length === 0 ? {} : { options: besides }),
  };
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
  const counted = BY_WEIGHT.filter((action) => action !== 'none' && action !== 'take-over');
  const counts = Object.fromEntries(counted.map((action) => [action, having(action)]));
  return {
    ...(takenOver === 0 ? {} : { take_over: takenOver }),
    ...(counts as Pick<Plan['summary'], (typeof counted)[number]>),
    held: changes.filter(({ held }) => held).length,
    blocked: changes.filter(({ blocked }) => blocked !== null).length,
    unmanaged: observations.filter((item) => item.class === 'unmanaged').length,
    foreign: observations.filter((item) => item.class === 'foreign').length,
    unchanged,
  };
}
