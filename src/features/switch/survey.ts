import { namingHost } from '../../command/connection.ts';
import { interruption, orStopped } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import type { TaskCollection } from '../../model/kind.ts';
import type { LiveTask } from '../../model/resource.ts';
import { surveyTasks } from '../../service/view/survey.ts';
import type { OperatorContext } from './context.ts';

/**
 * All tasks of these kinds, running or not, for commands that then ask a person. Fails with exit 1 if a kind cannot be read, and
 * with 130 after an interruption.
 */
export async function allTasks(
  kinds: readonly TaskCollection[],
  { session, progress, connection }: OperatorContext,
  io: Io,
): Promise<readonly LiveTask[]> {
  const { api, limiter } = session;
  const survey = await orStopped(
    surveyTasks({ api, limiter, progress, kinds, activeOnly: false }),
    io.stop.soft,
  );
  progress.close();
  if (survey === undefined) throw interruption();
  if (survey.failures.size > 0)
    throw new CommandFailure(1, namingHost([...survey.failures.values()], connection.baseUrl));
  io.masking.know(survey.tasks);
  return survey.tasks;
}
