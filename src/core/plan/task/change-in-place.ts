import { isWritable } from '../../desired/rules/index.ts';
import type { DesiredTask } from '../../desired/state.ts';
import { type Armed, isAheadOf, isSwitchForm } from '../../model/armed.ts';
import { addDecimals } from '../../model/decimal.ts';
import type { Change, Field } from '../../model/generated/plan.ts';
import type { JsonObject } from '../../model/json.ts';
import type { TaskKind } from '../../model/kind.ts';
import { liveNoteRoom } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { weightiestFirst } from '../actions.ts';
import { blockDraft, type Draft, draftOf, type Trading } from '../draft.ts';
import { exposureOf } from '../stakes/exposure.ts';
import { runsAfter, type SwitchPlan } from '../switch/decide-switch.ts';
import { field, identityFields, type TaskDifference, type Wanted } from './compare-task.ts';
import { addSteps, type ComparedTask, comparedTask } from './patch.ts';
import type { MarkedTask, TaskContext } from './task-context.ts';
import { mayBuyAgain, notStartable, oneWayPause, remembersBuys } from './warnings.ts';

type Reason = Change['reason'];

/**
 * The change of an owned or adopted task that keeps its target; undefined if nothing differs. `adopted`: why a task without a marker
 * of this project is taken.
 */
export function changeInPlace(
  desired: DesiredTask,
  subject: MarkedTask,
  context: TaskContext,
  adopted?: Reason,
): Draft | undefined {
  const compared = comparedTask(desired, subject, context);
  const { task, marker, from, kind, plan, wanted, difference, chain } = compared;
  const identity = identityFields(desired, marker ?? from, context.project);
  // On a held task, a mark that is ahead would look like a start by tradeform as soon as edits reach that version.
  const ahead = plan.type === 'held' && isAheadOf(marker?.armed, task.version);
  const outdated = marker === undefined || compared.version !== marker.version;
  const touched = ahead || difference.fields.length > 0 || outdated || identity.length > 0;
  const pauses = addSteps(compared, touched);
  if (chain.steps.length === 0 && plan.type !== 'held') return undefined;
  const configWritten = chain.steps.some(({ body }) => body !== null && 'config' in body);
  const draft = draftOf(desired, task, changeOf(compared, identity, configWritten, adopted), {
    steps: chain.steps,
    warnings: [
      ...(pauses && difference.legacy ? [oneWayPause(desired.address)] : []),
      ...(plan.type === 'held' && !configWritten && difference.legacy ? [notStartable(desired.address)] : []),
      ...(configWritten && remembersBuys(task.config) ? [mayBuyAgain(desired.address)] : []),
    ],
    requires: requiredLabels(wanted, difference),
  });
  if (configWritten && !isWritable(kind, wanted.config))
    return blockDraft(draft, 'legacy', KEPT_LEGACY, [task.id]);
  const room = liveNoteRoom(context.project, desired, task);
  if (chain.steps.length > 0 && wanted.note.length > room) {
    // Compiling checks the notes of manifests. This one is a live note that `ignore_changes` keeps.
    const text = `lifecycle.ignore_changes keeps the live note, which leaves no room for the marker: at most ${room} characters. Shorten it on the service, or remove remark from ignore_changes and write it in the manifest.`;
    return blockDraft(draft, 'no-room', text, [task.id]);
  }
  return draft;
}

/** `identity`: the fields of the marker that change. */
function changeOf(
  compared: ComparedTask,
  identity: readonly Field[],
  configWritten: boolean,
  adopted: Reason | undefined,
) {
  const { desired, marker, from, plan, difference, chain } = compared;
  const trading = tradingAfter(compared);
  const found = from === undefined ? 'adopt' : 'take-over';
  const identified: Change['actions'] =
    marker === undefined ? [found] : identity.length > 0 ? ['rename'] : [];
  const moved = marker !== undefined && marker.name !== desired.name ? marker.name : undefined;
  const renamed = moved === undefined ? 'project-renamed' : 'renamed';
  const written = chain.steps.length > 0;
  const updates = difference.fields.length > 0 || (written && plan.type === 'run' && identified.length === 0);
  const actions = weightiestFirst([
    ...identified,
    ...switchActions(plan, trading.stops_trading),
    ...(updates ? (['update'] as const) : []),
  ]);
  const done: Change['actions'] = !written ? ['none'] : actions.length > 0 ? actions : ['update'];
  const armed = plan.type === 'held' ? marker?.armed : undefined;
  return {
    previous_address: moved === undefined ? null : `${desired.collection}/${moved}`,
    actions: done,
    reason:
      adopted ??
      offReason(armed) ??
      reasonOf(plan, difference, identified.includes('rename') ? renamed : undefined),
    ...trading,
    fields: [
      ...stateFields(desired, trading),
      ...identity,
      ...difference.fields,
      ...(configWritten ? difference.legacyFields : []),
    ],
  };
}

/**
 * The trading effect of a change: `before` are its tasks, which count if they run, and `after` is the config that runs, undefined
 * if nothing runs. A change whose tasks run in both cases neither starts nor stops.
 */
export function tradingOf(
  { config }: TaskKind,
  before: readonly LiveTask[],
  after: JsonObject | undefined,
  held = false,
): Trading & Pick<Change, 'exposure'> {
  const running = before.filter(({ is_active }) => is_active);
  const exposure = {
    before: addDecimals(running.map((task) => exposureOf(config, task.config))),
    after: after === undefined ? '0' : exposureOf(config, after),
  };
  return running.length === 0 && after !== undefined
    ? { exposure, starts_trading: true, stops_trading: false, held: false }
    : { exposure, starts_trading: false, stops_trading: running.length > 0 && after === undefined, held };
}

/**
 * Starts, stops and exposure of a change: before, the task runs with its stored config; afterwards, with the wanted
 * one.
 */
export function tradingAfter({ kind, task, plan, wanted }: ComparedTask): ReturnType<typeof tradingOf> {
  const runs = runsAfter(plan, task.is_active);
  return tradingOf(kind, [task], runs ? wanted.config : undefined, plan.type === 'held');
}

export function stateField(desired: DesiredTask, activeBefore: boolean): Field {
  const [before, after] = activeBefore ? ['active', 'paused'] : ['paused', 'active'];
  return field(desired, 'state', before, after);
}

export function stateFields(
  desired: DesiredTask,
  { starts_trading, stops_trading }: Pick<Change, 'starts_trading' | 'stops_trading'>,
): readonly Field[] {
  return starts_trading || stops_trading ? [stateField(desired, stops_trading)] : [];
}

/** Why a held task stays off, if the switch is the reason. */
function offReason(armed: Armed): Reason | undefined {
  if (!isSwitchForm(armed)) return undefined;
  return armed === 'off' ? 'switched-off' : 'kept-off';
}

function switchActions(plan: SwitchPlan, stops: boolean): Change['actions'] {
  if (plan.type === 'start') return ['start'];
  if (plan.type === 'finish') return ['finish'];
  return stops ? ['stop'] : [];
}

function reasonOf(plan: SwitchPlan, difference: TaskDifference, renamed: Reason | undefined): Reason {
  if (plan.type === 'start') return plan.reason;
  if (plan.type === 'finish') return 'interrupted';
  if (plan.type === 'stop') return 'git-wants-paused';
  if (plan.type === 'held') return 'stopped-outside';
  if (renamed !== undefined) return renamed;
  return difference.fields.length > 0 ? 'differs' : 'mark-out-of-date';
}

export function requiredLabels(wanted: Wanted, difference: { readonly label: boolean }): readonly string[] {
  return difference.label && wanted.label !== null && 'ref' in wanted.label ? [wanted.label.ref] : [];
}

const KEPT_LEGACY =
  'lifecycle.ignore_changes keeps a live value that the service would refuse today, alone or beside those of git. Remove the field from ignore_changes and write it in the manifest, or correct it on the service.';
