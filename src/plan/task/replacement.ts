import type { DesiredTask } from '../../desired/state.ts';
import type { Change, PlanDiagnostic } from '../../model/generated/plan.ts';
import { kindOf, type TaskKind } from '../../model/kind.ts';
import type { LiveTask } from '../../model/resource.ts';
import { blockDraft, type Draft, draftOf, type Mark, StepChain } from '../draft.ts';
import { identityFields } from '../identity/marker-change.ts';
import type { OwnedTask } from '../identity/task-match.ts';
import { tradingOf } from '../stakes/exposure.ts';
import { offMark, runsAfter, type SwitchPlan } from '../switch/decide-switch.ts';
import { requiredLabels, stateFields, weightiestFirst } from './change-in-place.ts';
import { compareTask, field, type Wanted, wantedOf } from './compare-task.ts';
import { createBody } from './creation.ts';
import { RemarkWriter } from './patch.ts';
import { isBuyOnce, type MarkedTask, switchOf, type TaskContext } from './task-context.ts';
import { mayBuyAgain, oneWayPause, remembersBuys } from './warnings.ts';

/**
 * The target wallet changed, and a target cannot be patched (DESIGN 3, "Replacement"): create the new task paused, mark
 * and pause the present one, settle, delete it, resume the new one.
 */
export function replaceTask(desired: DesiredTask, present: OwnedTask, context: TaskContext): Draft {
  const kind = kindOf(desired.collection);
  const subject: MarkedTask = present;
  const plan = switchOf(desired, subject, context);
  const wanted = wantedOf(desired, undefined, context.labels);
  const remarks = new RemarkWriter(desired, wanted);
  const mark = newMark(plan, present.task);
  const chain = new StepChain(kind, desired.address);
  chain.create(createBody(kind, desired, wanted, remarks.symbol(mark, present.task.id)));
  retire(chain, present.task, context, remarks, mark === 'pending');
  finishStart(chain, 'created', desired, mark, remarks);
  const draft = replacementDraft({ desired, present, plan, wanted, kind, chain, context });
  return { ...draft, withoutRoom: () => replaceWithoutRoom(desired, present, plan, wanted, context) };
}

/** No room for both at once: mark, pause, delete, create, resume. Refused for a held task: nothing would remember the hold. */
function replaceWithoutRoom(
  desired: DesiredTask,
  present: OwnedTask,
  plan: SwitchPlan,
  wanted: Wanted,
  context: TaskContext,
): Draft {
  const kind = kindOf(desired.collection);
  const remarks = new RemarkWriter(desired, wanted);
  const chain = new StepChain(kind, desired.address);
  if (typeof offMark(plan) === 'object' || plan.type === 'held') {
    const draft = replacementDraft({ desired, present, plan, wanted, kind, chain, context });
    const text = `There is no room for the new task beside the present one (the quota is full, or tasks wait for each other’s targets), and somebody stopped the present one: deleting it first would forget that. Free a place; or say which it shall be: --resume-stopped ${desired.address} starts the new one, state: paused in the manifest leaves it off.`;
    return blockDraft(draft, 'no-room', text, [present.task.id]);
  }
  const mark = newMark(plan, present.task);
  retire(chain, present.task, context, remarks, mark === 'pending');
  chain.create(createBody(kind, desired, wanted, remarks.symbol(mark)));
  finishStart(chain, 'created', desired, mark, remarks);
  const draft = replacementDraft({ desired, present, plan, wanted, kind, chain, context });
  const gap: PlanDiagnostic = {
    severity: 'warning',
    code: 'replacement-gap',
    address: desired.address,
    message: `There is no room for both tasks of ${desired.address}: the present one is deleted before the new one exists.`,
  };
  return { ...draft, warnings: [...draft.warnings, gap] };
}

/** The mark of the new task: pending where it is to run, and what the present one is kept off by. */
function newMark(plan: SwitchPlan, present: LiveTask): Mark {
  return runsAfter(plan, present.is_active) ? 'pending' : offMark(plan);
}

/**
 * Takes a task out of the world: mark, pause, settle where it runs, then delete. Where it is paused, and another one starts
 * in its place, the pause may be so recent that nodes still act on the state before it (HAZARDS 7).
 */
export function retire(
  chain: StepChain,
  task: LiveTask,
  context: TaskContext,
  remarks: RemarkWriter,
  anotherStarts: boolean,
): void {
  if (task.is_active) {
    const buyOnce = isBuyOnce(task.config);
    if (!buyOnce) chain.mark(task, remarks.symbol('pending'));
    chain.pause(task, context.settle.replace, buyOnce);
  }
  chain.delete(task, anotherStarts ? settleLeft(task, context) : 0);
}

/** A minute of slack: the service's clock and ours need not agree. */
const CLOCK_SLACK = 60_000;

/**
 * Milliseconds to wait for a task that may have been paused only just now; 0 for one that runs, whose pause is waited for, and
 * for one that is as it was created: paused.
 */
export function settleLeft(task: LiveTask, { now, settle }: TaskContext): number {
  const age = now - Date.parse(task.updated_at);
  const past = task.version === 1 || age > settle.replace + CLOCK_SLACK;
  return task.is_active || past ? 0 : settle.replace;
}

function finishStart(
  chain: StepChain,
  on: LiveTask | 'created',
  desired: DesiredTask,
  mark: Mark,
  remarks: RemarkWriter,
): void {
  if (mark !== 'pending') return;
  chain.resume(on);
  if (desired.state === 'manual') chain.patch(on, { remark: remarks.symbol('none') });
}

interface ReplacementParts {
  readonly desired: DesiredTask;
  readonly present: OwnedTask;
  readonly plan: SwitchPlan;
  readonly wanted: Wanted;
  readonly kind: TaskKind;
  readonly chain: StepChain;
  readonly context: TaskContext;
}

function replacementDraft({ desired, present, plan, wanted, kind, chain, context }: ReplacementParts): Draft {
  const { task, marker } = present;
  const trading = tradingOf(
    kind,
    task.is_active ? task.config : undefined,
    runsAfter(plan, task.is_active) ? wanted.config : undefined,
  );
  const difference = compareTask(kind, desired, wanted, present, context.labels);
  const renamed = marker.name !== desired.name;
  const actions: Change['actions'] = ['replace'];
  if (renamed || marker.project !== context.project) actions.push('rename');
  if (trading.starts_trading) actions.push(plan.type === 'finish' ? 'finish' : 'start');
  if (trading.stops_trading) actions.push('stop');
  return draftOf(
    desired,
    task,
    {
      previous_address: renamed ? `${desired.collection}/${marker.name}` : null,
      id: null,
      replaces_id: task.id,
      actions: weightiestFirst(actions),
      reason: 'target-changed',
      ...trading,
      held: plan.type === 'held',
      fields: [
        field(desired, 'target_wallet', task.target_wallet, desired.target_wallet),
        ...stateFields(desired, trading),
        ...identityFields(desired, { ...marker, name: desired.name }, context.project),
        ...difference.fields,
        ...difference.legacyFields,
      ],
    },
    {
      steps: chain.steps,
      warnings: [
        ...(task.is_active && difference.legacy ? [oneWayPause(desired.address)] : []),
        ...(remembersBuys(wanted.config) ? [mayBuyAgain(desired.address)] : []),
      ],
      requires: requiredLabels(wanted, { label: true }),
      ...(kind.uniqueTarget
        ? { takesTarget: desired.target_wallet, freesTargets: [task.target_wallet] }
        : {}),
    },
  );
}
