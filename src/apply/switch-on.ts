import type { Armed } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import type { Failure } from './failure.ts';
import { rearmedRemark } from './render-body.ts';
import { type Hand, handOf, runTaskStep, type TaskStepEnd } from './task-step.ts';
import { moved } from './tell.ts';
import type { Wire } from './wire.ts';

export type OnEnd =
  | { readonly type: 'started'; readonly task: LiveTask; readonly text: string }
  | { readonly type: 'failed'; readonly task: LiveTask; readonly failure: Failure };

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
    const render = (known: LiveTask) => ({
      remark: rearmedRemark(known.remark, owner, known.version + 1) ?? known.remark,
    });
    const end = await runTaskStep({ ...step, verb: 'patch', render }, wire);
    if (end.type !== 'done') return giveUp(hand, owner, 'patch', end, wire);
  }
  const end = await runTaskStep({ ...step, verb: 'resume', render: () => null }, wire);
  if (end.type !== 'done') return giveUp(hand, owner, 'resume', end, wire);
  return { type: 'started', task: hand.known, text: end.text ?? '' };
}

/** What the operator asked for was not done: a mark of this run must not have the next apply do it. */
async function giveUp(
  hand: Hand,
  owner: OnOwner | undefined,
  verb: 'patch' | 'resume',
  end: Exclude<TaskStepEnd, { type: 'done' }>,
  wire: Wire,
): Promise<OnEnd> {
  const failure = failureOf(end, verb);
  const { ownMark } = hand;
  if (owner === undefined || ownMark === undefined || failure.kind === 'unknown' || hand.known.is_active)
    return { type: 'failed', task: hand.known, failure };
  const armed = owner.armed === 'off' ? 'off' : 0;
  const render = (known: LiveTask) => ({ remark: rearmedRemark(known.remark, owner, armed) ?? known.remark });
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
