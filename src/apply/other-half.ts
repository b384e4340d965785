import type { Operation } from '../model/generated/plan.ts';
import type { ChainState } from './chain-state.ts';
import { type Failure, refusal } from './failure.ts';
import type { Hand } from './task-step.ts';

/**
 * Of a replacement, read right before one half is deleted: the task that is to stay must still be there. Two applies of
 * different revisions that meet on one pair would else delete a half each, and a hold would be forgotten (DESIGN 3, known
 * gap 6: this narrows it). Undefined where the deletion may go on.
 */
export async function otherHalfGone(
  { chain, hands, wire }: ChainState,
  { verb }: Operation,
  hand: Hand,
): Promise<Failure | undefined> {
  if (verb !== 'delete' || chain.change.action !== 'replace') return undefined;
  for (const other of hands.all()) {
    if (other === hand || other.gone) continue;
    const look = await wire.look(other.known.collection, other.known.id);
    if (look.type === 'gone') {
      other.gone = true;
      return {
        kind: 'moved',
        text: `Somebody deleted ${other.known.id}, the other task of this replacement: this one stays. Plan again.`,
      };
    }
    if (look.type === 'unreadable')
      return refusal('The reading of the other task of the replacement', look.outcome);
  }
  return undefined;
}
