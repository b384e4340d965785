import type { Operation } from '../model/generated/plan.ts';
import type { JsonObject } from '../model/json.ts';
import { kindOf } from '../model/kind.ts';
import { isLabel, isTask, type LiveResource, type LiveTask, versionOf } from '../model/resource.ts';
import { placeholder } from '../plan/draft.ts';
import type { ChainState } from './chain-state.ts';
import { patched, sameTask } from './compare.ts';
import { isInProgress } from './concurrent-apply.ts';
import { runCreateStep } from './create.ts';
import { type Failure, refusal } from './failure.ts';
import { runLabelStep, runTemplateStep } from './label-and-template-step.ts';
import { otherHalfGone } from './other-half.ts';
import { renderBody } from './render-body.ts';
import { type Hand, runTaskStep, type TaskStep, type TaskStepEnd } from './task-step.ts';
import { moved } from './tell.ts';

/** How one operation of the plan ended. */
export type Performed =
  | { readonly type: 'done'; readonly already?: boolean }
  /** The rest of the chain is as the plan wants it, too. */
  | { readonly type: 'complete' }
  /** Left out: the service validates a legacy config again and refuses the mark; the pause comes next without one. */
  | { readonly type: 'left-out' }
  | { readonly type: 'failed'; readonly failure: Failure; readonly hand?: Hand };

/** Carries one operation of a chain out. */
export async function perform(state: ChainState, operation: Operation, place: number): Promise<Performed> {
  if (operation.verb === 'create') return create(state, operation, place);
  const { subject: key } = operation;
  const missing = await fetchUnknown(state, operation, key);
  if (missing !== undefined) return missing;
  const hand = state.hands.task(key);
  if (hand !== undefined) return onTask(state, operation, place, hand);
  const other = state.hands.other(key);
  if (other === undefined || isTask(other)) throw new Error(`${operation.id} works on nothing known: ${key}`);
  return onOther(state, operation, other);
}

/** A resource that the plan names by id without its former state: it is read, and must be at the planned version. */
async function fetchUnknown(
  state: ChainState,
  operation: Operation,
  key: string,
): Promise<Performed | undefined> {
  if (state.hands.task(key) !== undefined || state.hands.other(key) !== undefined) return undefined;
  const look = await state.wire.look(state.chain.change.kind, key);
  if (look.type === 'gone') {
    return operation.verb === 'delete' ? { type: 'done', already: true } : failed(GONE);
  }
  if (look.type === 'unreadable') return failed(refusal('The reading of the resource', look.outcome));
  const version = versionOf(look.resource);
  if (operation.expect_version !== null && version !== operation.expect_version) {
    const text = `It is at version ${version} and no longer at ${operation.expect_version}; plan again.`;
    return failed({ kind: 'moved', text });
  }
  state.hands.put(key, look.resource);
  return undefined;
}

async function create(state: ChainState, operation: Operation, place: number): Promise<Performed> {
  const { chain, run, owner, hands, wire } = state;
  const { change } = chain;
  const body = render(state, operation, 0);
  const end = await runCreateStep(
    {
      identity: {
        collection: change.kind,
        owner,
        shownName: typeof body.name === 'string' ? body.name : undefined,
        known: run.known,
      },
      // A runner that still has the name before creates the same thing under the same key.
      project: run.plan.previous_project ?? run.plan.project,
      address: change.address,
      body,
      viewedAt: run.viewedAt,
      readings: run.readings,
      isEndState: (resource) => isEndState(state, place, body, resource),
    },
    wire,
  );
  if (end.type === 'failed') {
    state.foundId = end.existing?.id;
    return failed(end.failure);
  }
  hands.put(placeholder(change.address), end.resource);
  run.created.set(change.address, end.resource.id);
  state.createdId = end.resource.id;
  state.foundId = end.resource.id;
  if (end.type === 'complete') return { type: 'complete' };
  const hand = hands.task(placeholder(change.address));
  if (end.type === 'created' && end.edited === true && hand !== undefined) hand.foreign = 1;
  return end.type === 'created' ? { type: 'done' } : altered(state, end.fields);
}

/** A new task that runs already exactly as wanted: another runner with the same manifests was faster. */
function isEndState(state: ChainState, place: number, body: JsonObject, resource: LiveResource): boolean {
  const rest = state.chain.operations.slice(place + 1);
  if (!isTask(resource)) return rest.length === 0;
  const startsOnly = place === 0 && rest.length === 1 && rest[0]?.verb === 'resume';
  const wanted = patched({ ...resource, risk_label_id: null }, body);
  return startsOnly && resource.is_active && sameTask({ ...wanted, is_active: true }, resource);
}

async function onTask(
  state: ChainState,
  operation: Operation,
  place: number,
  hand: Hand,
): Promise<Performed> {
  if (hand.gone) {
    return operation.verb === 'delete' ? { type: 'done', already: true } : failed(GONE, hand);
  }
  const step = taskStep(state, operation, place, hand);
  if (operation.read_first === true) {
    const obstacle = await readFirst(state, step);
    if (obstacle !== undefined) return obstacle;
  }
  const missing = await otherHalfGone(state, operation, hand);
  if (missing !== undefined) return failed(missing);
  const end = await runTaskStep(step, state.wire);
  const { body_if_refused: body } = operation;
  if (body === undefined || end.type !== 'failed' || !isAboutStored(end.failure))
    return concluded(state, operation, hand, end);
  const renewed = { ...operation, body };
  const again = await runTaskStep(taskStep(state, renewed, place, hand), state.wire);
  if (again.type === 'done') state.notes.push(RENEWED);
  return concluded(state, renewed, hand, again);
}

export function taskStep(state: ChainState, operation: Operation, place: number, hand: Hand): TaskStep {
  const { operations } = state.chain;
  const mark = operations.find(({ verb, subject }) => verb === 'mark' && subject === operation.subject);
  return {
    verb: operation.verb === 'create' ? 'patch' : operation.verb,
    hand,
    render: (known) => (operation.body === null ? null : render(state, operation, known.version)),
    starts: state.startsFrom(place),
    // Before the patch the desired config is not there yet, and cannot have stopped the task.
    buyOnce: place < desiredBuyOnce(state, hand) ? isLiveBuyOnce(hand) : isBuyOnce(state, hand),
    owner: state.owner,
    ...(mark === undefined ? {} : { mark: (known: LiveTask) => render(state, mark, known.version) }),
  };
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

/** Live or desired: such a task may have fired and stopped itself (DESIGN 3). */
export function isBuyOnce(state: ChainState, hand: Hand): boolean {
  return desiredBuyOnce(state, hand) >= 0 || isLiveBuyOnce(hand);
}

function isLiveBuyOnce({ known, former }: Hand): boolean {
  return known.config.buy_once === true || former?.config.buy_once === true;
}

/** The place of the operation that gives this task a config with `buy_once`; -1 where none does. */
function desiredBuyOnce({ chain, hands }: ChainState, hand: Hand): number {
  return chain.operations.findIndex((operation) => {
    const config = operation.body?.config as JsonObject | undefined;
    return config?.buy_once === true && hands.task(operation.subject) === hand;
  });
}

/** A `buy_once` task has no mark: it must still run, unchanged, right before its pause. */
async function readFirst(state: ChainState, { hand, verb }: TaskStep): Promise<Performed | undefined> {
  const before = hand.known;
  const look = await state.wire.lookSince(before);
  if (look.type === 'gone') return failed(GONE, hand);
  if (look.type === 'unreadable') return failed(refusal('The reading before the pause', look.outcome), hand);
  if (!isTask(look.resource)) throw new Error('a task was expected');
  const read = look.resource;
  if (!read.is_active) {
    hand.known = read;
    return stoppedOrAnother(state, verb, before, read, true, hand);
  }
  return read.version === before.version
    ? undefined
    : failed(moved(verb, before, read, isInProgress(read, state.owner)), hand);
}

function concluded(state: ChainState, operation: Operation, hand: Hand, end: TaskStepEnd): Performed {
  switch (end.type) {
    case 'done':
      if (end.text !== undefined) state.notes.push(end.text);
      afterwards(state, operation, hand);
      return { type: 'done' };
    case 'echo':
      return altered(state, end.fields, hand);
    case 'stopped':
      return stoppedOrAnother(state, operation.verb, end.before, end.read, end.refused, hand);
    case 'moved': {
      const another = hand.ownMark === undefined && isInProgress(end.read, state.owner);
      return failed(moved(operation.verb, end.before, end.read, another), hand);
    }
    case 'gone':
      hand.gone = true;
      hand.ownMark = undefined;
      return failed(GONE, hand);
    case 'failed':
      return operation.verb === 'mark' && isAboutStored(end.failure)
        ? { type: 'left-out' }
        : failed(end.failure, hand);
  }
}

function afterwards(state: ChainState, { verb }: Operation, hand: Hand): void {
  if (verb === 'pause' && hand.former?.is_active === true) state.pausedAt = state.wire.clock.now();
  if (verb === 'resume') state.resumed();
  if (verb === 'delete') state.deleted = hand.known;
}

const RENEWED =
  'The service took it only together with a config of today: the one of the manifest was written, without the legacy fields.';

/** `validation_error` that is not about the remark: the stored config is validated again and is a legacy one. */
function isAboutStored({ error }: Failure): boolean {
  if (error?.code !== 'validation_error') return false;
  return error.fields.length === 0 || error.fields.some(({ path }) => path !== 'remark');
}

async function onOther(
  state: ChainState,
  operation: Operation,
  other: Exclude<LiveResource, LiveTask>,
): Promise<Performed> {
  const body = operation.verb === 'delete' ? null : render(state, operation, 0);
  if (isLabel(other)) {
    const end = await runLabelStep(other, body, state.wire);
    if (end.type === 'failed') return failed(end.failure);
    if (body === null) state.deleted = other;
    return { type: 'done', already: end.already };
  }
  const verb = operation.verb === 'delete' ? 'delete' : 'patch';
  const end = await runTemplateStep(verb, other, body, state.wire);
  switch (end.type) {
    case 'done':
      if (verb === 'delete') state.deleted = other;
      return { type: 'done' };
    case 'echo':
      return altered(state, end.fields);
    case 'gone':
      return failed(GONE);
    case 'failed':
      return failed(end.failure);
    case 'stopped':
    case 'moved': {
      const what = end.before.name === end.read.name ? 'config' : 'name';
      return failed({
        kind: 'moved',
        text: `Somebody changed the ${what} of the ${templateWord(other.collection)} meanwhile; plan again.`,
      });
    }
  }
}

function templateWord(collection: Exclude<LiveResource, LiveTask>['collection']): string {
  return kindOf(collection).family;
}

const GONE: Failure = { kind: 'gone', text: 'Somebody deleted it meanwhile.' };

/** A pending mark that this run has not written tells another apply from a person. */
function stoppedOrAnother(
  state: ChainState,
  verb: Operation['verb'],
  before: LiveTask,
  read: LiveTask,
  refused: boolean,
  hand: Hand,
): Performed {
  const another = hand.ownMark === undefined && isInProgress(read, state.owner);
  return failed(another ? moved(verb, before, read, true) : stopped(before, refused), hand);
}

/** `refused`: the pause of this run was certainly not the one that took effect. */
function stopped(before: LiveTask, refused: boolean): Failure {
  const fired =
    before.config.buy_once === true ? ', or it stopped itself after its first trade (buy_once)' : '';
  const who = refused
    ? `Somebody stopped the task meanwhile${fired}`
    : `The answer to the pause does not tell whether this run stopped the task, or somebody else did${fired}`;
  return { kind: 'stopped', text: `${who}: it stays paused.` };
}

function altered(state: ChainState, fields: readonly string[], hand?: Hand): Performed {
  const { change } = state.chain;
  state.run.echoDiffers(change.kind, change.address, fields);
  const text = `The service stored something else than was sent in ${fields.join(', ')}.`;
  return failed({ kind: 'echo', text }, hand);
}

function failed(failure: Failure, hand?: Hand): Performed {
  return hand === undefined ? { type: 'failed', failure } : { type: 'failed', failure, hand };
}
