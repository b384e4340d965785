import type { StepOutcome } from '../../apply/outcome.ts';
import type { Requests } from '../../apply/requests.ts';
import { runTaskStep } from '../../apply/task-step.ts';
import { TrackedTask } from '../../apply/tracked-task.ts';
import type { LiveTask } from '../../model/resource.ts';

/**
 * Takes the marker off one task and leaves all else as it is (interface, "Task resources": a remark may change while the
 * task runs). A remark that somebody wrote meanwhile is not written over.
 */
export function releaseTask(
  found: LiveTask,
  remark: string,
  requests: Requests,
): Promise<StepOutcome<LiveTask>> {
  const step = {
    verb: 'patch',
    task: new TrackedTask(found, found),
    render: () => ({ remark }),
    starts: false,
    buyOnce: false,
    owner: { project: '', name: '' },
  } as const;
  return runTaskStep(step, requests);
}
