import { SETTLED } from '../model/armed.ts';
import type { JsonObject } from '../model/json.ts';
import { isOpen, rearmedRemark } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import { passesWriteSchema } from '../model/write-schema.ts';
import { definitionOf, sameSubstance } from './compare.ts';
import { decideRollback } from './decide.ts';
import type { StepOutcome } from './outcome.ts';
import { markBody, type Owner } from './render-body.ts';
import type { Requests } from './requests.ts';
import { runTaskStep } from './task-step.ts';
import type { TrackedTask } from './tracked-task.ts';
import { write } from './write.ts';

/**
 * Rolls a pending mark back to `@0`, so that the next run does not start a task that must stay as it is. The note does
 * not change. A mark that somebody else wrote in the meantime is not touched.
 * @returns false if the mark may still exist
 */
export async function rollBackMark(task: TrackedTask, owner: Owner, requests: Requests): Promise<boolean> {
  const { known } = task;
  if (task.gone || !isOpen(known) || rearmedRemark(known, owner, SETTLED) === undefined) return true;
  const outcome = await write<LiveTask>(
    {
      verb: 'patch',
      doing: 'The rollback of the mark',
      known: () => task.known,
      render: (known) => markBody(known, owner, SETTLED),
      judge: (answered, body) =>
        answered?.remark === body?.remark ? { type: 'done', resource: answered } : undefined,
      decide: decideRollback,
      rebase: ({ read }) => task.rolledBack(read),
      moved: () => ({ kind: 'moved', text: '' }),
    },
    requests,
  );
  if (outcome.type === 'failed') return outcome.failure.kind === 'gone';
  if (outcome.resource !== undefined) task.rolledBack(outcome.resource);
  return true;
}

/** The remark for the restart: armed for the version that the patch creates. */
type PendingRemark = (known: LiveTask) => string;

/**
 * Starts a task again that this run paused, with its former config (DESIGN 7, `restore`): at the version of the run's
 * own mark, or at the version that its own patch returned; never at a version that was only read. Undefined if the
 * service would not start the former config because it is a legacy snapshot.
 */
export async function restore(
  task: TrackedTask,
  former: LiveTask,
  context: { readonly owner: Owner; readonly buyOnce: boolean; readonly pendingRemark: PendingRemark },
  requests: Requests,
): Promise<StepOutcome<LiveTask> | undefined> {
  if (!passesWriteSchema(definitionOf(former.collection), former.config)) return undefined;
  const { owner, buyOnce, pendingRemark } = context;
  const step = { task, owner, buyOnce, starts: true };
  const changed = !sameSubstance(former, task.known);
  if (changed || task.startable !== task.known.version) {
    const { linked_wallets: wallets } = former;
    const linked: JsonObject = wallets === undefined ? {} : { linked_wallets: [...wallets] };
    const substance: JsonObject = changed ? { config: former.config, ...linked } : {};
    const render = (known: LiveTask) => ({ ...substance, remark: pendingRemark(known) });
    const patched = await runTaskStep({ ...step, verb: 'patch', render }, requests);
    if (patched.type === 'failed') return patched;
  }
  return runTaskStep({ ...step, verb: 'resume', render: () => null }, requests);
}
