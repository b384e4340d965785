import type { Io } from '../command/io.ts';
import { projectAt } from '../command/project-at-revision.ts';
import { requireCompiled, requireWholeCheckout } from '../command/read-project.ts';
import type { DesiredState } from '../desired/state.ts';
import { CommandFailure, type Diagnostic, type Texts } from '../diagnostics/diagnostic.ts';
import { given } from '../model/given.ts';
import type { Guardrails } from '../plan/guardrails/compiled.ts';
import type { PlanInput } from '../plan/input.ts';
import { gitRefusal, readGit } from '../project/git-state.ts';
import type { Project, Settings } from '../project/project.ts';

/** The project in the form that a plan needs. */
export interface Loaded {
  readonly desired: DesiredState;
  readonly settings: Settings;
  /** The origin of the plan, for its `source`. git is asked while the service is read. Never fails. */
  readonly source: Promise<Omit<PlanInput['source'], 'manifestsDigest'>>;
  readonly guardrails: Guardrails;
  /** Texts of the files that diagnostics point into. */
  readonly sources: Texts;
  /** Warnings only. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The project of the working directory. Fails (exit 3) with every problem of every file. */
export function loadDesired(project: Project, io: Pick<Io, 'env'>): Loaded {
  const { state, settings, guardrails, diagnostics, sources } = requireCompiled(project);
  return {
    desired: state,
    settings,
    source: readGit(settings, io.env, sources),
    guardrails,
    sources,
    // A manifest that was set aside is named beside the task that it described.
    diagnostics: [
      ...diagnostics.filter(({ severity }) => severity !== 'info'),
      ...gitRefusal(settings, io.env),
    ],
  };
}

/**
 * The desired state of another revision. Service, account pin and guardrails are the current ones, as far as the current
 * project can be read: a rollback must not undo its protection.
 */
export async function loadRevision(
  name: string,
  here: Project,
  io: Pick<Io, 'env' | 'masking'>,
): Promise<Loaded> {
  if (here.settings === undefined) throw new CommandFailure(3, here.diagnostics, here.sources);
  requireWholeCheckout(here);
  const { revision, project } = await projectAt(name, here.settings, io, false);
  const { state, guardrails, diagnostics, sources } = requireCompiled(project);
  return {
    desired: calledAsHere(state, here.settings, name),
    settings: here.settings,
    // The number is that of HEAD: no commit between may write over a rollback.
    source: readGit(here.settings, io.env).then(({ number }) => ({
      commit: revision.commit,
      dirty: false,
      number,
    })),
    guardrails: here.guardrails ?? guardrails,
    sources,
    diagnostics,
  };
}

/** The project keeps its current name, because the name decides which tasks it owns. */
function calledAsHere(
  { previousProject: _, ...state }: DesiredState,
  { project, previousProject }: Settings,
  revision: string,
): DesiredState {
  if (state.project === project || state.project === previousProject)
    return { ...state, project, ...given({ previousProject }) };
  throw CommandFailure.of(
    3,
    'plan-elsewhere',
    `at ${revision}, the project has the name ${state.project}, but here ${project}`,
    `If it was renamed, write metadata.previous_name: ${state.project} in the project file.`,
  );
}
