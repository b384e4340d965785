import { CommandFailure } from '../diagnostics/diagnostic.ts';
import type { Project, Settings } from '../project/project.ts';
import { openRepository, type Revision, readProjectAt } from '../project/revision.ts';
import type { Io } from './io.ts';
import { knowProject } from './masking.ts';

/** A git revision, and the project as it is there. */
export interface ProjectAt {
  readonly revision: Revision;
  readonly project: Project;
}

/**
 * The project as another revision has it, with the environment of `settings`. Fails (exit 3) where there is no such
 * revision, or no repository. What is wrong with the project there is no failure.
 */
export async function projectAt(
  name: string,
  { projectDir, projectFile, environment }: Settings,
  io: Pick<Io, 'env' | 'masking'>,
): Promise<ProjectAt> {
  const opened = openRepository(projectDir, io.env);
  const found = 'repository' in opened ? opened.repository.revision(name) : opened;
  if ('diagnostic' in found) throw new CommandFailure(3, [found.diagnostic]);
  const { revision } = found;
  // The environment that is in use, also where it was chosen because it is the only one.
  const request = { projectDir, projectFile, environment: environment ?? undefined, env: io.env };
  const project = await readProjectAt(revision, request);
  knowProject(project, io);
  return { revision, project };
}
