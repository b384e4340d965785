import { CommandFailure } from '../diagnostics/diagnostic.ts';
import { type Project, type ProjectRequest, readProject } from '../project/project.ts';
import type { Io } from './io.ts';
import { knowProject } from './masking.ts';
import { type CommonOptions, chosenEnvironment } from './options.ts';

/**
 * Reads and compiles the project of a command, with or without errors. It has its own file because `validate` needs neither git
 * nor a digest: loading Node's modules for these takes as long as validating a small project. `partial`: nothing is decided from
 * what the manifests lack, so git is not asked whether all of them are here.
 */
export async function readProjectOf(
  options: CommonOptions,
  io: Pick<Io, 'cwd' | 'env' | 'masking'>,
  {
    partial = false,
    begin,
    checkout: own,
  }: { readonly partial?: boolean } & Pick<ProjectRequest, 'begin' | 'checkout'> = {},
): Promise<Project> {
  const checkout = partial ? own : (await import('../project/checkout.ts')).openCheckout;
  const environment = chosenEnvironment(options.environment, io.env);
  const place = { cwd: io.cwd, projectFile: options.project, env: io.env };
  const project = await readProject({ ...place, environment, checkout, begin });
  knowProject(project, io);
  return project;
}

/**
 * Fails (exit 3) if the checkout lacks manifests of its commit. For commands that read another commit instead: whoever has only a
 * part of the manifests does not see what they undo or report.
 */
export function requireWholeCheckout({ diagnostics, sources }: Project): void {
  const lacking = diagnostics.filter(({ code }) => code === 'checkout-incomplete');
  if (lacking.length > 0) throw new CommandFailure(3, lacking, sources);
}

/** The project of the working directory. Fails (exit 3) with every problem of every file. `begin`: as in a request. */
export async function compiledProject(
  options: CommonOptions,
  io: Pick<Io, 'cwd' | 'env' | 'masking'>,
  begin?: ProjectRequest['begin'],
): Promise<Project & Required<Pick<Project, 'state' | 'settings' | 'guardrails'>>> {
  const project = await readProjectOf(options, io, { begin });
  const { state, settings, guardrails } = project;
  if (state === undefined || settings === undefined || guardrails === undefined)
    throw new CommandFailure(3, project.diagnostics, project.sources);
  return { ...project, state, settings, guardrails };
}
