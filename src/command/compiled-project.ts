import type { DesiredState } from '../desired/state.ts';
import { CommandFailure, type Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Project, Settings } from '../project/project.ts';
import type { Io } from './io.ts';
import type { CommonOptions } from './options.ts';
import { readProjectOf } from './read-project.ts';

/** A project that compiled without errors. */
export interface Compiled {
  readonly state: DesiredState;
  readonly settings: Settings;
  readonly guardrails: NonNullable<Project['guardrails']>;
  readonly manifests: Project['manifests'];
  readonly sources: Project['sources'];
  /** Warnings only. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The project of the working directory. Fails (exit 3) with every problem of every file. Sends nothing. */
export async function compiledProject(
  options: CommonOptions,
  io: Pick<Io, 'cwd' | 'env' | 'masking'>,
): Promise<Compiled> {
  const project = await readProjectOf(options, io);
  const { state, settings, guardrails } = project;
  if (state === undefined || settings === undefined || guardrails === undefined)
    throw new CommandFailure(3, project.diagnostics, project.sources);
  return { ...project, state, settings, guardrails };
}
