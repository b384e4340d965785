import type { Io } from '../../command/io.ts';
import { knowProject } from '../../command/masking.ts';
import { type CommonOptions, chosenEnvironment } from '../../command/options.ts';
import { readProjectOf, requireWholeCheckout } from '../../command/read-project.ts';
import { manifestsDigest } from '../../desired/digest.ts';
import type { DesiredState } from '../../desired/state.ts';
import { CommandFailure, type Diagnostic, note } from '../../diagnostics/diagnostic.ts';
import type { DriftReport } from '../../model/generated/drift.ts';
import { readGit } from '../../project/git-state.ts';
import type { Project, Settings } from '../../project/project.ts';
import { openRepository, type Repository, readProjectAt } from '../../project/revision.ts';

/** The git state, and the commits before it. */
export interface GitSource {
  readonly desired: DesiredState;
  readonly settings: Settings;
  readonly source: DriftReport['source'];
  /** How many commits the first-parent line has up to this one; undefined if that is not known. */
  readonly number: number | undefined;
  /** Undefined if there is no earlier commit. */
  readonly history: { readonly repository: Repository; readonly head: string } | undefined;
  /** Diagnostics about the source. */
  readonly diagnostics: readonly Diagnostic[];
}

type Reading = Pick<Io, 'cwd' | 'env' | 'masking'>;

/**
 * The git state is the commit of HEAD. If the working tree equals the commit, it is read from disk as in `plan`. If not, the
 * commit itself is read, and uncommitted changes do not count. Without a commit of the project, the working tree is used. Fails
 * (exit 3) if this state does not compile.
 */
export async function readGitSource(options: CommonOptions, io: Reading): Promise<GitSource> {
  const environment = chosenEnvironment(options.environment, io.env);
  const onDisk = await readProjectOf(options, environment, io);
  const { settings } = onDisk;
  if (settings === undefined) throw failed(onDisk);
  requireWholeCheckout(onDisk);
  const { projectDir, projectFile } = settings;
  const { commit, dirty, number } = await readGit(projectDir, io.env);
  const opened = openRepository(projectDir, io.env);
  if ('diagnostic' in opened || commit === null) {
    const why = 'diagnostic' in opened ? opened.diagnostic.message : 'the repository has no commit yet';
    return withoutHistory(onDisk, { commit, dirty, why });
  }
  const { repository } = opened;
  if (!dirty) return withHistory(onDisk, { repository, commit, dirty, number, diagnostics: [] });
  const found = repository.revision('HEAD');
  if ('diagnostic' in found) throw new CommandFailure(3, [found.diagnostic]);
  const committed = await readProjectAt(found.revision, {
    projectDir,
    projectFile,
    environment,
    env: io.env,
  });
  knowProject(committed, io);
  if (
    committed.settings === undefined &&
    committed.diagnostics.some(({ code }) => code === 'no-project-file')
  ) {
    return withoutHistory(onDisk, { commit, dirty, why: 'no commit has the project yet' });
  }
  // Somebody may have committed since git was asked: the state, the history and the report have the same commit.
  const { commit: head } = found.revision;
  const diagnostics = saysSame(onDisk, committed) ? [] : [notCommitted(head)];
  return withHistory(committed, { repository, commit: head, dirty, number, diagnostics });
}

interface Bare {
  readonly commit: string | null;
  readonly dirty: boolean;
  readonly why: string;
}

function withoutHistory(project: Project, { commit, dirty, why }: Bare): GitSource {
  const { desired, settings } = compiled(project);
  return {
    desired,
    settings,
    source: { commit, dirty, read: 'working-tree', manifests_digest: manifestsDigest(desired) },
    number: undefined,
    history: undefined,
    diagnostics: [
      note(
        'history-none',
        `what was applied last is known only where git wants the same now: ${why}`,
        'the desired state comes from the working tree; run drift in a clone with history to compare with earlier commits',
      ),
    ],
  };
}

interface Full {
  readonly repository: Repository;
  readonly commit: string;
  readonly dirty: boolean;
  readonly number: number | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

function withHistory(project: Project, { repository, commit, dirty, number, diagnostics }: Full): GitSource {
  const { desired, settings } = compiled(project);
  return {
    desired,
    settings,
    source: { commit, dirty, read: 'commit', manifests_digest: manifestsDigest(desired) },
    number,
    history: { repository, head: commit },
    diagnostics,
  };
}

function compiled(project: Project): { readonly desired: DesiredState; readonly settings: Settings } {
  const { state: desired, settings } = project;
  if (desired === undefined || settings === undefined) throw failed(project);
  return { desired, settings };
}

function failed({ diagnostics, sources }: Project): CommandFailure {
  return new CommandFailure(3, diagnostics, sources);
}

/** True if the manifests are equal. A file that is no manifest also makes a working tree dirty. */
function saysSame({ state }: Project, committed: Project): boolean {
  if (state === undefined || committed.state === undefined) return false;
  return manifestsDigest(state) === manifestsDigest(committed.state);
}

function notCommitted(commit: string): Diagnostic {
  return note(
    'working-tree-differs',
    `the working tree differs from commit ${commit.slice(0, 7)}, which drift compares with`,
    'commit the changes to include them; `tradeform plan` uses the working tree',
  );
}
