import type { LiveTask } from '../model/resource.ts';
import type { Failure } from './failure.ts';
import type { Wire } from './requests.ts';
import { handOf, runTaskStep } from './task-step.ts';
import { moved } from './tell.ts';

export type ReleaseEnd =
  | { readonly type: 'released'; readonly task: LiveTask }
  | { readonly type: 'failed'; readonly failure: Failure };

/**
 * Takes the marker off one task and leaves all else as it is (interface, "Task resources": a remark may change while the
 * task runs). A remark that somebody wrote meanwhile is not written over.
 */
export async function releaseTask(found: LiveTask, remark: string, wire: Wire): Promise<ReleaseEnd> {
  const hand = handOf(found, found);
  const end = await runTaskStep(
    {
      verb: 'patch',
      hand,
      render: () => ({ remark }),
      starts: false,
      buyOnce: false,
      owner: { project: '', name: '' },
    },
    wire,
  );
  switch (end.type) {
    case 'done':
      return { type: 'released', task: hand.known };
    case 'failed':
      return { type: 'failed', failure: end.failure };
    case 'gone':
      return { type: 'failed', failure: { kind: 'gone', text: 'Somebody deleted it meanwhile.' } };
    case 'echo':
      return {
        type: 'failed',
        failure: { kind: 'echo', text: 'The service stored another remark than was sent.' },
      };
    case 'moved':
    case 'stopped':
      return { type: 'failed', failure: moved('patch', end.before, end.read, false) };
  }
}
