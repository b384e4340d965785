import type { Io } from '../../command/io.ts';
import { knowProject } from '../../command/masking.ts';
import { type CommonOptions, chosenEnvironment } from '../../command/options.ts';
import { readProjectOf } from '../../command/read-project.ts';
import { manifestsDigest } from '../../desired/digest.ts';
import type { DesiredState } from '../../desired/state.ts';
import { CommandFailure, type Diagnostic, note, usage } from '../../diagnostics/diagnostic.ts';
import type { DriftReport } from '../../model/generated/drift.ts';
import { readGit } from '../../project/git-state.ts';
import { History, type HistoryRequest } from '../../project/history.ts';
import type { Project, Settings } from '../../project/project.ts';
import { openRepository, type Repository, readProjectAt } from '../../project/revision.ts';

export interface SourceOptions extends CommonOptions {
  /** `--depth N`. */
  readonly depth?: number | undefined;
  /** `--since DATE|REV`. */
  readonly since?: string | undefined;
}

/** The git state, and the commits before it. */
export interface GitSource {
  readonly desired: DesiredState;
  readonly settings: Settings;
  readonly source: DriftReport['source'];
  /** Undefined if there is no earlier commit. */
  readonly history: History | undefined;
  /** Diagnostics about the source. */
  readonly diagnostics: readonly Diagnostic[];
}

const DEFAULT_DEPTH = 200;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const LOCAL = /T[\d:.]+$/;

type Reading = Pick<Io, 'cwd' | 'env' | 'masking'>;

/**
 * The git state is the commit of HEAD. If the working tree equals the commit, it is read from disk as in `plan`. If not, the
 * commit itself is read, and uncommitted changes do not count. Without a commit of the project, the working tree is used. Fails
 * (exit 3) if this state does not compile.
 */
export async function readGitSource(options: SourceOptions, io: Reading): Promise<GitSource> {
  const environment = chosenEnvironment(options.environment, io.env);
  const onDisk = await readProjectOf(options, environment, io);
  const { settings } = onDisk;
  if (settings === undefined) throw failed(onDisk);
  const { projectDir, projectFile } = settings;
  const request = { projectDir, projectFile, environment, env: io.env };
  const { commit, dirty } = await readGit(projectDir, io.env);
  const opened = openRepository(projectDir, io.env);
  if ('diagnostic' in opened || commit === null) {
    const why = 'diagnostic' in opened ? opened.diagnostic.message : 'the repository has no commit yet';
    return withoutHistory(onDisk, { commit, dirty, why, since: options.since });
  }
  const { repository } = opened;
  if (!dirty) {
    return withHistory(onDisk, { repository, options, request, commit, dirty, diagnostics: [] });
  }
  const found = repository.revision('HEAD');
  if ('diagnostic' in found) throw new CommandFailure(3, [found.diagnostic]);
  const committed = await readProjectAt(found.revision, request);
  knowProject(committed, io);
  if (
    committed.settings === undefined &&
    committed.diagnostics.some(({ code }) => code === 'no-project-file')
  ) {
    return withoutHistory(onDisk, {
      commit,
      dirty,
      why: 'no commit has the project yet',
      since: options.since,
    });
  }
  // Somebody may have committed since git was asked: the state, the history and the report have the same commit.
  const { commit: head } = found.revision;
  const diagnostics = saysSame(onDisk, committed) ? [] : [notCommitted(head)];
  return withHistory(committed, { repository, options, request, commit: head, dirty, diagnostics });
}

interface Bare {
  readonly commit: string | null;
  readonly dirty: boolean;
  readonly why: string;
  readonly since: string | undefined;
}

function withoutHistory(project: Project, { commit, dirty, why, since }: Bare): GitSource {
  if (since !== undefined) throw usage(`--since ${since}: ${why}`, 'Remove --since.');
  const { desired, settings } = compiled(project);
  return {
    desired,
    settings,
    source: { commit, dirty, read: 'working-tree', manifests_digest: manifestsDigest(desired) },
    history: undefined,
    diagnostics: [
      note(
        'history-none',
        `pending and changed cannot be distinguished: ${why}`,
        'the desired state comes from the working tree; run drift in a clone with history to compare with earlier commits',
      ),
    ],
  };
}

interface Full {
  readonly repository: Repository;
  readonly options: SourceOptions;
  readonly request: Pick<HistoryRequest, 'projectDir' | 'projectFile' | 'environment' | 'env'>;
  readonly commit: string;
  readonly dirty: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

function withHistory(
  project: Project,
  { repository, options, request, commit, dirty, diagnostics }: Full,
): GitSource {
  const { desired, settings } = compiled(project);
  const since = sinceOf(options.since, repository);
  const { environment } = desired;
  return {
    desired,
    settings,
    source: { commit, dirty, read: 'commit', manifests_digest: manifestsDigest(desired) },
    history: new History({
      ...request,
      repository,
      // The environment in use, even if it was chosen because it is the only one: an earlier commit may have more.
      environment: environment ?? undefined,
      head: commit,
      depth: options.depth ?? DEFAULT_DEPTH,
      ...(since === undefined ? {} : { since }),
    }),
    diagnostics,
  };
}

function sinceOf(since: string | undefined, repository: Repository): HistoryRequest['since'] {
  if (since === undefined) return undefined;
  if (DATE.test(since)) {
    // A day begins at midnight UTC, wherever this runs. A time without a zone is UTC as well.
    const date = LOCAL.test(since) ? `${since}Z` : since;
    if (isDay(since.slice(0, 10)) && !Number.isNaN(Date.parse(date))) return { date };
    throw usage(`--since ${since}: no such date`, 'Write a date such as 2026-11-01, or a git revision.');
  }
  const found = repository.revision(since);
  if ('diagnostic' in found) throw new CommandFailure(3, [found.diagnostic]);
  return { commit: found.revision.commit };
}

/** `2026-02-30` is no day: `Date` would read it as the second of March. */
function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
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
