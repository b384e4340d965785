import type { JsonObject } from '../model/json.ts';
import { kindOf } from '../model/kind.ts';
import { isOpen, rearmedRemark, sameMarker } from '../model/marker.ts';
import { isTask, type LiveTask } from '../model/resource.ts';
import { passesWriteSchema } from '../model/write-schema.ts';
import { answeredResource } from '../service/resources/resource.ts';
import { definitionOf, sameSubstance } from './compare.ts';
import type { Owner } from './render-body.ts';
import { backoff, type Wire } from './requests.ts';
import { type Hand, runTaskStep, type TaskStepEnd } from './task-step.ts';

export type Settled = 'settled' | 'not-needed' | 'failed';

const MOST_SETTLINGS = 3;

/** Refusals that say nothing of the mark: the task is read. */
const READ_AFTER: ReadonlySet<string> = new Set(['version_conflict', 'not_found']);

/**
 * Writes `@0` over a pending mark, so that the next run does not start what must stay as it is. The note stays as it is
 * found. A mark that somebody else has written meanwhile is not touched.
 */
export async function settle(hand: Hand, owner: Owner, wire: Wire): Promise<Settled> {
  for (let attempt = 1; ; attempt += 1) {
    const { known } = hand;
    const remark = rearmedRemark(known, owner, 0);
    if (hand.gone || !isOpen(known) || remark === undefined) return 'not-needed';
    const path = `${kindOf(known.collection).path}/${known.id}`;
    const outcome = await wire.write({ method: 'PATCH', path, ifMatch: known.version, body: { remark } });
    if (outcome.type === 'ok') {
      const answered = answeredResource(known.collection, outcome);
      if (answered?.id === known.id && isTask(answered) && answered.remark === remark) {
        take(hand, answered);
        return 'settled';
      }
    }
    const certain =
      outcome.type === 'unsent' ||
      (outcome.type === 'error' && !READ_AFTER.has(outcome.code) && !outcome.repeated);
    if (certain) return 'failed';
    const look = await wire.lookSince(known);
    if (look.type === 'gone') return 'not-needed';
    if (look.type === 'unreadable' || !isTask(look.resource)) return 'failed';
    const read = look.resource;
    take(hand, read);
    if (read.remark === remark) return 'settled';
    if (!sameMarker(read, known)) return 'not-needed';
    if (attempt === MOST_SETTLINGS) return 'failed';
    await wire.sleep(backoff(attempt));
  }
}

function take(hand: Hand, task: LiveTask): void {
  hand.known = task;
  hand.ownMark = undefined;
  hand.startable = undefined;
}

export type Restored =
  | { readonly type: 'runs' }
  /** The former config is a legacy snapshot. */
  | { readonly type: 'impossible' }
  /** `moved`: somebody else was at the task meanwhile. */
  | { readonly type: 'failed' | 'moved'; readonly text: string };

/**
 * Starts a task again that this run paused, on its former config (DESIGN 7, `restore`): at the version of the own mark, or
 * after an own patch at the version that it returned; never at a version that was found.
 */
export async function restore(
  hand: Hand,
  former: LiveTask,
  context: {
    readonly owner: Owner;
    readonly buyOnce: boolean;
    readonly pendingRemark: (known: LiveTask) => string;
  },
  wire: Wire,
): Promise<Restored> {
  if (!passesWriteSchema(definitionOf(former.collection), former.config)) return { type: 'impossible' };
  const { owner, buyOnce, pendingRemark } = context;
  const step = { hand, owner, buyOnce, starts: true };
  const changed = !sameSubstance(former, hand.known);
  if (changed || hand.startable !== hand.known.version) {
    const substance: JsonObject = changed ? { config: former.config, ...walletsOf(former) } : {};
    const render = (known: LiveTask) => ({ ...substance, remark: pendingRemark(known) });
    const end = await runTaskStep({ ...step, verb: 'patch', render }, wire);
    if (end.type !== 'done') return notRestored(end);
  }
  const end = await runTaskStep({ ...step, verb: 'resume', render: () => null }, wire);
  return end.type === 'done' ? { type: 'runs' } : notRestored(end);
}

function walletsOf({ linked_wallets }: LiveTask): JsonObject {
  return linked_wallets === undefined ? {} : { linked_wallets: [...linked_wallets] };
}

function notRestored(end: Exclude<TaskStepEnd, { type: 'done' }>): Restored {
  switch (end.type) {
    case 'failed':
      return { type: 'failed', text: end.failure.text };
    case 'echo':
      return { type: 'failed', text: `The service stored ${end.fields.join(', ')} otherwise than sent.` };
    case 'gone':
      return { type: 'moved', text: 'Somebody deleted it meanwhile.' };
    case 'moved':
    case 'stopped':
      return { type: 'moved', text: 'Somebody changed it meanwhile.' };
  }
}
