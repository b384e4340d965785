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
  /** `--project-name`: whose tasks are meant, if there is no readable project file. */
  readonly projectName?: string;
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

/** The ids as the service has them. Fails (exit 3) without a name, or for a name that no task can have. */
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
