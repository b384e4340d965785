import type { DesiredTask } from '../../desired/state.ts';
import { warning } from '../../diagnostics/diagnostic.ts';
import { isMadeOff, isOff, isUnmarked, type Mark, type Off } from '../../model/armed.ts';
import type { Change } from '../../model/generated/plan.ts';
import type { JsonObject } from '../../model/json.ts';
import { kindOf, type TaskKind } from '../../model/kind.ts';
import type { Marker } from '../../model/marker.ts';
import { partsIn } from '../../model/parts.ts';
import type { LiveTask } from '../../model/resource.ts';
import { isFirstVersion } from '../../model/versions.ts';
import { weightiestFirst } from '../actions.ts';
import { blockDraft, type Draft, draftOf, StepChain, type Trading } from '../draft.ts';
import type { OwnedTask, ReplacementPair } from '../identity/task-match.ts';
import { offMark, runsAfter, type SwitchPlan } from '../switch/decide-switch.ts';
import { inherited } from '../switch/off-marks.ts';
import { changeInPlace, requiredLabels, stateFields, tradingAfter, tradingOf } from './change-in-place.ts';
import { compareTask, createdFields, field, identityFields, labelValue, wantedOf } from './compare-task.ts';
import { type ComparedTask, comparedTask, markAndPause, patchBody, remarkFor, start } from './patch.ts';
import { switchOf, type TaskContext, writtenVersion } from './task-context.ts';
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
  if (mark === 'pending') start(compared, 'created');
  return {
    ...replacementDraft(compared, present.marker),
    withoutRoom: () => replaceWithoutRoom({ ...compared, chain: new StepChain(desired.address) }, present),
  };
}

/** No room for both at once: mark, pause, delete, create, resume. Refused for a held task: nothing would remember the hold. */
function replaceWithoutRoom(compared: ComparedTask, present: OwnedTask): Draft {
  const { plan, desired, chain } = compared;
  const { task, marker } = present;
  if (isOff(offMark(plan)) || plan.type === 'held') {
    const text = `There is no room for the new task beside the present one (the quota is full, or tasks wait for each other’s targets). Somebody stopped the present one, and deleting it first would lose that information. Free a place if the quota is full, or decide: --resume-stopped ${desired.address} starts the new one, state: paused in the manifest leaves it off.`;
    return blockDraft(replacementDraft(compared, marker), 'no-room', text, [task.id]);
  }
  const mark = newMark(plan, task);
  retire(compared, present, mark === 'pending');
  chain.create(createBody(compared, mark));
  if (mark === 'pending') start(compared, 'created');
  const draft = replacementDraft(compared, marker);
  const { address } = desired;
  const message = `There is no room for both tasks of ${address}: the present one is deleted before the new one is created.`;
  const gap = warning('replacement-gap', message, undefined, { address });
  return { ...draft, warnings: [...draft.warnings, gap] };
}

function newMark(plan: SwitchPlan, present: LiveTask): Mark {
  return runsAfter(plan, present.is_active) ? 'pending' : offMark(plan);
}

/**
 * Deletes a task: mark, pause and settle if it runs, then delete. If it is already paused and another task starts in
 * its place, the pause may be so recent that nodes still act on the former state (HAZARDS 7).
 */
function retire(
  compared: Pick<ComparedTask, 'chain' | 'desired' | 'context'>,
  { task, marker: { version } }: OwnedTask,
  anotherStarts: boolean,
): void {
  const { chain, context } = compared;
  if (task.is_active) markAndPause({ ...compared, version }, task, context.settle.replace);
  chain.delete(task, anotherStarts ? settleLeft(task, context) : 0);
}

/**
 * Milliseconds to wait for a task that is paused: nobody knows whether only a moment ago. 0 for a running task, which is waited
 * for after its pause, and for a task that was never started.
 */
function settleLeft(task: LiveTask, { settle }: TaskContext): number {
  return task.is_active || isFirstVersion(task) ? 0 : settle.replace;
}

function replacementDraft(compared: ComparedTask, marker: Marker): Draft {
  const { desired, task, plan, wanted, chain, context, difference } = compared;
  const trading = tradingAfter(compared);
  const renamed = marker.name !== desired.name;
  const renames = renamed || marker.project !== context.project;
  return draftOf(
    desired,
    task,
    {
      previous_address: renamed ? `${desired.collection}/${marker.name}` : null,
      id: null,
      replaces_id: task.id,
      actions: replacing(renames, trading, plan.type === 'finish' ? 'finish' : 'start'),
      reason: 'target-changed',
      ...trading,
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

function replacing(renames: boolean, trading: Trading, start: 'start' | 'finish'): Change['actions'] {
  return weightiestFirst([
    'replace',
    ...(renames ? (['rename'] as const) : []),
    ...(trading.starts_trading ? [start] : []),
    ...(trading.stops_trading ? (['stop'] as const) : []),
  ]);
}

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
  if (revived) start(compared, next);
  // What trades now is the present one: the completion is shown and judged as the whole replacement.
  const { fields } = compareTask(kind, desired, wanted, present, context.labels);
  const shown = new Set(fields.map(({ path }) => path));
  const trading = tradingOf(
    kind,
    [present, next],
    activeAfter ? wanted.config : undefined,
    desired.state === 'active' && !activeAfter,
  );
  const named = identityFields(desired, formerMarker(pair, desired, context), context.project);
  return draftOf(
    desired,
    present,
    {
      id: next.id,
      replaces_id: present.id,
      actions: replacing(named.length > 0, trading, 'finish'),
      reason: 'replacement-in-progress',
      ...trading,
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
  if (desired.state === 'paused' || task.is_active || !present.is_active) return false;
  // The new task of a manual one that stood still has no mark.
  const unmarked = desired.state === 'manual' && isUnmarked(marker.armed) && isFirstVersion(task);
  return unmarked || isMadeOff(marker.armed, task.version);
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
  const both = tradingOf(kind, [predecessor.task, successor.task], undefined);
  const join = (draft: Draft): Draft => {
    const shown = { ...draft.change, successor: { ...successor.task } };
    const { actions, exposure, fields } = shown;
    const { before } = both.exposure;
    if (shown.blocked !== null) {
      const { text, ids } = shown.blocked;
      return blockDraft({ change: { ...shown, exposure: both.exposure } }, shown.reason, text, ids);
    }
    // What is deleted here may be all that trades.
    const moves = shown.starts_trading || shown.stops_trading;
    const stops = !moves && !predecessor.task.is_active && both.stops_trading;
    const more: Change['actions'] = stops ? ['replace', 'stop'] : ['replace'];
    return {
      ...draft,
      freesTargets: [...(draft.freesTargets ?? []), successor.task.target_wallet],
      change: {
        ...(stops ? { ...shown, ...STOPS } : shown),
        action: 'replace',
        actions: weightiestFirst([...more, ...actions.filter((action) => action !== 'none')]),
        reason: 'replacement-in-progress',
        exposure: { ...exposure, before },
        fields: [...fields, ...(stops ? stateFields(desired, STOPS) : [])],
      },
      steps: [...chain.steps, ...draft.steps],
    };
  };
  if (base === undefined) return join(unchangedDraft(desired, predecessor, kind));
  const { withoutRoom } = base;
  return { ...join(base), ...(withoutRoom === undefined ? {} : { withoutRoom: () => join(withoutRoom()) }) };
}

const STOPS = { starts_trading: false, stops_trading: true } as const;

function unchangedDraft(desired: DesiredTask, { task }: OwnedTask, kind: TaskKind): Draft {
  return draftOf(desired, task, {
    actions: ['none'],
    reason: 'unchanged',
    ...tradingOf(kind, [task], task.is_active ? task.config : undefined),
  });
}

/** The body that creates a desired task; the service always creates it paused. */
function createBody(
  { kind, desired, wanted, version }: Pick<ComparedTask, 'kind' | 'desired' | 'wanted' | 'version'>,
  mark: Mark,
  replaces: string | null = null,
): JsonObject {
  return {
    remark: remarkFor({ desired, wanted, version }, mark, replaces),
    ...partsIn(wanted.parts, kind.collection),
    ...(wanted.label === null ? {} : { risk_label_id: labelValue(wanted.label) }),
    config: wanted.config,
  };
}

export function createTask(desired: DesiredTask, context: TaskContext): Draft {
  const kind = kindOf(desired.collection);
  const wanted = wantedOf(desired, undefined, context.labels);
  const chain = new StepChain(desired.address);
  const runs = desired.state === 'active';
  const version = writtenVersion(desired, undefined, context, true);
  chain.create(createBody({ kind, desired, wanted, version }, runs ? 'pending' : 'none'));
  if (runs) chain.resume('created');
  return draftOf(
    desired,
    undefined,
    {
      actions: runs ? ['create', 'start'] : ['create'],
      reason: 'not-on-service',
      ...tradingOf(kind, [], runs ? wanted.config : undefined),
      fields: [
        field(desired, 'state', undefined, runs ? 'active' : 'paused'),
        ...createdFields(kind, desired, context.labels),
      ],
    },
    {
      steps: chain.steps,
      requires: requiredLabels(wanted, { label: true }),
      takesTarget: desired.target_wallet,
    },
  );
}
