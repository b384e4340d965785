import { problem } from '../diagnostics/diagnostic.ts';
import type { Operation } from '../model/generated/plan.ts';
import type { JsonObject } from '../model/json.ts';
import { markerOf, remarkOf } from '../model/marker.ts';
import { isBuyOnce, isLabel, isTask, type LiveResource, type LiveTask } from '../model/resource.ts';
import { placeholder } from '../plan/draft.ts';
import { isCredentialError } from '../service/resources/failure.ts';
import type { ChainState } from './chain-state.ts';
import { movedFields, patched, sameTask } from './compare.ts';
import { isInProgress, isOf } from './concurrent-apply.ts';
import { runCreateStep } from './create.ts';
import { runLabelStep, TemplateStep } from './label-and-template-step.ts';
import { type Failed, type Failure, failed, GONE, readingOf, refusal, type StepOutcome } from './outcome.ts';
import { isRemarkSymbol, renderBody } from './render-body.ts';
import { anotherApplyBefore, movedBefore, stoppedBy, TaskStep } from './task-step.ts';
import type { TrackedTask } from './tracked-task.ts';
import { write } from './write.ts';

export async function runOperation(state: ChainState, operation: Operation): Promise<StepOutcome> {
  const { progress } = state.run.deps;
  const { address, verb, id } = operation;
  progress.emit({ type: 'step-start', address, verb, operation: id });
  const begun = state.requests.clock.now();
  const outcome = await onSubject(state, operation).finally(() => state.timed(operation, begun));
  if (outcome.type === 'failed') {
    const code = outcome.failure.error?.code;
    if (code !== undefined && isCredentialError(code))
      state.run.scheduler.close(`Not started: the service refuses the token (${code}).`);
  } else {
    progress.emit({ type: 'step-done', address, verb, operation: id });
  }
  return outcome;
}

async function onSubject(state: ChainState, operation: Operation): Promise<StepOutcome> {
  if (operation.verb === 'create') return create(state, operation);
  const { subject: key } = operation;
  const task = state.resources.task(key);
  if (task !== undefined) return onTask(state, operation, task);
  const other = state.resources.other(key);
  if (other === undefined || isTask(other)) throw new Error(`${operation.id} has no known subject: ${key}`);
  return onOther(state, operation, other);
}

async function create(state: ChainState, operation: Operation): Promise<StepOutcome> {
  const { chain, run, owner, resources } = state;
  const { change } = chain;
  const body = render(state, operation, 0);
  const outcome = await runCreateStep({
    identity: {
      collection: change.kind,
      owner,
      shownName: typeof body.name === 'string' ? body.name : undefined,
      known: run.known,
    },
    // A runner with the former project name creates the same resource under the same key.
    project: run.plan.previous_project ?? run.plan.project,
    address: change.address,
    body,
    viewedAt: run.deps.viewedAt,
    readings: run.readings,
    requests: state.requests,
    isEndState: (resource) => isEndState(state, body, resource),
  });
  const left = outcome.type === 'done' ? outcome : outcome.failure;
  if ('foundId' in left) state.foundId = left.foundId;
  const resource = 'resource' in left ? left.resource : undefined;
  if (resource === undefined) return outcome;
  const key = placeholder(change.address);
  resources.put(key, resource);
  state.created(resource.id);
  const task = resources.task(key);
  if (outcome.type === 'done' && outcome.how === 'edited' && task !== undefined) task.goneOver = 1;
  return altered(state, outcome);
}

/** True for a new task that already runs exactly as wanted: another runner with the same manifests was faster. */
function isEndState({ chain, place }: ChainState, body: JsonObject, resource: LiveResource): boolean {
  const rest = chain.operations.slice(place + 1);
  if (!isTask(resource)) return rest.length === 0;
  const startsOnly = place === 0 && rest.length === 1 && rest[0]?.verb === 'resume';
  const wanted = patched({ ...resource, risk_label_id: null }, body);
  return startsOnly && sameTask({ ...wanted, is_active: true }, resource);
}

async function onTask(state: ChainState, operation: Operation, task: TrackedTask): Promise<StepOutcome> {
  const step = taskStep(state, operation, task);
  if (operation.read_first === true) {
    const obstacle = await readFirst(state, step);
    if (obstacle !== undefined) return obstacle;
  }
  const moved = movedIn(state, operation, task);
  if (moved !== undefined) return moved;
  const missing = await otherHalfGone(state, operation, task);
  if (missing !== undefined) return failed(missing);
  const outcome = await write(step, state.requests);
  const { body_if_refused: body } = operation;
  if (body === undefined || outcome.type !== 'failed' || !isAboutStored(outcome.failure))
    return concluded(state, step, outcome);
  const whole = { ...operation, body };
  // The whole config is written now, and with it what somebody changed since.
  const movedSince = movedIn(state, whole, task);
  if (movedSince !== undefined) return movedSince;
  const renewed = taskStep(state, whole, task);
  const again = await write(renewed, state.requests);
  if (again.type === 'done') state.notes.push(RENEWED);
  return concluded(state, renewed, again);
}

/** The failure of an operation that would write over what somebody changed since the plan. */
function movedIn(state: ChainState, operation: Operation, task: TrackedTask) {
  const edited = editedSince(state, operation, task, task.known);
  if (edited.length === 0) return undefined;
  const reading = { before: task.known, body: null, refused: true, read: task.known };
  return failed(movedBefore(operation.verb === 'create' ? 'patch' : operation.verb, reading, edited));
}

function taskStep(state: ChainState, operation: Operation, task: TrackedTask): TaskStep {
  const { operations } = state.chain;
  const mark = operations.find(({ verb, subject }) => verb === 'mark' && subject === operation.subject);
  return new TaskStep({
    verb: operation.verb === 'create' ? 'patch' : operation.verb,
    task,
    ...(operation.body === null ? {} : { render: (known) => render(state, operation, known.version) }),
    starts: state.startsLater,
    // Before the patch, the desired config is not stored yet, and cannot have stopped the task.
    buyOnce:
      state.place < desiredBuyOnce(state, task) ? isLiveBuyOnce(task) : mayHaveStoppedItself(state, task),
    owner: state.owner,
    mark: mark && ((known) => render(state, mark, known.version)),
    edited: (read) => editedSince(state, operation, task, read),
  });
}

/**
 * The fields that this operation writes, and, if it begins a pause that a start follows, the later ones, in which a reading is neither
 * as the plan saw it, or as this chain left it, nor as it is to become. A deletion counts as a write of every field.
 */
export function editedSince(
  { chain: { operations }, place, resources, startsLater }: ChainState,
  operation: Operation,
  task: TrackedTask,
  read: LiveTask,
): readonly string[] {
  const { verb } = operation;
  const next = startsLater && (verb === 'mark' || verb === 'pause') ? operations.slice(place) : [operation];
  const upon = ({ subject }: Operation) => resources.task(subject) === task;
  const done = operations.slice(0, place).filter(upon).map(noted);
  const expected = done.reduce(patched, unmarked(task.former ?? task.known));
  const whole = expected as unknown as JsonObject;
  const written = next.filter(upon).map((one) => (one.verb === 'delete' ? whole : noted(one)));
  const body: JsonObject = Object.assign({}, ...written);
  const found = unmarked(read);
  const open = movedFields(patched(expected, body), found, body);
  return movedFields(expected, found, body).filter((field) => open.includes(field));
}

/** The body of an operation with its note alone in place of its remark. */
function noted({ body }: Operation): JsonObject {
  const remark = body?.remark;
  return { ...body, ...(isRemarkSymbol(remark) ? { remark: remark.note.trim() } : {}) } as JsonObject;
}

function unmarked(task: LiveTask): LiveTask {
  return { ...task, remark: remarkOf(task).note.trim() };
}

export function render(state: ChainState, operation: Operation, current: number): JsonObject {
  return renderBody((operation.body ?? {}) as JsonObject, {
    ...state.owner,
    verb: operation.verb,
    current,
    reference: (address) => {
      const id = state.run.created.get(address);
      if (id === undefined) throw new Error(`${operation.id} refers to ${address}, which was not created`);
      return id;
    },
  });
}

/** True if the live or desired config has `buy_once`: the task may have bought and stopped itself (DESIGN 3). */
export function mayHaveStoppedItself(state: ChainState, task: TrackedTask): boolean {
  return desiredBuyOnce(state, task) >= 0 || isLiveBuyOnce(task);
}

function isLiveBuyOnce({ known, former }: TrackedTask): boolean {
  return isBuyOnce(known.config) || isBuyOnce(former?.config);
}

/** Index of the operation that gives this task a config with `buy_once`; -1 if there is none. */
function desiredBuyOnce({ chain, resources }: ChainState, task: TrackedTask): number {
  return chain.operations.findIndex((operation) => {
    const config = operation.body?.config as JsonObject | undefined;
    return isBuyOnce(config) && resources.task(operation.subject) === task;
  });
}

/** A `buy_once` task has no mark: it must still run, unchanged, right before its pause. */
async function readFirst(state: ChainState, { task, verb }: TaskStep): Promise<Failed | undefined> {
  const before = task.known;
  const look = await state.requests.lookSince(before);
  if (look.type === 'gone') return failed(GONE);
  if (look.type === 'unreadable') return failed(refusal('Reading before the pause', look.outcome));
  if (!isTask(look.resource)) throw new Error('a task was expected');
  const read = look.resource;
  if (read.is_active && read.version === before.version) return undefined;
  const another = isOfAnother(state, task, read);
  if (!read.is_active) task.known = read;
  const reading = { before, body: null, refused: true, read };
  if (another) return failed(anotherApplyBefore(verb, reading));
  return failed(read.is_active ? movedBefore(verb, reading) : stoppedBy(reading));
}

/**
 * For a replacement, before one half is deleted: reads whether the task that should stay still exists. Otherwise two
 * applies of different revisions on the same pair could each delete one half, and a hold would be lost (DESIGN 3, known
 * gap 6: this narrows it). Undefined if the deletion may continue.
 */
async function otherHalfGone(
  { chain, resources, requests, owner }: ChainState,
  { verb }: Operation,
  task: TrackedTask,
): Promise<Failure | undefined> {
  if (verb !== 'delete' || chain.change.action !== 'replace') return undefined;
  for (const other of resources.tasks()) {
    if (other === task || other.gone) continue;
    const look = await requests.look(other.known.collection, other.known.id);
    if (look.type === 'gone') {
      other.deleted();
      const text = `Somebody deleted ${other.known.id}, the other task of this replacement, so this task is kept. Plan again.`;
      return { kind: 'moved', text };
    }
    if (look.type === 'unreadable') return refusal('Reading the other task of the replacement', look.outcome);
    const read = look.resource as LiveTask;
    const [was, is] = [markerOf(other.known), markerOf(read)];
    // Of a project or a task that is renamed, a half has the former name until it is written.
    if (!isOf(read, owner) && (was?.project !== is?.project || was?.name !== is?.name)) {
      const text = `Somebody took the marker off ${read.id}, the other task of this replacement, so this task is kept. Plan again.`;
      other.known = read;
      return { kind: 'gone', text };
    }
    other.seen(read);
  }
  return undefined;
}

function concluded(state: ChainState, { verb, task }: TaskStep, outcome: StepOutcome<LiveTask>): StepOutcome {
  if (outcome.type === 'done') {
    if (outcome.text !== undefined) state.notes.push(outcome.text);
    if (verb === 'pause' && task.former?.is_active === true) state.paused();
    if (verb === 'resume') state.resumed();
    if (verb === 'delete') state.former = task.known;
    return outcome;
  }
  const { failure } = outcome;
  const reading = readingOf(failure);
  if (failure.kind === 'gone') task.deleted();
  if (verb === 'mark' && isAboutStored(failure))
    return { type: 'done', resource: task.known, how: 'left-out' };
  const another = reading !== undefined && isOfAnother(state, task, reading.read);
  return altered(state, another ? failed(anotherApplyBefore(verb, reading)) : outcome);
}

/** True for a pending mark that this run did not write: another apply is working on the task. */
function isOfAnother(state: ChainState, { ownMark }: TrackedTask, read: LiveTask): boolean {
  return ownMark === undefined && isInProgress(read, state.owner);
}

const RENEWED =
  'The service accepted it only with a current config, so the config of the manifest was written, without the legacy fields.';

/**
 * A `validation_error` that is not about the remark: the service validated the stored config again, and it is a legacy config.
 */
function isAboutStored({ error }: Failure): boolean {
  if (error?.code !== 'validation_error') return false;
  return error.fields.length === 0 || error.fields.some(({ path }) => path !== 'remark');
}

async function onOther(
  state: ChainState,
  operation: Operation,
  other: Exclude<LiveResource, LiveTask>,
): Promise<StepOutcome> {
  const body = operation.verb === 'delete' ? null : render(state, operation, 0);
  const outcome = isLabel(other)
    ? await runLabelStep(other, body, state.requests)
    : await write(new TemplateStep(other, body), state.requests);
  if (outcome.type === 'done' && body === null) state.former = other;
  return altered(state, outcome);
}

/** If the service stored another value than was sent, no further config of that kind is written (DESIGN 5). */
function altered({ chain, run }: ChainState, outcome: StepOutcome): StepOutcome {
  const { kind, address } = chain.change;
  if (outcome.type === 'done' || outcome.failure.kind !== 'echo') return outcome;
  const { text, fields } = outcome.failure;
  const config = fields.filter((field) => field.startsWith('config.'));
  if (config.length > 0) run.altered.set(kind, [...(run.altered.get(kind) ?? []), ...config]);
  const hint = 'Write these fields as the service stores them.';
  run.diagnostics.push(problem('echo-differs', text, hint, { address }));
  return outcome;
}
