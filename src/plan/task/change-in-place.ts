import type { DesiredTask } from '../../desired/state.ts';
import { type Armed, dueTime, isAheadOf, isSwitchedOff, isSwitchForm } from '../../model/armed.ts';
import type { Change, Field } from '../../model/generated/plan.ts';
import type { JsonObject } from '../../model/json.ts';
import { kindOf } from '../../model/kind.ts';
import { noteRoom } from '../../model/marker.ts';
import { passesWriteSchema } from '../../model/write-schema.ts';
import { blockDraft, type Draft, draftOf, type Mark, StepChain } from '../draft.ts';
import { type HowFound, renamingOf } from '../identity/marker-change.ts';
import { tradingOf } from '../stakes/exposure.ts';
import { runsAfter, type SwitchPlan } from '../switch/decide-switch.ts';
import { compareTask, field, type TaskDifference, type Wanted, wantedOf } from './compare-task.ts';
import { addSteps, patchBody, RemarkWriter } from './patch.ts';
import { type MarkedTask, switchOf, type TaskContext } from './task-context.ts';
import { changeWarnings } from './warnings.ts';

type Reason = Change['reason'];

/** An owned or adopted task that keeps its target: everything that can be done in place. Undefined where nothing differs. */
export function changeInPlace(
  desired: DesiredTask,
  subject: MarkedTask,
  context: TaskContext,
  identity: HowFound,
): Draft | undefined {
  const kind = kindOf(desired.collection);
  const { task, marker } = subject;
  const plan = switchOf(desired, subject, context);
  const wanted = wantedOf(desired, subject, context.labels);
  const difference = compareTask(kind, desired, wanted, subject, context.labels);
  const chain = new StepChain(kind, desired.address);
  const remarks = new RemarkWriter(desired, wanted);
  const renaming = renamingOf(desired, { marker, from: identity.from }, context.project);
  // A mark that is ahead of a held task would look like a start of ours as soon as somebody's edits reach it.
  const ahead = plan.type === 'held' && isAheadOf(marker?.armed, task.version);
  const touched =
    ahead ||
    difference.note ||
    difference.label ||
    difference.linked ||
    difference.config ||
    marker === undefined ||
    renaming.fields.length > 0;
  const body = (mark: Mark, withConfig: boolean): JsonObject =>
    patchBody(kind, wanted, difference, remarks.symbol(mark), withConfig);
  const pauses = addSteps({
    plan,
    desired,
    task,
    difference,
    touched,
    chain,
    context,
    body,
    remarks,
    writable: () => passesWriteSchema(kind.config, wanted.config),
  });
  const held = plan.type === 'held';
  if (chain.steps.length === 0 && !held) return undefined;
  const armed = held ? marker?.armed : undefined;
  const due = dueTime(armed);
  const trading = tradingOf(
    kind,
    task.is_active ? task.config : undefined,
    runsAfter(plan, task.is_active) ? wanted.config : undefined,
  );
  const configWritten = chain.steps.some(({ body: sent }) => sent !== null && 'config' in sent);
  const fields: Field[] = [
    ...stateFields(desired, trading),
    ...renaming.fields,
    ...difference.fields,
    ...(configWritten ? difference.legacyFields : []),
  ];
  const actions = weightiestFirst([
    ...identity.actions,
    ...renaming.actions,
    ...switchActions(plan, trading.stops_trading),
    ...(difference.fields.length > 0 ||
    (chain.steps.length > 0 && plan.type === 'run' && !identity.actions.length && !renaming.actions.length)
      ? (['update'] as const)
      : []),
  ]);
  const done: Change['actions'] = actions.length > 0 ? actions : ['update'];
  const { change } = draftOf(desired, task, {
    previous_address: renaming.previousAddress,
    actions: chain.steps.length === 0 ? ['none'] : done,
    reason: identity.reason ?? offReason(armed) ?? reasonOf(plan, difference, renaming.reason),
    ...trading,
    held,
    ...(due === null ? {} : { due }),
    fields,
  });
  const invalid = configWritten && !passesWriteSchema(kind.config, wanted.config);
  if (invalid) return blockedByLegacy(change);
  const room = noteRoom(context.project, desired.name, desired.rearm);
  if (chain.steps.length > 0 && wanted.note.length > room) return blockedByNote(change, room);
  return {
    change,
    steps: chain.steps,
    warnings: changeWarnings(desired, task, difference, pauses, configWritten),
    requires: requiredLabels(wanted, difference),
  };
}

export function stateField(desired: DesiredTask, activeBefore: boolean): Field {
  return activeBefore
    ? field(desired, 'state', 'active', 'paused')
    : field(desired, 'state', 'paused', 'active');
}

/** The switch among the fields of a change, where it moves. */
export function stateFields(
  desired: DesiredTask,
  { starts_trading, stops_trading }: Pick<Change, 'starts_trading' | 'stops_trading'>,
): readonly Field[] {
  return starts_trading || stops_trading ? [stateField(desired, stops_trading)] : [];
}

const WEIGHT: readonly Change['action'][] = [
  'replace',
  'delete',
  'create',
  'take-over',
  'adopt',
  'rename',
  'release',
  'stop',
  'start',
  'finish',
  'update',
  'none',
];

export function weightiestFirst(actions: Change['actions']): Change['actions'] {
  return WEIGHT.filter((action) => actions.includes(action));
}

/** Why a held task stays off, where the switch is in it. */
function offReason(armed: Armed): Reason | undefined {
  if (!isSwitchForm(armed)) return undefined;
  return isSwitchedOff(armed) ? 'switched-off' : 'kept-off';
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

/** Compiling checks the notes of manifests; this one is a live note that `ignore_changes` keeps. */
function blockedByNote(change: Draft['change'], room: number): Draft {
  const text = `The live note that lifecycle.ignore_changes keeps leaves no room for the marker: at most ${room} characters. Shorten it on the service, or take remark out of ignore_changes and write it in the manifest.`;
  return blockedInPlace(change, 'no-room', text);
}

function blockedByLegacy(change: Draft['change']): Draft {
  const text =
    'A live value that lifecycle.ignore_changes keeps would not pass the write schema of today. Take the field out of ignore_changes and write it in the manifest, or mend it on the service.';
  return blockedInPlace(change, 'legacy', text);
}

function blockedInPlace(change: Draft['change'], reason: Reason, text: string): Draft {
  const nothing = { change, steps: [], warnings: [], requires: [] };
  return blockDraft(nothing, reason, text, change.id === null ? [] : [change.id]);
}
