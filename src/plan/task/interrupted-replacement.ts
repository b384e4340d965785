import type { DesiredTask } from '../../desired/state.ts';
import { isMadeOff, type Off } from '../../model/armed.ts';
import type { Change } from '../../model/generated/plan.ts';
import { kindOf, type TaskKind } from '../../model/kind.ts';
import type { Marker } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { type Draft, draftOf, StepChain } from '../draft.ts';
import type { OwnedTask, ReplacementPair } from '../identity/task-match.ts';
import { tradingOf } from '../stakes/exposure.ts';
import { offMark, runsAfter } from '../switch/decide-switch.ts';
import { inherited } from '../switch/off-marks.ts';
import { changeInPlace, requiredLabels, stateFields, weightiestFirst } from './change-in-place.ts';
import { compareTask, field, identityFields } from './compare-task.ts';
import { type ComparedTask, comparedTask, patchBody } from './patch.ts';
import { replaceTask, retire, settleLeft } from './replacement.ts';
import { switchOf, type TaskContext } from './task-context.ts';

/**
 * Continues a replacement that an earlier run left part-way: completed if the new task's target is still wanted,
 * otherwise undone.
 */
export function finishPair(desired: DesiredTask, pair: ReplacementPair, context: TaskContext): Draft {
  return pair.successor.task.target_wallet === desired.target_wallet
    ? completePair(desired, pair, context)
    : undoPair(desired, pair, context);
}

/**
 * Retires the present task, then treats the new one as if it existed alone. The `~` of the new task is removed with its next
 * patch, never before the present task is gone. If somebody stopped the present task, this is first recorded in the new task's
 * mark.
 */
function completePair(desired: DesiredTask, pair: ReplacementPair, context: TaskContext): Draft {
  const { successor, predecessor } = pair;
  const present = predecessor.task;
  const compared = comparedTask(desired, successor, context);
  const { task: next, kind, wanted, difference, chain } = compared;
  const { kept, revived, activeAfter } = switchOfPair(compared, pair);
  const alone = changeInPlace(desired, successor, context);
  const mark = revived ? 'pending' : kept;
  if (mark !== undefined) chain.patch(next, patchBody(compared, mark, difference.legacy, present.id));
  retire(compared, predecessor, !next.is_active && activeAfter);
  if (revived) chain.resume(next);
  const running = [present, next].find(({ is_active }) => is_active);
  // What trades now is the present one: the completion is shown and judged as the whole replacement.
  const { fields } = compareTask(kind, desired, wanted, predecessor, context.labels);
  const shown = new Set(fields.map(({ path }) => path));
  const trading = tradingOf(kind, running?.config, activeAfter ? wanted.config : undefined);
  const named = identityFields(desired, formerMarker(pair, desired, context), context.project);
  const actions: Change['actions'] = ['replace'];
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
        ...fields,
        ...difference.fields.filter(({ path }) => !shown.has(path)),
      ],
      successor: { ...next },
    },
    {
      steps: mark === undefined ? [...chain.steps, ...(alone?.steps ?? [])] : chain.steps,
      warnings: alone?.warnings ?? [],
      requires: requiredLabels(wanted, difference),
      freesTargets: [present.target_wallet],
    },
  );
}

/**
 * `kept`: the mark that makes the new task stay off as the present one did. `revived`: the new task's mark records a stop, but the
 * present one was started since, so the new task is started in its place.
 */
function switchOfPair(
  { desired, context, task: next, plan }: ComparedTask,
  { successor, predecessor }: ReplacementPair,
) {
  const present = predecessor.task;
  const presentPlan = switchOf(desired, predecessor, context);
  const presentRuns = runsAfter(presentPlan, present.is_active);
  const nextRuns = runsAfter(plan, next.is_active);
  const forbidden = !next.is_active && nextRuns && !presentRuns;
  const bothStay = !presentRuns && !nextRuns && !next.is_active;
  const heir = bothStay ? takenOver(desired, predecessor, successor) : undefined;
  const revived = !nextRuns && isRevived(desired, successor, present);
  return {
    kept: forbidden ? offMark(presentPlan) : heir,
    revived,
    activeAfter: revived || (nextRuns && !forbidden),
  };
}

/** The former project name in the pair's markers, if any. The former name of the task is shown with its replacement. */
function formerMarker(
  { successor, predecessor }: ReplacementPair,
  { name }: DesiredTask,
  { project }: TaskContext,
): Marker | undefined {
  const former = [predecessor.marker, successor.marker].find((marker) => marker.project !== project);
  return former === undefined ? undefined : { ...former, name };
}

/** The mark of a stopped former task moves to the new task, which stays off as well. */
function takenOver({ state }: DesiredTask, predecessor: OwnedTask, successor: OwnedTask): Off | undefined {
  if (state === 'paused') return undefined;
  return inherited(predecessor.marker.armed, successor.marker.armed);
}

/** The new task's mark records a stop, since its creation or after one patch, and somebody has started the present task since. */
function isRevived(desired: DesiredTask, { task, marker }: OwnedTask, present: LiveTask): boolean {
  if (desired.state !== 'active' || task.is_active || !present.is_active) return false;
  return isMadeOff(marker.armed, task.version);
}

/** The new task has a target that is no longer wanted: it is deleted, and the present one is planned as if it existed alone. */
function undoPair(
  desired: DesiredTask,
  { successor, predecessor }: ReplacementPair,
  context: TaskContext,
): Draft {
  const kind = kindOf(desired.collection);
  const base =
    predecessor.task.target_wallet === desired.target_wallet
      ? changeInPlace(desired, predecessor, context)
      : replaceTask(desired, predecessor, context);
  const chain = new StepChain(desired.address);
  // As in a retirement: a task that starts afterwards must not start beside this one.
  const anotherStarts = base?.steps.some(({ verb }) => verb === 'resume') === true;
  const { update, replace } = context.settle;
  if (successor.task.is_active)
    chain.pause(successor.task, anotherStarts ? Math.max(update, replace) : update);
  chain.delete(successor.task, anotherStarts ? settleLeft(successor.task, context) : 0);
  const join = (draft: Draft): Draft => ({
    ...draft,
    freesTargets: [...(draft.freesTargets ?? []), successor.task.target_wallet],
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
  return { ...join(base), ...(withoutRoom === undefined ? {} : { withoutRoom: () => join(withoutRoom()) }) };
}

function unchangedDraft(desired: DesiredTask, { task }: OwnedTask, kind: TaskKind): Draft {
  const running = task.is_active ? task.config : undefined;
  return draftOf(desired, task, {
    actions: ['none'],
    reason: 'unchanged',
    ...tradingOf(kind, running, running),
  });
}
