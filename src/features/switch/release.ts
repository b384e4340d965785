import type { Requests } from '../../apply/requests.ts';
import { TrackedTask } from '../../apply/tracked-task.ts';
import type { Io } from '../../command/io.ts';
import { chosenEnvironment } from '../../command/options.ts';
import { readProjectOf } from '../../command/read-project.ts';
import { CommandFailure, usage } from '../../diagnostics/diagnostic.ts';
import { parseAddress } from '../../model/address.ts';
import type { SwitchedTask } from '../../model/generated/switch.ts';
import { kindOf } from '../../model/kind.ts';
import type { LiveTask } from '../../model/resource.ts';
import { allTasks, unknownTaskNames } from './choice.ts';
import { type ReleaseChoice, releaseChoices, releaseWarnings } from './release-choice.ts';
import { reportedOf, type Showable, showableIn, switchedTask } from './report.ts';
import { manifestsOf } from './resume-choice.ts';
import { NOBODY, patchRemark, type SwitchOutcome } from './resume-task.ts';
import { runSwitch, type SwitchOptions, type Work, type WorkEnd, workOn } from './run.ts';

export interface ReleaseOptions extends Omit<SwitchOptions, 'all' | 'kind' | 'label' | 'includeUnmanaged'> {
  readonly id?: readonly string[];
}

/**
 * `tradeform release`: removes the marker from the named tasks after a literal `yes`. The tasks stay as they are. Needs no valid
 * manifests. Returns the exit code: 0 if all are released, 1 if one is not, 3 for an unknown name, 4 if one is refused or the
 * approval is missing, 130 after an interruption.
 */
export async function runRelease(
  addresses: readonly string[],
  options: ReleaseOptions,
  io: Io,
): Promise<number> {
  const names = [...addresses, ...(options.id ?? []).map((id) => id.toLowerCase())];
  requireTasks(names);
  const selection = { names, kinds: [], labels: [], includeUnmanaged: true };
  const project = await readProjectOf(options, chosenEnvironment(options.environment, io.env), io);
  const desired = project.state;
  return runSwitch('release', options, io, { project }, async (context) => {
    const seen = await allTasks(context, io);
    const unknown = unknownTaskNames(selection, seen);
    if (unknown.length > 0) throw new CommandFailure(3, unknown);
    const { chosen, diagnostics } = releaseChoices(seen, {
      names,
      protect: project.declared?.limits.protect,
      manifests: desired && manifestsOf(desired, seen),
    });
    const refused = diagnostics.filter(({ severity }) => severity === 'error');
    if (refused.length > 0) throw new CommandFailure(4, refused, project.sources);
    const showable = showableIn(desired);
    const works = chosen.map(workOf);
    const reported = (ends?: ReadonlyMap<Work, WorkEnd>) =>
      reportedOf(
        works.map((work) => rowOf(work, ends?.get(work), showable, io)),
        io,
      );
    const tasks = seen.map(({ task }) => task);
    return {
      warnings: [...diagnostics, ...releaseWarnings(chosen, tasks, desired, context.project)],
      planned: reported(),
      question: 'Remove these markers? Only "yes" is accepted: ',
      act: async () => reported(await workOn(works, 'Releasing', context, options, io)),
    };
  });
}

interface Releasing extends Work, ReleaseChoice {}

function workOf({ known, after }: ReleaseChoice): Releasing {
  const send = (requests: Requests) => releaseTask(known.task, after, requests);
  return { known, after, done: 'released', verb: 'released', send };
}

function rowOf(work: Releasing, end: WorkEnd | undefined, showable: Showable, io: Io): SwitchedTask {
  // Both are remarks, which others write.
  const remarks = { before: io.masking.said(work.known.task.remark), after: io.masking.said(work.after) };
  const { known, ...row } = end ?? { known: work.known, status: 'planned' };
  return switchedTask(known, { ...row, remarks }, showable);
}

/**
 * Removes the marker of one task and changes nothing else (interface, "Task resources": a remark may change while the task runs).
 * A remark that somebody wrote in the meantime is not overwritten.
 */
export function releaseTask(found: LiveTask, remark: string, requests: Requests): Promise<SwitchOutcome> {
  return patchRemark(new TrackedTask(found, found), NOBODY, () => ({ remark }), requests);
}

/** Fails with exit 3 without a name, or for one that no single task can have. */
function requireTasks(names: readonly string[]): void {
  if (names.length === 0) throw usage('no task is named', 'Name tasks by address (sniper/dawn), name or id.');
  const wrong = names.find((name) => {
    const parsed = parseAddress(name);
    return name.includes('*') || (parsed !== undefined && kindOf(parsed.collection).family !== 'task');
  });
  if (wrong === undefined) return;
  throw usage(
    `${wrong} is not the address of a task`,
    'Name each task, without *. Templates and labels have no marker: a Removal deletes them.',
  );
}
