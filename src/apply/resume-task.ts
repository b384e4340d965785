import { type Armed, formatArmed, isOff } from '../model/armed.ts';
import { markerOf, sameMarker } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import { tookMarker } from './compare.ts';
import type { Failure } from './failure.ts';
import { armingBody, markBody } from './render-body.ts';
import type { Wire } from './requests.ts';
import { type Hand, handOf, runTaskStep, type TaskStepEnd } from './task-step.ts';
import { moved } from './tell.ts';

export type OnEnd =
  | { readonly type: 'started'; readonly task: LiveTask; readonly text: string }
  | { readonly type: 'failed'; readonly task: LiveTask; readonly failure: Failure };

export type SettleEnd =
  | { readonly type: 'settled'; readonly task: LiveTask }
  | Extract<OnEnd, { type: 'failed' }>;

/** The project and name in the marker of a task, and the mark that it has: undefined for a task without one of ours. */
export interface OnOwner {
  readonly project: string;
  readonly name: string;
  readonly armed?: Armed;
}

/**
 * Starts one paused task as the operator asks (DESIGN 3): a pending mark first, so that a crash is finished by the next
 * apply, then the resume. Its steps are those of an apply: at most one start for a `buy_once` task, and none where
 * somebody else was at it meanwhile. A task that has no mark, since git does not want it running or it is not ours, is
 * resumed and nothing else.
 */
export async function switchOn(found: LiveTask, owner: OnOwner | undefined, wire: Wire): Promise<OnEnd> {
  const hand = handOf(found, found);
  const marks = owner !== undefined && owner.armed !== undefined;
  const step = {
    hand,
    owner: owner ?? { project: '', name: '' },
    starts: true,
    buyOnce: found.config.buy_once === true,
  };
  if (!marks) {
    hand.startable = found.version;
    // Nothing is gone on over: that would take a mark.
    hand.foreign = 1;
  } else if (hand.startable !== found.version) {
    const render = (known: LiveTask) => armingBody(known, owner);
    const end = await runTaskStep({ ...step, verb: 'patch', render }, wire);
    if (end.type !== 'done') return giveUp(hand, owner, 'patch', end, wire);
  }
  const end = await runTaskStep({ ...step, verb: 'resume', render: () => null }, wire);
  if (end.type !== 'done') return giveUp(hand, owner, 'resume', end, wire);
  return { type: 'started', task: hand.known, text: end.text ?? '' };
}

/** Takes the mark of the switch off a task that is not to be started, or that somebody has started: `@0`. */
export async function settleSwitch(found: LiveTask, owner: OnOwner, wire: Wire): Promise<SettleEnd> {
  const hand = handOf(found, found);
  const render = (known: LiveTask) => markBody(known, owner, 0);
  const step = { hand, owner, starts: false, buyOnce: false, verb: 'patch', render } as const;
  const end = await runTaskStep(step, wire);
  if (end.type === 'done') return { type: 'settled', task: hand.known };
  return { type: 'failed', task: hand.known, failure: failureOf(end, 'patch') };
}

/**
 * What the operator asked for was not done: a mark of this run must not have the next apply do it. The form that stood there
 * comes back where at most one write of others lies between: two may hide a start and a stop.
 */
async function giveUp(
  hand: Hand,
  owner: OnOwner | undefined,
  verb: 'patch' | 'resume',
  end: Exclude<TaskStepEnd, { type: 'done' }>,
  wire: Wire,
): Promise<OnEnd> {
  const failure = failureOf(end, verb);
  if (
    owner === undefined ||
    !ownMarkStands(hand, owner, end) ||
    failure.kind === 'unknown' ||
    hand.known.is_active
  )
    return { type: 'failed', task: hand.known, failure };
  const former = isOff(owner.armed) ? owner.armed : 0;
  const read = end.type === 'moved' || end.type === 'stopped' ? end.read.version - end.before.version : 0;
  const least = hand.known.version - read - hand.foreign;
  const render = (known: LiveTask) => markBody(known, owner, known.version - least <= 1 ? former : 0);
  const undone = await runTaskStep(
    { hand, owner, starts: false, buyOnce: false, verb: 'patch', render },
    wire,
  );
  const left =
    undone.type === 'done'
      ? ''
      : ' Its mark still says that a start is pending: the next apply may start it.';
  return { type: 'failed', task: hand.known, failure: { ...failure, text: `${failure.text}${left}` } };
}

/** A mark that this run wrote, or tried to, is in the remark as it was seen last; it need not be pending any more. */
function ownMarkStands(hand: Hand, { armed }: OnOwner, end: Exclude<TaskStepEnd, { type: 'done' }>): boolean {
  if (hand.ownMark !== undefined) return true;
  if (end.type !== 'moved' && end.type !== 'stopped') return false;
  const { before, body, read, refused } = end;
  const left = markerOf(before);
  const wrote = left !== undefined && formatArmed(left.armed) !== formatArmed(armed);
  return (!refused && tookMarker(read, body)) || (wrote && sameMarker(before, read));
}

function failureOf(end: Exclude<TaskStepEnd, { type: 'done' }>, verb: 'patch' | 'resume'): Failure {
  switch (end.type) {
    case 'failed':
      return end.failure;
    case 'gone':
      return { kind: 'gone', text: 'Somebody deleted it meanwhile.' };
    case 'echo':
      return { kind: 'echo', text: `The service stored ${end.fields.join(', ')} otherwise than sent.` };
    case 'stopped':
      return { kind: 'stopped', text: 'Somebody stopped it meanwhile: it stays paused.' };
    case 'moved':
      return moved(verb, end.before, end.read, false);
  }
}
