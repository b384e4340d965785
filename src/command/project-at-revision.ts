import { CommandFailure } from '../diagnostics/diagnostic.ts';
import type { Project, Settings } from '../project/project.ts';
import { openRepository, type Revision, readProjectAt } from '../project/revision.ts';
import type { Io } from './io.ts';
import { knowProject } from './masking.ts';

/** A git revision, with the project at that revision. */
export interface ProjectAt {
  readonly revision: Revision;
  readonly project: Project;
}

/**
 * The project at another revision, with the environment of `settings`. Fails (exit 3) if the revision or the repository does
 * not exist. Errors in the project at that revision are no failure.
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
  // The environment in use, even if it was chosen only because it is the only one.
  const request = { projectDir, projectFile, environment: environment ?? undefined, env: io.env };
  const project = await readProjectAt(revision, request);
  knowProject(project, io);
  return { revision, project };
}
