import { isOpenAt, isPendingAt, pendingMark, SETTLED } from '../model/armed.ts';
import type { Operation } from '../model/generated/plan.ts';
import { given } from '../model/given.ts';
import type { JsonObject } from '../model/json.ts';
import { armedOf, formatRemark, isOpen, rearmedRemark, remarkOf, sameMarker } from '../model/marker.ts';
import { PATCHED_PARTS, pick } from '../model/parts.ts';
import type { LiveTask } from '../model/resource.ts';
import { writesBetween } from '../model/versions.ts';
import { passesWriteSchema } from '../model/write-schema.ts';
import type { ChainOutcome, ChainState } from './chain-state.ts';
import { definitionOf, lightlyEdited, sameSubstance, sameTask } from './compare.ts';
import { isInProgress, isOf } from './concurrent-apply.ts';
import { type Decision, decideRollback, type Reading } from './decide.ts';
import { type Failed, type Failure, ownError, type StepOutcome } from './outcome.ts';
import { isRemarkSymbol, markBody, type Owner, renderRemark, settledBody } from './render-body.ts';
import { editedSince, mayHaveStoppedItself, render } from './run-operation.ts';
import { TaskStep } from './task-step.ts';
import type { TrackedTask } from './tracked-task.ts';
import { write } from './write.ts';

/**
 * Cleans up after a chain that failed at its current operation, and reports what is left (DESIGN 3 and 7): a mark of
 * this run is rolled back; a task that this run paused is restored or held.
 */
export async function afterFailure(state: ChainState, failed: Failed): Promise<ChainOutcome> {
  const { failure } = failed;
  const { operation } = state;
  const uncertain = failure.kind === 'unknown';
  const untouched = ['needs', 'interrupted', 'frozen'].includes(failure.kind);
  if (operation !== undefined && !untouched) state.conclude(operation, uncertain ? 'unknown' : 'failed');
  const consequence = await cleanUp(state, failure);
  if (state.restarting !== undefined) state.conclude(state.restarting, 'unknown');
  const mayRun = state.restarting !== undefined || (uncertain && operation?.verb === 'resume');
  const left = mayRun ? undefined : leftPaused(state, failure, consequence.text);
  const status = uncertain || mayRun ? 'unknown' : consequence.held ? 'held' : statusOf(state, failure);
  const error = failure.error ?? (status === 'held' ? undefined : ownError(failure));
  const rest = given({ error, leftPaused: left });
  return state.outcome(status, [failure.text, consequence.text], rest);
}

function statusOf(state: ChainState, failure: Failure): ChainOutcome['status'] {
  if (failure.kind === 'frozen') return 'blocked';
  return failure.kind === 'interrupted' && !state.begun ? 'skipped' : 'failed';
}

interface Consequence {
  readonly text: string;
  /** A person stopped the task, and the rest of the change was applied. */
  readonly held?: boolean;
}

const NOTHING: Consequence = { text: '' };
const KEPT: Consequence = {
  text: 'The task is unchanged and keeps its marker. No apply deletes it while the Removal is there.',
};

async function cleanUp(state: ChainState, failure: Failure): Promise<Consequence> {
  const { task } = state;
  if (state.chain.change.action === 'release')
    return failure.kind === 'unknown' || failure.kind === 'gone' ? NOTHING : KEPT;
  switch (failure.kind) {
    case 'interrupted':
    case 'unknown':
      return NOTHING;
    case 'frozen':
      return frozen(state);
    case 'stopped':
      return task === undefined ? NOTHING : keepStopped(state, task);
    case 'moved':
      if (task === undefined || failure.reading === undefined) return afterRefusal(state);
      return afterMove(state, task, failure.reading as Reading<LiveTask>);
    case 'refused':
      return withoutPause(state, failure.unchanged === true, await afterRefusal(state, ACCEPTED));
    case 'gone':
    case 'echo':
    case 'needs':
    case 'internal':
      return afterRefusal(state);
  }
}

const THAWED = 'the next apply after the freeze';
const ACCEPTED = 'the next apply whose change the service accepts';

/** Nothing starts. A start that is pending waits for the next apply after the freeze. */
function frozen(state: ChainState): Consequence {
  if (!state.begun) return { text: 'Nothing was done.' };
  const paused = pausedByUs(state);
  if (paused === undefined) return { text: `It is not started; ${THAWED} continues.` };
  return { text: leftAs(state, paused, THAWED) };
}

/**
 * A person stopped the task: it stays paused, with `@0` or with the form of the switch. The rest of the change is still applied.
 */
async function keepStopped(state: ChainState, task: TrackedTask): Promise<Consequence> {
  const rest = state.chain.operations.slice(state.place + 1);
  const patch = rest.find(({ verb, subject }) => verb === 'patch' && state.resources.task(subject) === task);
  const held = rest.every(({ verb }) => verb === 'patch' || verb === 'resume');
  if (patch !== undefined && (await carryAlong(state, patch, task))) {
    return { text: 'The rest of the change was applied; the task is held.', held };
  }
  const later =
    patch !== undefined
      ? '; the next apply completes the rest of the change'
      : held
        ? ''
        : '; the next apply completes the replacement and does not start it';
  return rollBack(state, [task, ...successorsOf(state, task)], `It is held${later}.`);
}

/** `text`: what to say where all of these marks are rolled back. */
async function rollBack(
  state: ChainState,
  tasks: readonly TrackedTask[],
  text: string,
  stands = `The mark of a pending start could not be rolled back: the next apply may start it. \`tradeform pause ${state.chain.change.address}\` keeps it off.`,
): Promise<Consequence> {
  let done = true;
  for (const task of tasks) if (!(await rollBackMark(state, task))) done = false;
  return { text: done ? text : stands };
}

async function carryAlong(state: ChainState, patch: Operation, task: TrackedTask): Promise<boolean> {
  const { former, known } = task;
  if (former === undefined || !sameSubstance(former, known)) return false;
  const edited = (read: LiveTask) => editedSince(state, patch, task, read);
  if (edited(known).length > 0) return false;
  if (!isOf(known, state.owner) && !sameMarker(former, known)) return false;
  const bodyOn = (read: LiveTask) => settledBody((patch.body ?? {}) as JsonObject, armedOf(read));
  const step = new TaskStep({
    verb: 'patch',
    task,
    render: (read) => render(state, { ...patch, body: bodyOn(read) }, read.version),
    starts: false,
    buyOnce: mayHaveStoppedItself(state, task),
    owner: state.owner,
    edited,
  });
  const outcome = await write(step, state.requests);
  if (outcome.type === 'failed') return false;
  state.conclude(patch, 'done');
  return true;
}

/** For a replacement: the task that replaces a stopped task must not start (DESIGN 3). */
function successorsOf(state: ChainState, stopped: TrackedTask): readonly TrackedTask[] {
  return state.resources.tasks().filter((task) => task !== stopped && !task.gone && !task.known.is_active);
}

/**
 * Somebody changed the task: nothing is started; a pending mark of this run is rolled back. One note or label after our own pause
 * hides no stop: then the task goes on as before.
 */
async function afterMove(
  state: ChainState,
  task: TrackedTask,
  reading: Reading<LiveTask>,
): Promise<Consequence> {
  if (pausedByUs(state) === task && isLight(state, task, reading)) {
    task.goneOver += 1;
    return afterRefusal(state);
  }
  const left = isOpenAt(task.ownMark, task.known.version);
  const own = await rollBack(state, left ? [task] : [], '');
  const another = !left && isInProgress(task.known, state.owner);
  const stoppedMaybe = task.former?.is_active === true && !task.known.is_active && !task.gone && !another;
  const stands = await rollBack(state, stoppedMaybe ? successorsOf(state, task) : [], own.text);
  if (stands.text !== '') return stands;
  const paused = pausedByUs(state);
  if (paused === task) return { text: leftAs(state, task) };
  return paused === undefined ? NOTHING : afterRefusal(state);
}

function isLight(state: ChainState, task: TrackedTask, { before, read }: Reading<LiveTask>): boolean {
  if (task.goneOver > 0 || mayHaveStoppedItself(state, task)) return false;
  return writesBetween(before, read) === 1 && lightlyEdited(before, read);
}

/** The task that ran before, that this run paused, and that git wants running. */
function pausedByUs(state: ChainState): TrackedTask | undefined {
  if (!state.starts) return undefined;
  return state.resources
    .tasks()
    .find(
      ({ pausedByUs, gone, former, known }) =>
        pausedByUs && !gone && former?.is_active === true && !known.is_active,
    );
}

/** For a replacement whose former task is already deleted: the new task, which was not started. */
function heirOf(state: ChainState): TrackedTask | undefined {
  if (!state.starts) return undefined;
  const tasks = state.resources.tasks();
  const gone = tasks.some(({ gone, former }) => gone && former?.is_active === true);
  return gone ? tasks.find((task) => !task.gone && !task.known.is_active) : undefined;
}

/** The task that ran before an earlier run, which paused it and could not start it again either. */
function startedLate({ chain, resources }: ChainState): TrackedTask | undefined {
  if (!chain.change.actions.includes('finish')) return undefined;
  return resources.tasks().find(({ gone, known }) => !gone && !known.is_active);
}

/** `next`: which apply starts a task that stays paused. */
async function afterRefusal(state: ChainState, next?: string): Promise<Consequence> {
  const paused = pausedByUs(state);
  const { onFailure } = state.run.deps;
  const heir = paused === undefined ? heirOf(state) : undefined;
  if (heir !== undefined && onFailure === 'hold') return hold(state, heir);
  const waiting = paused === undefined ? startedLate(state) : undefined;
  if (waiting !== undefined) return { text: leftAs(state, waiting, next) };
  if (paused?.former === undefined) return unmark(state);
  if (onFailure === 'hold') return hold(state, paused);
  const obstacle = await obstacleOf(state, paused);
  if (obstacle !== undefined) return { text: `${paused.known.id} stays paused, because ${obstacle}.` };
  const freeze = await state.run.freeze.seen();
  if (freeze !== undefined)
    return { text: `${freeze.text} ${leftAs(state, paused, freeze.kind === 'frozen' ? THAWED : undefined)}` };
  // If the service refused to start the new config, the former config is not tried.
  if (state.operation?.verb === 'resume') return { text: leftAs(state, paused, next) };
  return restored(state, paused, paused.former);
}

/** Why a task is not started again: at most one of a replacement pair runs, and none where somebody stopped the other. */
async function obstacleOf(
  { resources, requests }: ChainState,
  paused: TrackedTask,
): Promise<string | undefined> {
  for (const other of resources.tasks()) {
    if (other === paused || other.gone) continue;
    const { known } = other;
    const look = await requests.look(known.collection, known.id);
    if (look.type === 'gone') other.deleted();
    else if (look.type === 'unreadable') return `${known.id} could not be read`;
    else {
      other.known = look.resource as LiveTask;
      if (other.known.is_active) return `${known.id} runs`;
      if (known.is_active) return `somebody stopped ${known.id}`;
      // One visible edit is no start and stop.
      const writes = writesBetween(known, other.known);
      if (writes > 1 || (writes === 1 && sameTask(known, other.known)))
        return `somebody wrote to ${known.id}, and may have started and stopped it`;
    }
  }
  return undefined;
}

/** If the refused step is a pause and a reading shows the task unchanged, it goes on trading, which must be said: of two tasks by id. */
function withoutPause(
  { operation, resources }: ChainState,
  unchanged: boolean,
  { text, ...rest }: Consequence,
): Consequence {
  const { verb, subject } = operation ?? {};
  if (verb !== 'pause' || !unchanged) return { text, ...rest };
  const it = resources.tasks().length === 1 ? 'It' : `The task ${subject}`;
  return { text: [`${it} was not paused and trades as before.`, text].filter(Boolean).join(' '), ...rest };
}

/**
 * Starts a task again that this run paused, with its former config (DESIGN 7, `restore`): at the version of the run's
 * own mark, or at the version that its own patch returned; never at a version that was only read.
 */
async function restored(state: ChainState, task: TrackedTask, former: LiveTask): Promise<Consequence> {
  if (!passesWriteSchema(definitionOf(former.collection), former.config))
    return { text: `The service would not start its former config again. ${leftAs(state, task)}` };
  const outcome = await restore(state, task, former);
  if (outcome.type === 'done') {
    state.resumed();
    return { text: 'It runs again with its former config.' };
  }
  const { kind, text } = outcome.failure;
  if (kind === 'gone') task.deleted();
  const changed = kind === 'moved' || kind === 'stopped';
  // After a change by somebody else, the mark of the restart must be removed.
  const stands = await rollBack(state, changed || kind === 'gone' ? [task] : [], '');
  if (stands.text !== '') return stands;
  if (state.restarting !== undefined || kind === 'gone') return { text };
  const why = changed ? 'Somebody changed it in the meantime.' : text;
  return { text: `It could not be started again with its former config: ${why} ${leftAs(state, task)}` };
}

async function restore(
  state: ChainState,
  task: TrackedTask,
  former: LiveTask,
): Promise<StepOutcome<LiveTask>> {
  const { owner, requests } = state;
  const aim = { task, owner, buyOnce: mayHaveStoppedItself(state, task), starts: true };
  const changed = !sameSubstance(former, task.known);
  if (changed || task.startable !== task.known.version) {
    const substance = changed ? { config: former.config, ...pick(former, PATCHED_PARTS) } : {};
    const render = (known: LiveTask) => ({ ...substance, remark: pendingRemark(state, task, known) });
    const patched = await write(new TaskStep({ ...aim, verb: 'patch', render }), requests);
    if (patched.type === 'failed') return patched;
  }
  state.restarting = state.chain.operations.find(({ verb }) => verb === 'resume');
  const started = await write(new TaskStep({ ...aim, verb: 'resume' }), requests);
  // The task runs again, although the rest of the change was not done.
  if (started.type === 'done' && state.restarting !== undefined) state.conclude(state.restarting, 'done');
  if (started.type === 'done' || started.failure.kind !== 'unknown') state.restarting = undefined;
  return started;
}

/** The current remark, armed for the next version; for a task without a marker, the remark of the plan. */
function pendingRemark(state: ChainState, task: TrackedTask, known: LiveTask): string {
  const armed = pendingMark('patch', known.version);
  const rearmed = rearmedRemark(known, state.owner, armed, task.former);
  if (rearmed !== undefined) return rearmed;
  const symbol = state.chain.operations
    .filter(({ subject }) => state.resources.task(subject) === task)
    .map(({ body }) => body?.remark)
    .find(isRemarkSymbol);
  if (symbol !== undefined)
    return renderRemark({ ...symbol, mark: 'pending' }, state.owner, 'patch', known.version);
  return formatRemark(remarkOf(known).note, { ...state.owner, armed });
}

function leftAs(state: ChainState, task: TrackedTask, next = 'the next apply'): string {
  if (task.outdated === task.known) return '';
  // A pending mark that this run does not rest on is that of another apply, which is at work.
  if (isPendingAt(armedOf(task.known), task.known.version) && task.startable !== task.known.version)
    return '';
  return isStartPending(state, task)
    ? `It stays paused; ${next} starts it.`
    : `It stays paused and held. Once the cause is mended, \`tradeform apply --resume-stopped ${state.chain.change.address}\` starts it.`;
}

/** Of a plan that holds the task, the mark of its own pause is no start to come. */
function isStartPending({ chain }: ChainState, { known }: TrackedTask): boolean {
  return !chain.change.held && isPendingAt(armedOf(known), known.version);
}

function hold(state: ChainState, task: TrackedTask): Promise<Consequence> {
  return rollBack(state, [task], 'It stays paused and held, as --on-failure hold requires.');
}

/** Nothing was paused: the mark that announced a pause is rolled back, so that a person's pause is not mistaken for it. */
function unmark(state: ChainState): Promise<Consequence> {
  const announced = ({ known, ownMark }: TrackedTask) => known.is_active && isOpenAt(ownMark, known.version);
  const stands = 'The mark that announced the pause could not be rolled back; the next apply does that.';
  return rollBack(state, state.resources.tasks().filter(announced), '', stands);
}

/** Set if a task that ran before does not run any more although git wants it running, also where the plan holds it. */
function leftPaused(state: ChainState, failure: Failure, consequence: string): ChainOutcome['leftPaused'] {
  const { held, stops_trading: stops } = state.chain.change;
  if (stops && !held) return undefined;
  const tasks = state.resources.tasks();
  const before = tasks.filter(({ former }) => former?.is_active === true);
  const ran = before.find(({ known }) => !known.is_active) ?? before[0] ?? startedLate(state);
  const unknown = failure.kind === 'unknown';
  const maybe = unknown && state.operation?.verb === 'pause';
  // A task that somebody started, or that ran, and whose marker is gone, does not stand in for another one.
  const isNamed = (task: LiveTask | undefined) => task !== undefined && remarkOf(task).type === 'marked';
  const standsIn = (task: TrackedTask) => isNamed(task.known) || (task === ran && !isNamed(task.former));
  const runs = tasks.some((task) => !task.gone && task.known.is_active && standsIn(task));
  if (ran === undefined || (runs && !maybe)) return undefined;
  const alive = ran.gone ? tasks.find(({ gone }) => !gone) : ran;
  // Whoever deleted the one task of two may have started and stopped the other.
  const known = alive !== undefined && (unknown ? isStartPending(state, alive) : failure.kind !== 'gone');
  const next = failure.kind === 'refused' ? ACCEPTED : undefined;
  const way = known && consequence === '' ? leftAs(state, alive, next) : '';
  const text = [maybe ? 'It may be paused.' : '', failure.text, consequence, way]
    .filter((part) => part !== '')
    .join(' ');
  return { id: alive?.known.id ?? null, text };
}

/**
 * Rolls a pending mark back to `@0`, so that the next run does not start a task that must stay as it is. The note does
 * not change. A mark that somebody else wrote in the meantime is not touched.
 * @returns false if the mark may still exist
 */
async function rollBackMark({ owner, requests }: ChainState, task: TrackedTask): Promise<boolean> {
  const { known } = task;
  if (task.gone || !isOpen(known) || rearmedRemark(known, owner, SETTLED) === undefined) return true;
  const outcome = await write(new MarkRollback(task, owner), requests);
  return outcome.type === 'done' || outcome.failure.kind === 'gone';
}

class MarkRollback extends TaskStep {
  constructor(task: TrackedTask, owner: Owner) {
    const render = (known: LiveTask) => markBody(known, owner, SETTLED);
    super({ verb: 'patch', task, owner, render, starts: false, buyOnce: false });
  }

  protected override shownBy(answered: LiveTask | undefined): StepOutcome<LiveTask> | undefined {
    return answered?.remark === this.body?.remark ? { type: 'done', resource: answered } : undefined;
  }

  protected override decide(reading: Reading<LiveTask>): Decision {
    return decideRollback(reading);
  }

  protected override rebase({ read }: Reading<LiveTask>): void {
    this.task.rolledBack(read);
  }

  protected override ended(end: StepOutcome<LiveTask>): StepOutcome<LiveTask> {
    if (end.type === 'done' && end.resource !== undefined) this.task.rolledBack(end.resource);
    return end;
  }
}
