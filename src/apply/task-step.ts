import { isOpenAt, isPendingAt } from '../model/armed.ts';
import type { JsonObject } from '../model/json.ts';
import { isPending, markedVersion, sameMarker } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import { movedConfig, patched, sameWallets, tookMarker } from './compare.ts';
import { decideTask, type TaskVerb } from './decide.ts';
import { armingBody, type Owner } from './render-body.ts';
import type { Wire } from './requests.ts';
import { carryOut, type GuardedStep, type Reading, type StepEnd, type Verdict } from './write.ts';

/** A task that a chain works on, and what this run knows of it. */
export interface Hand {
  /** As the last answer or reading showed it. */
  known: LiveTask;
  /** As the plan found it; undefined for one that this run created. */
  readonly former: LiveTask | undefined;
  /** The pending version in its marker, where this run wrote it and it still stands. */
  ownMark: number | undefined;
  /** The version at which this run may start it: at its own mark, or as its own patch returned it. */
  startable: number | undefined;
  pausedByUs: boolean;
  /** Foreign writes gone on over since it was paused. */
  foreign: number;
  gone: boolean;
}

export function handOf(known: LiveTask, former: LiveTask | undefined): Hand {
  return {
    known,
    former,
    ownMark: undefined,
    // The plan was made on this very version: a start that was pending then is pending now.
    startable: isPending(known) ? known.version : undefined,
    pausedByUs: false,
    foreign: 0,
    gone: false,
  };
}

export interface TaskStep {
  readonly verb: TaskVerb;
  readonly hand: Hand;
  /** The body for the version it is sent on, symbols filled in. */
  readonly render: (known: LiveTask) => JsonObject | null;
  readonly starts: boolean;
  readonly buyOnce: boolean;
  readonly owner: Owner;
  /** The remark of a mark that has to be written anew before a pause; undefined where the task has no mark. */
  readonly mark?: (known: LiveTask) => JsonObject | null;
}

export type TaskStepEnd = StepEnd<LiveTask>;

const DOING: Readonly<Record<TaskVerb, string>> = {
  mark: 'The mark before the pause',
  pause: 'The pause',
  patch: 'The patch',
  resume: 'The start',
  delete: 'The deletion',
};

/** Carries one operation upon a task out and keeps what is known of the task up to date. */
export async function runTaskStep(step: TaskStep, wire: Wire): Promise<TaskStepEnd> {
  const { verb, hand } = step;
  if (verb === 'resume' && hand.startable !== hand.known.version) {
    const failed = await rearm(step, wire);
    if (failed !== undefined) return failed;
  }
  const end = await carryOut(guardedStep(step, wire), wire);
  if (end.type === 'done' || end.type === 'echo') learn(step, end.resource);
  if (end.type === 'stopped' || end.type === 'moved') remember(step, end);
  return end;
}

/** Writes the pending mark anew by an own patch, so that the start rests on a version that this run made. */
async function rearm(step: TaskStep, wire: Wire): Promise<TaskStepEnd | undefined> {
  const { hand, owner } = step;
  const render = (known: LiveTask) => armingBody(known, owner);
  const end = await runTaskStep({ ...step, hand, verb: 'patch', render, starts: true }, wire);
  return end.type === 'done' ? undefined : end;
}

function guardedStep(step: TaskStep, wire: Wire): GuardedStep<LiveTask> {
  const { verb, hand, starts, buyOnce } = step;
  const base = {
    verb,
    doing: DOING[verb],
    known: () => hand.known,
    render: step.render,
    judge: (answered: LiveTask | undefined, body: JsonObject | null) => judge(step, answered, body),
    decide: (refused: boolean, body: JsonObject | null, read: LiveTask) => {
      const { known: before, ownMark, foreign } = hand;
      return decideTask({ verb, refused, before, body, read, starts, ownMark, buyOnce, foreign });
    },
    goOn: (read: LiveTask, body: JsonObject | null) => {
      if (starts && !hand.known.is_active) hand.foreign += 1;
      // The reading carries the mark that this run has just tried to write.
      if (tookMarker(read, body)) hand.ownMark = markedVersion(read);
      hand.known = read;
      hand.startable = undefined;
    },
  };
  const renew =
    verb === 'resume' ? () => rearm(step, wire) : verb === 'pause' ? () => remark(step, wire) : undefined;
  return renew === undefined ? base : { ...base, renew };
}

async function remark(step: TaskStep, wire: Wire): Promise<TaskStepEnd | undefined> {
  const { mark } = step;
  if (mark === undefined) return undefined;
  const end = await runTaskStep({ ...step, verb: 'mark', render: mark }, wire);
  return end.type === 'done' ? undefined : end;
}

/** The answer's own word (DESIGN 3 and 5): same task, a higher version, the switch as asked, the fields as sent. */
function judge(step: TaskStep, answered: LiveTask | undefined, body: JsonObject | null): Verdict<LiveTask> {
  const { verb, hand, buyOnce } = step;
  if (answered === undefined || answered.version <= hand.known.version) return { type: 'ambiguous' };
  switch (verb) {
    case 'pause':
      return answered.is_active ? { type: 'ambiguous' } : { type: 'done', resource: answered };
    case 'resume':
      if (answered.is_active) return { type: 'done', resource: answered };
      return buyOnce
        ? { type: 'done', resource: answered, text: 'It was started and stopped itself at once (buy_once).' }
        : { type: 'ambiguous' };
    default: {
      if (answered.is_active !== hand.known.is_active) return { type: 'ambiguous' };
      const fields = echoDifferences(patched(hand.known, body ?? {}), answered, body ?? {});
      return fields.length === 0
        ? { type: 'done', resource: answered }
        : { type: 'echo', resource: answered, fields };
    }
  }
}

/** The sent fields that came back with another value. */
export function echoDifferences(wanted: LiveTask, answered: LiveTask, body: JsonObject): readonly string[] {
  const fields: string[] = [];
  if (body.remark !== undefined && answered.remark !== wanted.remark) fields.push('remark');
  if (body.risk_label_id !== undefined && answered.risk_label_id !== wanted.risk_label_id)
    fields.push('label');
  const wallets = body.linked_wallets !== undefined;
  if (wallets && !sameWallets(wanted.linked_wallets, answered.linked_wallets)) fields.push('linked_wallets');
  if (body.config !== undefined) fields.push(...movedConfig(wanted, answered));
  return fields;
}

function learn({ verb, hand }: TaskStep, resource: LiveTask | undefined): void {
  if (resource === undefined) {
    hand.gone = true;
    hand.ownMark = undefined;
    hand.startable = undefined;
    return;
  }
  hand.known = resource;
  const armed = markedVersion(resource);
  switch (verb) {
    case 'mark':
      hand.ownMark = armed;
      hand.startable = undefined;
      break;
    case 'pause':
      hand.pausedByUs = true;
      hand.startable = isPendingAt(hand.ownMark, resource.version) ? resource.version : undefined;
      break;
    case 'patch':
      hand.ownMark = armed;
      hand.startable = resource.is_active ? undefined : resource.version;
      break;
    case 'resume':
      hand.ownMark = undefined;
      hand.startable = undefined;
      break;
    case 'delete':
      break;
  }
}

/** The chain ends here: keeps what is there now, and whether a pending mark of this run is left behind. */
function remember({ hand }: TaskStep, { before, body, refused, read }: Reading<LiveTask>): void {
  const tried = !refused && tookMarker(read, body);
  const kept = sameMarker(before, read);
  const mark = tried ? markedVersion(read) : kept ? hand.ownMark : undefined;
  hand.known = read;
  hand.startable = undefined;
  hand.ownMark = isOpenAt(mark, read.version) ? mark : undefined;
}
