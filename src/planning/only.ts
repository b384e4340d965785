import type { Io } from '../command/io.ts';
import { type ProjectAt, projectAt } from '../command/project-at-revision.ts';
import { manifestsDigest } from '../desired/digest.ts';
import { CommandFailure, type Diagnostic, problem, usage } from '../diagnostics/diagnostic.ts';
import type { PlanInput } from '../plan/input.ts';
import { OnlySearch } from '../plan/only/only.ts';
import type { OnlyMode } from '../plan/only/selection.ts';
import { makePlan } from '../plan/plan.ts';
import { mergeBase } from '../project/git-commands.ts';
import { History } from '../project/history.ts';
import { openRepository, type Repository } from '../project/revision.ts';
import { usable } from './base-plan.ts';
import type { Loaded } from './load-project.ts';

/** The maximum of commits to read that touch the project directory. */
const DEPTH = 1_000;

export interface OnlyOptions {
  readonly only?: OnlyMode | undefined;
  readonly base?: string | undefined;
}

/** The questions of `--only` to git. */
interface OnlyGit {
  readonly mode: OnlyMode;
  readonly repository: Repository;
  readonly head: string;
  readonly base: ProjectAt | undefined;
}

/**
 * Opens what `--only` needs. Undefined without the option. Refuses (exit 4) a state in which git's changes cannot be told from
 * those of people: no history or only a part of it, a base that is no ancestor of HEAD, or uncommitted manifests. Sends
 * nothing.
 */
export async function readOnly(options: OnlyOptions, loaded: Loaded, io: Io): Promise<OnlyGit | undefined> {
  const { only: mode, base: name } = options;
  if (mode === undefined) return undefined;
  if (mode === 'change' && name === undefined)
    throw usage('--only change needs --base', 'Name the revision to compare with: --base main...');
  const { settings } = loaded;
  const opened = openRepository(settings.projectDir, io.env);
  if ('diagnostic' in opened) throw refused(opened.diagnostic.message, opened.diagnostic.hint);
  const { repository } = opened;
  if (repository.isShallow() !== false)
    throw refused(
      'this clone is shallow, and the missing commits may be the ones that decide',
      'Fetch the history: git fetch --unshallow, or fetch-depth: 0 in a workflow.',
    );
  const { commit, dirty } = await loaded.source;
  if (commit === null) throw refused('the repository has no commit yet', 'Commit the manifests.');
  if (dirty) await requireSame(commit, loaded, repository, io);
  if (name === undefined) return { mode, repository, head: commit, base: undefined };
  const base = await baseAt(name, loaded, repository, io);
  const common = repository.git.ask(mergeBase(base.revision.commit, commit));
  if (!common.ok || common.stdout.toString('latin1').trim() !== base.revision.commit)
    throw refused(
      `HEAD does not descend from ${name} (${base.revision.commit.slice(0, 7)}): history was rewritten, or the branches diverged`,
      `If they diverged, name the merge base: --base ${name.replace(/\.+$/, '')}... If history was rewritten, review the plan without --only.`,
    );
  return { mode, repository, head: commit, base };
}

async function baseAt(
  name: string,
  { settings }: Loaded,
  repository: Repository,
  io: Io,
): Promise<ProjectAt> {
  try {
    return await projectAt(name, settings, io, repository);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const [found] = error.diagnostics;
    throw refused(found?.message ?? `${name} cannot be read`, found?.hint);
  }
}

/** An uncommitted change belongs neither to git nor to the service. */
async function requireSame(
  commit: string,
  { desired, settings }: Loaded,
  repository: Repository,
  io: Io,
): Promise<void> {
  const { project } = await projectAt(commit, settings, io, repository);
  if (project.state !== undefined && manifestsDigest(project.state) === manifestsDigest(desired)) return;
  throw refused('the manifests here differ from those of HEAD', 'Commit them, or plan without --only.');
}

/**
 * The input of a plan that leaves what people changed. The complete plan says what differs, and git says who made each
 * difference. Refuses (exit 4) a base of another project or account, and a history that git cannot list.
 */
export async function selectOnly(
  { mode, repository, head, base }: OnlyGit,
  input: PlanInput,
  { settings }: Loaded,
  io: Io,
): Promise<PlanInput> {
  const { desired, live } = input;
  const there = base === undefined ? undefined : usable(input, base.project);
  if (there !== undefined && 'reason' in there)
    throw refused(
      `${base?.revision.name} cannot be planned: ${there.reason}`,
      'Name a base that compiles for this project and environment.',
    );
  const search = new OnlySearch({ mode, plan: makePlan(input), desired, live, base: there?.state });
  if (search.open) {
    const { projectDir, projectFile, environment } = settings;
    const request = {
      repository,
      projectDir,
      projectFile,
      env: io.env,
      environment: environment ?? undefined,
    };
    const history = new History({ ...request, head, depth: DEPTH });
    for await (const past of history.commits()) {
      search.look(past);
      if (!search.open || io.stop.soft.aborted) break;
    }
    io.masking.learnEnvironment(history.environment);
    if (history.problem !== undefined)
      throw refused(
        `git cannot list the earlier commits: ${history.problem}`,
        'Run `git log` in the project directory; a partial clone may lack the requested commits.',
      );
  }
  return { ...input, ...search.selection() };
}

function refused(why: string, hint: string | undefined): CommandFailure {
  const diagnostic: Diagnostic = problem(
    'only-refused',
    `--only cannot tell what git changed from what people changed: ${why}`,
    hint,
  );
  return new CommandFailure(4, [diagnostic]);
}
