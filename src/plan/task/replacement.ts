import type { DesiredTask } from '../../desired/state.ts';
import { warning } from '../../diagnostics/diagnostic.ts';
import type { Change } from '../../model/generated/plan.ts';
import type { Marker } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { isFirstVersion } from '../../model/versions.ts';
import { blockDraft, type Draft, draftOf, type Mark, StepChain } from '../draft.ts';
import type { OwnedTask } from '../identity/task-match.ts';
import { offMark, runsAfter, type SwitchPlan } from '../switch/decide-switch.ts';
import { requiredLabels, stateFields, tradingAfter, weightiestFirst } from './change-in-place.ts';
import { field, identityFields, wantedOf } from './compare-task.ts';
import { createBody } from './creation.ts';
import { type ComparedTask, comparedTask, markAndPause, remarkFor } from './patch.ts';
import type { TaskContext } from './task-context.ts';
import { deleteRunning, mayBuyAgain, oneWayPause, remembersBuys } from './warnings.ts';

/**
 * The target wallet changed, and a target cannot be patched (DESIGN 3, "Replacement"): create the new task paused, mark
 * and pause the present one, settle, delete it, resume the new one.
 */
export function replaceTask(desired: DesiredTask, present: OwnedTask, context: TaskContext): Draft {
  const compared = comparedTask(desired, present, context, wantedOf(desired, undefined, context.labels));
  const { chain, plan, task } = compared;
  const mark = newMark(plan, task);
  chain.create(createBody(compared, mark, task.id));
  retire(compared, present, mark === 'pending');
  finishStart(compared, mark);
  return {
    ...replacementDraft(compared, present.marker),
    withoutRoom: () => replaceWithoutRoom({ ...compared, chain: new StepChain(desired.address) }, present),
  };
}

/** No room for both at once: mark, pause, delete, create, resume. Refused for a held task: nothing would remember the hold. */
function replaceWithoutRoom(compared: ComparedTask, present: OwnedTask): Draft {
  const { plan, desired, chain } = compared;
  const { task, marker } = present;
  if (typeof offMark(plan) === 'object' || plan.type === 'held') {
    const text = `There is no room for the new task beside the present one (the quota is full, or tasks wait for each other’s targets). Somebody stopped the present one, and deleting it first would lose that information. Free a place, or decide: --resume-stopped ${desired.address} starts the new one, state: paused in the manifest leaves it off.`;
    return blockDraft(replacementDraft(compared, marker), 'no-room', text, [task.id]);
  }
  const mark = newMark(plan, task);
  retire(compared, present, mark === 'pending');
  chain.create(createBody(compared, mark));
  finishStart(compared, mark);
  const draft = replacementDraft(compared, marker);
  const { address } = desired;
  const message = `There is no room for both tasks of ${address}: the present one is deleted before the new one is created.`;
  const gap = warning('replacement-gap', message, undefined, { address });
  return { ...draft, warnings: [...draft.warnings, gap] };
}

/** The mark of the new task: pending if it is to run, and the mark that keeps the present one off. */
function newMark(plan: SwitchPlan, present: LiveTask): Mark {
  return runsAfter(plan, present.is_active) ? 'pending' : offMark(plan);
}

/**
 * Deletes a task: mark, pause and settle if it runs, then delete. If it is already paused and another task starts in
 * its place, the pause may be so recent that nodes still act on the former state (HAZARDS 7).
 */
export function retire(
  compared: Pick<ComparedTask, 'chain' | 'desired' | 'context'>,
  { task, note, marker: { version } }: OwnedTask,
  anotherStarts: boolean,
): void {
  const { chain, context } = compared;
  if (task.is_active) markAndPause({ ...compared, version }, { task, note }, context.settle.replace);
  chain.delete(task, anotherStarts ? settleLeft(task, context) : 0);
}

/**
 * Milliseconds to wait for a task that is paused: nobody knows whether only a moment ago. 0 for a running task, which is waited
 * for after its pause, and for a task that was never started.
 */
export function settleLeft(task: LiveTask, { settle }: TaskContext): number {
  return task.is_active || isFirstVersion(task) ? 0 : settle.replace;
}

function finishStart(compared: ComparedTask, mark: Mark): void {
  if (mark !== 'pending') return;
  compared.chain.resume('created');
  if (compared.desired.state === 'manual')
    compared.chain.patch('created', { remark: remarkFor(compared, 'none') });
}

function replacementDraft(compared: ComparedTask, marker: Marker): Draft {
  const { desired, task, plan, wanted, chain, context, difference } = compared;
  const trading = tradingAfter(compared);
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
        ...(task.is_active ? [deleteRunning(desired.address, 'replaced')] : []),
        ...(task.is_active && difference.legacy ? [oneWayPause(desired.address)] : []),
        ...(remembersBuys(wanted.config) ? [mayBuyAgain(desired.address)] : []),
      ],
      requires: requiredLabels(wanted, { label: true }),
      takesTarget: desired.target_wallet,
      freesTargets: [task.target_wallet],
    },
  );
}
