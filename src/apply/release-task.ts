import type { LiveTask } from '../model/resource.ts';
import type { Done, Failed } from './outcome.ts';
import type { Wire } from './requests.ts';
import { runTaskStep } from './task-step.ts';
import { TrackedTask } from './tracked-task.ts';

/**
 * Takes the marker off one task and leaves all else as it is (interface, "Task resources": a remark may change while the
 * task runs). A remark that somebody wrote meanwhile is not written over.
 */
export function releaseTask(
  found: LiveTask,
  remark: string,
  wire: Wire,
): Promise<Done<LiveTask> | Failed<LiveTask>> {
  const step = {
    verb: 'patch',
    task: new TrackedTask(found, found),
    render: () => ({ remark }),
    starts: false,
    buyOnce: false,
    owner: { project: '', name: '' },
  } as const;
  return runTaskStep(step, wire);
}
