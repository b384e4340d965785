import { CommandFailure } from '../diagnostics/diagnostic.ts';
import { type OpenedProject, openProject, type Project, type ProjectRequest } from '../project/project.ts';
import type { Io } from './io.ts';
import { type CommonOptions, chosenEnvironment } from './options.ts';

type ReadingIo = Pick<Io, 'cwd' | 'env' | 'masking'>;

interface Reached extends Pick<ProjectRequest, 'checkout'> {
  /** Nothing is decided from what the manifests lack, so git is not asked whether all of them are here. */
  readonly partial?: boolean;
}

/**
 * Reads and compiles the project of a command, with or without errors. It has its own file because `validate` needs neither git
 * nor a digest: loading Node's modules for these takes as long as validating a small project.
 */
export async function readProjectOf(
  options: CommonOptions,
  io: ReadingIo,
  reached: Reached = {},
): Promise<Project> {
  return (await openProjectOf(options, io, reached)).compile();
}

/** The same in two steps. Between them, what needs only the project file may begin. */
export async function openProjectOf(
  options: CommonOptions,
  io: ReadingIo,
  { partial = false, checkout: own }: Reached = {},
): Promise<OpenedProject> {
  const checkout = partial ? own : (await import('../project/checkout.ts')).openCheckout;
  const environment = chosenEnvironment(options.environment, io.env);
  const place = { cwd: io.cwd, projectFile: options.project, env: io.env };
  const { settings, compile } = openProject({ ...place, environment, checkout });
  return {
    settings,
    compile: async () => {
      const project = await compile();
      io.masking.learnEnvironment(project.environment);
      return project;
    },
  };
}

/**
 * Fails (exit 3) if the checkout lacks manifests of its commit. For commands that read another commit instead: whoever has only a
 * part of the manifests does not see what they undo or report.
 */
export function requireWholeCheckout({ diagnostics, sources }: Project): void {
  const lacking = diagnostics.filter(({ code }) => code === 'checkout-incomplete');
  if (lacking.length > 0) throw new CommandFailure(3, lacking, sources);
}

/** A project without errors. */
export type CompiledProject = Project & Required<Pick<Project, 'state' | 'settings' | 'guardrails'>>;

/** Fails (exit 3) with every problem of every file. */
export function requireCompiled(project: Project): CompiledProject {
  const { state, settings, guardrails } = project;
  if (state === undefined || settings === undefined || guardrails === undefined)
    throw new CommandFailure(3, project.diagnostics, project.sources);
  return { ...project, state, settings, guardrails };
}
