import { type Project, readProject } from '../project/project.ts';
import type { Io } from './io.ts';
import { knowProject } from './masking.ts';
import type { CommonOptions } from './options.ts';

/**
 * Reads and compiles the project of a command, whatever is wrong with it. A file of its own: `validate` needs neither git nor
 * a digest, and loading Node's parts for them takes as long as validating a small project.
 */
export async function readProjectOf(
  options: CommonOptions,
  environment: string | undefined,
  io: Pick<Io, 'cwd' | 'env' | 'masking'>,
): Promise<Project> {
  const project = await readProject({ cwd: io.cwd, projectFile: options.project, environment, env: io.env });
  knowProject(project, io);
  return project;
}
