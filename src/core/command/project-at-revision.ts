import { CommandFailure } from '../diagnostics/diagnostic.ts';
import type { Project, Settings } from '../project/project.ts';
import { openRepository, type Revision, readProjectAt } from '../project/revision.ts';
import type { Io } from './io.ts';

export interface ProjectAt {
  readonly revision: Revision;
  readonly project: Project;
}

/**
 * The project at another revision, with the environment of `settings`. Fails (exit 3) if the revision or the repository does
 * not exist. Errors in the project at that revision are no failure. `compared`: the state is never sent, so a variable that is not set
 * here is no error.
 */
export async function projectAt(
  name: string,
  settings: Settings,
  io: Pick<Io, 'env' | 'masking'>,
  compared = true,
): Promise<ProjectAt> {
  const { projectDir, projectFile, environment, project: own, previousProject = own } = settings;
  const opened = openRepository(settings, io.env);
  const found =
    'repository' in opened ? opened.repository.revision(name, projectFile, [own, previousProject]) : opened;
  if ('diagnostic' in found) throw new CommandFailure(3, [found.diagnostic]);
  const { revision } = found;
  // The environment in use, even if it was chosen only because it is the only one.
  const request = { projectDir, projectFile, environment: environment ?? undefined, env: io.env, compared };
  const project = await readProjectAt(revision, request);
  io.masking.learnEnvironment(project.environment);
  return { revision, project };
}
