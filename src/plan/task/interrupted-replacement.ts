import type { DesiredTask } from '../../desired/state.ts';
import { isMadeOff, type Off } from '../../model/armed.ts';
import type { Change } from '../../model/generated/plan.ts';
import { kindOf, type TaskKind } from '../../model/kind.ts';
import type { Marker } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { type Draft, draftOf, type Mark, StepChain } from '../draft.ts';
import { identityFields } from '../identity/marker-change.ts';
import type { OwnedTask, ReplacementPair } from '../identity/task-match.ts';
import { tradingOf } from '../stakes/exposure.ts';
import { offMark, runsAfter } from '../switch/decide-switch.ts';
import { inherited } from '../switch/off-marks.ts';
import { changeInPlace, requiredLabels, stateFields, weightiestFirst } from './change-in-place.ts';
import { compareTask, field, wantedOf } from './compare-task.ts';
import { patchBody, RemarkWriter } from './patch.ts';
import { replaceTask, retire, settleLeft } from './replacement.ts';
import { switchOf, type TaskContext } from './task-context.ts';

/** A replacement that an earlier run left part-way: finished where the new task's target is still wanted, else undone. */
export function finishPair(desired: DesiredTask, pair: ReplacementPair, context: TaskContext): Draft {
  return pair.successor.task.target_wallet === desired.target_wallet
    ? completePair(desired, pair, context)
    : undoPair(desired, pair, context);
}

/**
 * Retires the present task, then treats the new one as if it stood alone; its `~` goes with its next patch, never before
 * the present one is gone. Where somebody stopped the present task, the new one is made to remember that first.
 */
function completePair(
  desired: DesiredTask,
  { successor, predecessor }: ReplacementPair,
  context: TaskContext,
): Draft {
  const kind = kindOf(desired.collection);
  const present = predecessor.task;
  const next = successor.task;
  const presentPlan = switchOf(desired, predecessor, context);
  const presentRuns = runsAfter(presentPlan, present.is_active);
  const nextRuns = runsAfter(switchOf(desired, successor, context), next.is_active);
  const forbidden = !next.is_active && nextRuns && !presentRuns;
  const bothStay = !presentRuns && !nextRuns && !next.is_active;
  const heir = bothStay ? takenOver(desired, predecessor, successor) : undefined;
  const kept = forbidden ? offMark(presentPlan) : heir;
  const revived = !nextRuns && isRevived(desired, successor, present);
  const activeAfter = revived || (nextRuns && !forbidden);
  const wanted = wantedOf(desired, successor, context.labels);
  const difference = compareTask(kind, desired, wanted, successor, context.labels);
  const remarks = new RemarkWriter(desired, wanted);
  const chain = new StepChain(kind, desired.address);
  const alone = changeInPlace(desired, successor, context, { actions: [], reason: undefined });
  const body = (mark: Mark) =>
    patchBody(kind, wanted, difference, remarks.symbol(mark, present.id), difference.legacy);
  if (kept !== undefined) chain.patch(next, body(kept));
  if (revived) chain.patch(next, body('pending'));
  retire(chain, present, context, remarks, !next.is_active && activeAfter);
  if (revived) chain.resume(next);
  const running = [present, next].find(({ is_active }) => is_active);
  const trading = tradingOf(kind, running?.config, activeAfter ? wanted.config : undefined);
  const actions: Change['actions'] = ['replace'];
  const named = identityFields(
    desired,
    formerMarker({ successor, predecessor }, desired, context),
    context.project,
  );
  if (named.length > 0) actions.push('rename');
  if (trading.starts_trading) actions.push('finish');
  if (trading.stops_trading) actions.push('stop');
  return draftOf(
    desired,
    present,
    {
      id: next.id,
      replaces_id: present.id,
      actions: weightiestFirst(actions),
      reason: 'replacement-in-progress',
      ...trading,
      held: desired.state === 'active' && !activeAfter,
      fields: [
        field(desired, 'target_wallet', present.target_wallet, desired.target_wallet),
        ...stateFields(desired, trading),
        ...named,
        ...difference.fields,
      ],
      successor: { ...next },
    },
    {
      steps: kept !== undefined || revived ? chain.steps : [...chain.steps, ...(alone?.steps ?? [])],
      warnings: alone?.warnings ?? [],
      requires: requiredLabels(wanted, difference),
      ...(kind.uniqueTarget ? { freesTargets: [present.target_wallet] } : {}),
    },
  );
}

/** The project that the pair's markers still name, where one does: what the task was called is told with its replacement. */
function formerMarker(
  { successor, predecessor }: ReplacementPair,
  { name }: DesiredTask,
  { project }: TaskContext,
): Marker | undefined {
  const former = [predecessor.marker, successor.marker].find((marker) => marker.project !== project);
  return former === undefined ? undefined : { ...former, name };
}

/** The form of a former task that is stopped goes to the new one, which stays off as well. */
function takenOver({ state }: DesiredTask, predecessor: OwnedTask, successor: OwnedTask): Off | undefined {
  if (state === 'paused') return undefined;
  return inherited(predecessor.marker.armed, successor.marker.armed);
}

/** The new task was made to remember a stop, as created or by one patch, and somebody has started the present one since. */
function isRevived(desired: DesiredTask, { task, marker }: OwnedTask, present: LiveTask): boolean {
  if (desired.state !== 'active' || task.is_active || !present.is_active) return false;
  return isMadeOff(marker.armed, task.version);
}

/** The new task has a target that is no longer wanted: it goes, and the present one is planned as if it stood alone. */
function undoPair(
  desired: DesiredTask,
  { successor, predecessor }: ReplacementPair,
  context: TaskContext,
): Draft {
  const kind = kindOf(desired.collection);
  const base =
    predecessor.task.target_wallet === desired.target_wallet
      ? changeInPlace(desired, predecessor, context, { actions: [], reason: undefined })
      : replaceTask(desired, predecessor, context);
  const chain = new StepChain(kind, desired.address);
  // As when a task is retired: what starts afterwards must not start beside this one.
  const anotherStarts = base?.steps.some(({ verb }) => verb === 'resume') === true;
  const { update, replace } = context.settle;
  if (successor.task.is_active)
    chain.pause(successor.task, anotherStarts ? Math.max(update, replace) : update);
  chain.delete(successor.task, anotherStarts ? settleLeft(successor.task, context) : 0);
  const join = (draft: Draft): Draft => ({
    ...draft,
    ...(kind.uniqueTarget
      ? { freesTargets: [...(draft.freesTargets ?? []), successor.task.target_wallet] }
      : {}),
    change: {
      ...draft.change,
      action: 'replace',
      actions: weightiestFirst(['replace', ...draft.change.actions.filter((action) => action !== 'none')]),
      reason: 'replacement-in-progress',
      successor: { ...successor.task },
    },
    steps: [...chain.steps, ...draft.steps],
  });
  if (base === undefined) return join(unchangedDraft(desired, predecessor, kind));
  const { withoutRoom } = base;
  return {
    ...join(base),
    ...(withoutRoom === undefined ? {} : { withoutRoom: () => join(withoutRoom()) }),
  };
}

function unchangedDraft(desired: DesiredTask, { task }: OwnedTask, kind: TaskKind): Draft {
  const running = task.is_active ? task.config : undefined;
  return draftOf(desired, task, {
    actions: ['none'],
    reason: 'unchanged',
    ...tradingOf(kind, running, running),
  });
}
