import type { DesiredState } from '../desired/state.ts';
import { CommandFailure, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Project, readProject, type Settings } from '../files/project.ts';
import type { Io } from './io.ts';
import { type CommonOptions, chosenEnvironment } from './options.ts';

/** A project that compiled. */
export interface Compiled {
  readonly state: DesiredState;
  readonly settings: Settings;
  readonly manifests: Project['manifests'];
  /** Warnings only. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The project of the working directory; fails (exit 3) with every problem of every file. Nothing is sent. */
export async function compiledProject(
  options: CommonOptions,
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<Compiled> {
  const { state, settings, diagnostics, manifests, sources } = await readProject({
    cwd: io.cwd,
    env: io.env,
    projectFile: options.project,
    environment: chosenEnvironment(options.environment, io.env),
  });
  if (state === undefined || settings === undefined) throw new CommandFailure(3, diagnostics, sources);
  return { state, settings, diagnostics, manifests };
}
