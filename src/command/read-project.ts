import { type Project, readProject } from '../project/project.ts';
import type { Io } from './io.ts';
import { knowProject } from './masking.ts';
import type { CommonOptions } from './options.ts';

/**
 * Reads and compiles the project of a command, with or without errors. It has its own file because `validate` needs neither git
 * nor a digest: loading Node's modules for these takes as long as validating a small project.
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
