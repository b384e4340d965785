import type { ApprovalOptions } from '../../command/approval.ts';
import type { Io } from '../../command/io.ts';
import { type CommonOptions, chosenEnvironment } from '../../command/options.ts';
import { readProjectOf } from '../../command/read-project.ts';
import { CommandFailure, usage } from '../../diagnostics/diagnostic.ts';
import { parseAddress } from '../../model/address.ts';
import { kindOf, TASK_KINDS } from '../../model/kind.ts';
import { knownTask } from '../../plan/identity/known-task.ts';
import { openOperator, visibleKinds } from './context.ts';
import { releaseChoices, releaseWarnings } from './release-choice.ts';
import { releaseAll } from './releasing.ts';
import { manifestsOf } from './stored-otherwise.ts';
import { allTasks } from './survey.ts';

export interface ReleaseOptions extends CommonOptions, ApprovalOptions {
  readonly id?: readonly string[];
  readonly dryRun?: boolean;
  /** `--project-name`: whose tasks are meant, where there is no project file that can be read. */
  readonly projectName?: string;
}

/**
 * `tradeform release`: takes the marker off tasks that are named, after a literal `yes`; they stay as they are. Needs no
 * valid manifests. Returns the exit code: 0 where all are released, 1 where one is not, 3 for a name of nothing, 4 where
 * one is refused or it is not approved, 130 where it was interrupted.
 */
export async function runRelease(
  addresses: readonly string[],
  options: ReleaseOptions,
  io: Io,
): Promise<number> {
  const ids = writtenChoice(addresses, options);
  const project = await readProjectOf(options, chosenEnvironment(options.environment, io.env), io);
  const desired = project.state;
  const context = await openOperator(options, io, { blind: false, emergency: false });
  try {
    const tasks = await allTasks(visibleKinds(context.account), context, io);
    const seen = tasks.map((task) => knownTask(task, context.project));
    const { chosen, unknown, refused, warned } = releaseChoices(seen, {
      addresses,
      ids,
      protect: project.declared?.limits.protect,
      manifests: desired && manifestsOf(desired, seen),
    });
    if (unknown.length > 0) throw new CommandFailure(3, unknown);
    if (refused.length > 0) throw new CommandFailure(4, refused, project.sources);
    const warnings = [...warned, ...releaseWarnings(chosen, tasks, desired, context.project)];
    return await releaseAll({ choices: chosen, warnings, context, options, io });
  } finally {
    context.progress.close();
    await context.session.close();
  }
}

/** The ids as the service has them; fails (exit 3) where nothing is named, or a name can be no task's. */
function writtenChoice(addresses: readonly string[], { id = [] }: ReleaseOptions): readonly string[] {
  if (addresses.length + id.length === 0)
    throw usage('no task is named', 'Name tasks by address (sniper/dawn), or by --id ID.');
  const wrong = addresses.filter((text) => {
    const parsed = parseAddress(text);
    return parsed === undefined || kindOf(parsed.collection).family !== 'task';
  });
  const [first] = wrong;
  if (first !== undefined) {
    const kinds = TASK_KINDS.map(({ collection }) => collection).join(', ');
    throw usage(
      `${first} is not the address of a task`,
      `An address is KIND/NAME with a kind of ${kinds}, without *. Templates and labels have no marker: a Removal deletes them.`,
    );
  }
  return id.map((text) => text.toLowerCase());
}
