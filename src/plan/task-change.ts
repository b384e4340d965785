import type { DesiredTask } from '../desired/state.ts';
import type { Change, Field, PlanDiagnostic } from '../model/generated/plan.ts';
import type { JsonObject } from '../model/json.ts';
import { kindOf, type TaskKind } from '../model/kind.ts';
import { type Armed, type Marker, noteRoom } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import { passesWriteSchema } from '../model/write-schema.ts';
import { blockDraft, Chain, type Draft, type Mark, remarkSymbol } from './draft.ts';
import { exposureOf } from './exposure.ts';
import { type Identity, renamingOf } from './renaming.ts';
import { decideSwitch, runsAfter, type SwitchPlan } from './switch.ts';
import {
  compareTask,
  field,
  type LabelBook,
  labelValue,
  type TaskDifference,
  type Wanted,
  wantedOf,
} from './wanted.ts';

export interface TaskContext {
  readonly project: string;
  readonly labels: LabelBook;
  readonly settle: { readonly update: number; readonly replace: number };
  /** When the plan is made, in milliseconds since the epoch. */
  readonly now: number;
  /** Whether and why a held task is to be started. */
  readonly resume: (address: string) => 'asked' | 'configured' | 'no';
}

/** A desired task and the live one that it is, with the marker where there is one of ours. */
export interface Subject {
  readonly task: LiveTask;
  readonly note: string;
  readonly marker: Marker | undefined;
}

/** The row of the switch table for a desired task and a live one. */
export function switchOf(desired: DesiredTask, subject: Subject, context: TaskContext): SwitchPlan {
  const { task, marker } = subject;
  const armed: Armed = marker?.armed;
  return decideSwitch({
    state: desired.state,
    active: task.is_active,
    version: task.version,
    armed,
    rearmed: desired.rearm !== undefined && desired.rearm !== marker?.rearm,
    adopted: marker === undefined,
    buyOnce: isBuyOnce(task.config) || isBuyOnce(desired.config),
    resume: context.resume(desired.address),
  });
}

export function isBuyOnce(config: JsonObject): boolean {
  return config.buy_once === true;
}

type Reason = Change['reason'];

/** An owned or adopted task that keeps its target: everything that can be done in place. Undefined where nothing differs. */
export function changeInPlace(
  desired: DesiredTask,
  subject: Subject,
  context: TaskContext,
  identity: Identity,
): Draft | undefined {
  const kind = kindOf(desired.collection);
  const { task, marker } = subject;
  const plan = switchOf(desired, subject, context);
  const wanted = wantedOf(desired, subject, context.labels);
  const difference = compareTask(kind, desired, wanted, subject, context.labels);
  const chain = new Chain(kind, desired.address);
  const remarks = new RemarkWriter(desired, wanted);
  const renaming = renamingOf(desired, { marker, from: identity.from }, context.project);
  // A mark that is ahead of a held task would look like a start of ours as soon as somebody's edits reach it.
  const ahead = plan.type === 'held' && typeof marker?.armed === 'number' && marker.armed > task.version;
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
    wanted,
    difference,
    touched,
    chain,
    context,
    body,
    remarks,
  });
  const held = plan.type === 'held';
  if (chain.steps.length === 0 && !held) return undefined;
  // Under stopped_tasks: resume an apply writes that mark as well.
  const switchedOff = held && marker?.armed === 'off' && context.resume(desired.address) === 'no';

  const starts = !task.is_active && runsAfter(plan, task.is_active);
  const stops = task.is_active && !runsAfter(plan, task.is_active);
  const configWritten = chain.steps.some(({ body: sent }) => sent !== null && 'config' in sent);
  const fields: Field[] = [
    ...(starts || stops ? [stateField(desired, task.is_active)] : []),
    ...renaming.fields,
    ...difference.fields,
    ...(configWritten ? difference.legacyFields : []),
  ];
  const actions = weightiestFirst([
    ...identity.actions,
    ...renaming.actions,
    ...switchActions(plan, stops),
    ...(difference.fields.length > 0 ||
    (chain.steps.length > 0 && plan.type === 'run' && !identity.actions.length && !renaming.actions.length)
      ? (['update'] as const)
      : []),
  ]);
  const action = chain.steps.length === 0 ? 'none' : (actions[0] ?? 'update');
  const change: Draft['change'] = {
    address: desired.address,
    previous_address: renaming.previousAddress,
    kind: desired.collection,
    name: desired.name,
    id: task.id,
    replaces_id: null,
    version: task.version,
    action,
    actions: action === 'none' ? ['none'] : actions.length > 0 ? actions : ['update'],
    reason: identity.reason ?? (switchedOff ? 'switched-off' : reasonOf(plan, difference, renaming.reason)),
    starts_trading: starts,
    stops_trading: stops,
    held,
    blocked: null,
    exposure: {
      before: task.is_active ? exposureOf(kind.config, task.config) : '0',
      after: runsAfter(plan, task.is_active) ? exposureOf(kind.config, wanted.config) : '0',
    },
    fields,
    former: { ...task },
  };
  const invalid = configWritten && !passesWriteSchema(kind.config, wanted.config);
  if (invalid) return blockedByLegacy(change);
  const room = noteRoom(context.project, desired.name, desired.rearm);
  if (chain.steps.length > 0 && wanted.note.length > room) return blockedByNote(change, room);
  return {
    change,
    steps: chain.steps,
    warnings: warningsOf(desired, task, difference, pauses, configWritten),
    requires: requiredLabels(wanted, difference),
  };
}

interface StepInput {
  readonly plan: SwitchPlan;
  readonly desired: DesiredTask;
  readonly task: LiveTask;
  readonly wanted: Wanted;
  readonly difference: TaskDifference;
  readonly touched: boolean;
  readonly chain: Chain;
  readonly context: TaskContext;
  readonly body: (mark: Mark, withConfig: boolean) => JsonObject;
  readonly remarks: RemarkWriter;
}

/** Adds the steps of DESIGN 3; true where a running task is paused and started again. */
function addSteps(input: StepInput): boolean {
  const { plan, task, difference, touched, chain, context, body } = input;
  // A paused legacy snapshot is renewed with any patch: the service may validate all of it again.
  const renew = () => difference.legacy;
  switch (plan.type) {
    case 'run':
      if (difference.config || difference.linked) return bounce(input, 'running');
      if (touched || plan.settle) chain.patch(task, body('settled', false));
      return false;
    case 'start':
      chain.patch(task, body('pending', renew()));
      chain.resume(task);
      return false;
    case 'finish': {
      if (touched || renew()) chain.patch(task, body('pending', renew()));
      chain.resume(task);
      if (input.desired.state === 'manual') chain.patch(task, { remark: input.remarks.symbol('none') });
      return false;
    }
    case 'held':
      if (touched) chain.patch(task, body(plan.mark, renew()));
      return false;
    case 'stop':
      chain.pause(task, context.settle.update);
      chain.patch(task, body('none', renew()));
      return false;
    case 'rest':
      if (touched || plan.unmark) chain.patch(task, body('none', renew()));
      return false;
    case 'free':
      if (task.is_active && (difference.config || difference.linked)) return bounce(input, 'manual');
      if (touched || plan.unmark) chain.patch(task, body('none', renew() && !task.is_active));
      return false;
  }
}

/** Mark, pause, patch, resume; with a live `buy_once` read, pause, patch, resume. */
function bounce({ task, chain, context, body, remarks }: StepInput, mode: 'running' | 'manual'): true {
  const buyOnce = isBuyOnce(task.config);
  if (!buyOnce) chain.mark(task, remarks.symbol('pending'));
  chain.pause(task, context.settle.update, buyOnce);
  chain.patch(task, body('pending', true));
  chain.resume(task);
  if (mode === 'manual') chain.patch(task, { remark: remarks.symbol('none') });
  return true;
}

/** Writes the remark of one desired task with whatever mark a step needs. */
export class RemarkWriter {
  private readonly note: string;
  private readonly rearm: string | undefined;

  constructor(desired: DesiredTask, wanted: Wanted) {
    this.note = wanted.note;
    this.rearm = desired.rearm;
  }

  symbol(mark: Mark, replaces: string | null = null): JsonObject {
    return remarkSymbol(this.note, mark, this.rearm, replaces);
  }
}

/** Always the remark; label, linked wallets and the complete config only where they differ or must be renewed. */
export function patchBody(
  kind: TaskKind,
  wanted: Wanted,
  difference: TaskDifference,
  remark: JsonObject,
  withConfig: boolean,
): JsonObject {
  return {
    remark,
    ...(difference.label ? { risk_label_id: labelValue(wanted.label) } : {}),
    ...(difference.linked && kind.linkedWallets ? { linked_wallets: [...(wanted.linked ?? [])] } : {}),
    ...(difference.config || (withConfig && difference.legacy) ? { config: wanted.config } : {}),
  };
}

export function stateField(desired: DesiredTask, activeBefore: boolean): Field {
  return activeBefore
    ? field(desired, 'state', 'active', 'paused')
    : field(desired, 'state', 'paused', 'active');
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

function warningsOf(
  desired: DesiredTask,
  task: LiveTask,
  difference: TaskDifference,
  pauses: boolean,
  configWritten: boolean,
): readonly PlanDiagnostic[] {
  const warnings: PlanDiagnostic[] = [];
  if (pauses && difference.legacy) warnings.push(oneWayPause(desired.address));
  if (configWritten && remembersBuys(task.config)) warnings.push(mayBuyAgain(desired.address));
  return warnings;
}

export function remembersBuys(config: JsonObject): boolean {
  return config.buy_token_once === true || config.first_buy_only === true;
}

export function oneWayPause(address: string): PlanDiagnostic {
  return {
    severity: 'warning',
    code: 'one-way-pause',
    address,
    message: `${address} runs on a legacy config that the service would not start again: once paused, it starts only with the config of git.`,
  };
}

export function mayBuyAgain(address: string): PlanDiagnostic {
  return {
    severity: 'warning',
    code: 'may-buy-again',
    address,
    message: `${address} may buy again what it has bought: whether buy_token_once and first_buy_only remember across this change is not documented.`,
  };
}
