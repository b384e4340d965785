import { isOpenAt, isPendingAt, pendingMark } from '../model/armed.ts';
import type { Operation } from '../model/generated/plan.ts';
import type { JsonObject } from '../model/json.ts';
import { armedOf, formatRemark, rearmedRemark, remarkOf, sameMarker } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import { type Restored, restore, settle } from './aftermath.ts';
import type { ChainOutcome, ChainState } from './chain-state.ts';
import { sameSubstance } from './compare.ts';
import { isInProgress, isOf } from './concurrent-apply.ts';
import type { Failure } from './failure.ts';
import { isRemarkSymbol, renderRemark, settledBody } from './render-body.ts';
import { isBuyOnce, render } from './run-operation.ts';
import { type Hand, runTaskStep } from './task-step.ts';

export interface Broken {
  readonly failure: Failure;
  /** The task that the failing operation was about. */
  readonly hand: Hand | undefined;
  /** The operation's place in the chain. */
  readonly place: number;
}

/** Cleans up after a chain that did not come to its end, and says what is left (DESIGN 3 and 7). */
export async function afterFailure(state: ChainState, broken: Broken): Promise<ChainOutcome> {
  const { failure, place } = broken;
  const operation = state.chain.operations[place];
  const uncertain = failure.kind === 'unknown';
  if (operation !== undefined && state.statuses.get(operation.id) === 'not-started') {
    const untouched = failure.kind === 'needs' || failure.kind === 'interrupted';
    if (!untouched) state.statuses.set(operation.id, uncertain ? 'unknown' : 'failed');
  }
  const consequence = await cleanUp(state, broken);
  const left = leftPaused(state, broken, uncertain, consequence.text);
  const error = failure.error === undefined ? {} : { error: failure.error };
  const status = uncertain ? 'unknown' : consequence.held === true ? 'held' : statusOf(state, failure);
  return state.outcome(status, [failure.text, consequence.text], {
    ...error,
    ...(left === undefined ? {} : { leftPaused: left }),
  });
}

function statusOf(state: ChainState, failure: Failure): ChainOutcome['status'] {
  return failure.kind === 'interrupted' && !state.begun ? 'skipped' : 'failed';
}

interface Consequence {
  readonly text: string;
  /** Somebody stopped the task, and everything else has reached it. */
  readonly held?: boolean;
}

const NOTHING: Consequence = { text: '' };
const KEPT: Consequence = {
  text: 'It is as it was, and its marker stays; nothing deletes it as long as a Removal names it.',
};

async function cleanUp(state: ChainState, broken: Broken): Promise<Consequence> {
  const { failure, hand } = broken;
  if (state.chain.change.action === 'release')
    return failure.kind === 'unknown' || failure.kind === 'gone' ? NOTHING : KEPT;
  switch (failure.kind) {
    case 'interrupted':
    case 'unknown':
      return NOTHING;
    case 'stopped':
      return hand === undefined ? NOTHING : keepStopped(state, broken, hand);
    case 'moved':
      return afterMove(state, broken);
    case 'gone':
    case 'refused':
    case 'echo':
    case 'needs':
    case 'internal':
      return afterRefusal(state, broken);
  }
}

/** Somebody stopped the task: it stays paused, with `@0` or as the switch has marked it; what else was to change reaches it all the same. */
async function keepStopped(state: ChainState, { place }: Broken, hand: Hand): Promise<Consequence> {
  const rest = state.chain.operations.slice(place + 1);
  const patch = rest.find(({ verb, subject }) => verb === 'patch' && state.hands.task(subject) === hand);
  const held = rest.every(({ verb }) => verb === 'patch' || verb === 'resume');
  if (patch !== undefined && (await carryAlong(state, patch, hand))) {
    return { text: 'The rest of the change reached it; it is held.', held };
  }
  const settled = await settle(hand, state.owner, state.wire);
  const successors = await settleSuccessors(state, hand);
  if (settled === 'failed' || !successors) return { text: markStands(state) };
  if (patch !== undefined) return { text: 'It is held; the next apply brings the rest of the change.' };
  return {
    text: held ? 'It is held.' : 'The task that was to replace it is held, too; the next apply finishes.',
  };
}

function markStands({ chain }: ChainState): string {
  return `The mark of a pending start could not be taken back: the next apply may start it. \`tradeform pause ${chain.change.address}\` keeps it off.`;
}

async function carryAlong(state: ChainState, patch: Operation, hand: Hand): Promise<boolean> {
  const { former, known } = hand;
  if (former === undefined || !sameSubstance(former, known)) return false;
  if (!isOf(known, state.owner) && !sameMarker(former, known)) return false;
  const bodyOn = (task: LiveTask) => settledBody((patch.body ?? {}) as JsonObject, armedOf(task));
  const end = await runTaskStep(
    {
      verb: 'patch',
      hand,
      render: (known) => render(state, { ...patch, body: bodyOn(known) }, known.version),
      starts: false,
      buyOnce: isBuyOnce(state, hand),
      owner: state.owner,
    },
    state.wire,
  );
  if (end.type !== 'done') return false;
  state.statuses.set(patch.id, 'done');
  return true;
}

/** Of a replacement: what was to take the place of a stopped task must not start (DESIGN 3). */
async function settleSuccessors(state: ChainState, stopped: Hand): Promise<boolean> {
  let settled = true;
  for (const hand of state.hands.all()) {
    if (hand === stopped || hand.gone || hand.known.is_active) continue;
    if ((await settle(hand, state.owner, state.wire)) === 'failed') settled = false;
  }
  return settled;
}

/** Something moved: nothing is started; a pending mark that this run left behind is taken back. */
async function afterMove(state: ChainState, broken: Broken): Promise<Consequence> {
  const { hand } = broken;
  if (hand === undefined) return afterRefusal(state, broken);
  const left = isOpenAt(hand.ownMark, hand.known.version);
  const failed = left && (await settle(hand, state.owner, state.wire)) === 'failed';
  const another = !left && isInProgress(hand.known, state.owner);
  const stoppedMaybe = hand.former?.is_active === true && !hand.known.is_active && !hand.gone && !another;
  const successors = stoppedMaybe ? await settleSuccessors(state, hand) : true;
  if (failed || !successors) return { text: markStands(state) };
  const paused = pausedByUs(state);
  if (paused === hand) return { text: leftAs(hand) };
  return paused === undefined ? NOTHING : afterRefusal(state, broken);
}

/** The task that ran, that this run paused, and that git wants running. */
function pausedByUs(state: ChainState): Hand | undefined {
  if (!state.startsFrom(0)) return undefined;
  return state.hands
    .all()
    .find(
      ({ pausedByUs, gone, former, known }) =>
        pausedByUs && !gone && former?.is_active === true && !known.is_active,
    );
}

/** Of a replacement whose former task is deleted already: the one that has not been started. */
function heirOf(state: ChainState): Hand | undefined {
  if (!state.startsFrom(0)) return undefined;
  const hands = state.hands.all();
  const gone = hands.some(({ gone, former }) => gone && former?.is_active === true);
  return gone ? hands.find((hand) => !hand.gone && !hand.known.is_active) : undefined;
}

async function afterRefusal(state: ChainState, { place }: Broken): Promise<Consequence> {
  const paused = pausedByUs(state);
  const { onFailure } = state.run.deps;
  const heir = paused === undefined ? heirOf(state) : undefined;
  if (heir !== undefined && onFailure === 'hold') return hold(state, heir);
  if (paused?.former === undefined) return unmark(state);
  if (onFailure === 'hold') return hold(state, paused);
  // What the service did not start with its new config is not tried again with the former one.
  if (state.chain.operations[place]?.verb === 'resume') return { text: leftAs(paused) };
  const former = paused.former;
  const restored = await restore(paused, former, contextOf(state, paused), state.wire);
  // Somebody came in between: the mark of the restart must not outlive that.
  if (restored.type === 'moved' && (await settle(paused, state.owner, state.wire)) === 'failed') {
    return { text: markStands(state) };
  }
  return { text: restoredText(state, restored, paused) };
}

function contextOf(state: ChainState, hand: Hand) {
  return {
    owner: state.owner,
    buyOnce: isBuyOnce(state, hand),
    pendingRemark: (known: LiveTask) => pendingRemark(state, hand, known),
  };
}

/** The remark that the task has, armed for the next version; for one without a marker, as the plan writes it. */
function pendingRemark(state: ChainState, hand: Hand, known: LiveTask): string {
  const armed = pendingMark('patch', known.version);
  const rearmed = rearmedRemark(known, state.owner, armed);
  if (rearmed !== undefined) return rearmed;
  const symbol = state.chain.operations
    .filter(({ subject }) => state.hands.task(subject) === hand)
    .map(({ body }) => body?.remark)
    .find(isRemarkSymbol);
  if (symbol !== undefined)
    return renderRemark({ ...symbol, mark: 'pending' }, state.owner, 'patch', known.version);
  return formatRemark(remarkOf(known).note, { ...state.owner, armed });
}

function restoredText(state: ChainState, restored: Restored, hand: Hand): string {
  switch (restored.type) {
    case 'runs':
      state.resumed();
      return 'It runs again on its former config.';
    case 'impossible':
      return `It is left paused, since the service would not start its former config again. ${leftAs(hand)}`;
    case 'moved':
    case 'failed':
      return `It could not be started again on its former config: ${restored.text} ${leftAs(hand)}`;
  }
}

function leftAs({ known }: Hand): string {
  return isPendingAt(armedOf(known), known.version)
    ? 'It is left paused with its start pending: the next apply goes on.'
    : 'It is left paused, and held from now on.';
}

async function hold(state: ChainState, hand: Hand): Promise<Consequence> {
  const settled = await settle(hand, state.owner, state.wire);
  return {
    text: settled === 'failed' ? markStands(state) : 'It is left paused and held, as --on-failure hold asks.',
  };
}

/** Nothing was paused: a mark that announced a pause is taken back, lest somebody's own pause looks like it. */
async function unmark(state: ChainState): Promise<Consequence> {
  let text = '';
  for (const hand of state.hands.all()) {
    if (!hand.known.is_active || !isOpenAt(hand.ownMark, hand.known.version)) continue;
    if ((await settle(hand, state.owner, state.wire)) === 'failed') {
      text = 'The mark that announced the pause could not be taken back; the next apply does that.';
    }
  }
  return { text };
}

/** Set where a task that ran before is not running any more although the plan was to leave it running. */
function leftPaused(
  state: ChainState,
  { failure, place }: Broken,
  uncertain: boolean,
  consequence: string,
): ChainOutcome['leftPaused'] {
  if (!state.startsFrom(0)) return undefined;
  const hands = state.hands.all();
  const ran = hands.find(({ former }) => former?.is_active === true);
  const maybe = uncertain && state.chain.operations[place]?.verb === 'pause';
  const runs = hands.some(({ gone, known }) => !gone && known.is_active);
  if (ran === undefined || (runs && !maybe)) return undefined;
  const alive = ran.gone ? hands.find(({ gone }) => !gone) : ran;
  const pending = alive !== undefined && isPendingAt(armedOf(alive.known), alive.known.version);
  const hope = pending && consequence === '' ? 'Its start is pending: the next apply goes on.' : '';
  const text = [maybe ? 'It may be paused.' : '', failure.text, consequence, hope]
    .filter((part) => part !== '')
    .join(' ');
  return { id: alive?.known.id ?? null, text };
}
