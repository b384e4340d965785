import type { Io } from '../command/io.ts';
import { projectAt } from '../command/project-at-revision.ts';
import type { DesiredTask } from '../desired/state.ts';
import { CommandFailure, type Diagnostic, warning } from '../diagnostics/diagnostic.ts';
import { madeOnce } from '../model/by-key.ts';
import type { DriftCommit } from '../model/generated/drift.ts';
import type { LiveState, LiveTask } from '../model/resource.ts';
import { Origin, type OriginInput, type Seeker } from '../origin/origin.ts';
import { VersionSecrets } from '../origin/version-secrets.ts';
import { addressesNamedBy, type NeverNamed, orphanAddresses } from '../plan/identity/never-named.ts';
import type { Differences } from '../plan/plan.ts';
import { unwatchedFiles } from '../project/checkout.ts';
import type { GitState } from '../project/git-state.ts';
import { DEPTH, History, isLacking } from '../project/history.ts';
import type { Project } from '../project/project.ts';
import { DEEPEN, LIST, openRepository, type Repository } from '../project/revision.ts';
import type { Loaded } from './load-project.ts';

/** Who made each difference of a plan, as far as the history tells it. */
export interface Found {
  readonly origin: Origin;
  /** Why the history could not be read to its first commit; undefined if it was, or if nothing was left to ask. */
  readonly limit: NeverNamed['limit'];
  /** True if another clone has more of it. */
  readonly lacks: boolean;
  /** The message of git if it could not list the commits. */
  readonly problem: string | undefined;
}

/**
 * Asks git who made the differences of a plan (DESIGN 3, "The version"). Most plans need no earlier commit, or one: the marker of a
 * task says what was applied last.
 */
export async function findOrigin(
  of: Omit<OriginInput, 'desired'>,
  { desired, settings }: Pick<Loaded, 'desired' | 'settings'>,
  io: Pick<Io, 'env' | 'stop' | 'masking'>,
): Promise<Found> {
  const origin = new Origin({ ...of, desired });
  if (!origin.open) return { origin, limit: undefined, lacks: false, problem: undefined };
  const commits = await commitsOf(settings, io);
  // Without a commit there is no text of git that could not be read.
  if ('why' in commits && commits.none) origin.end(true);
  if ('why' in commits) return { origin, ...unread(commits.why) };
  const searched = await searchHistory(origin, commits, { desired, settings }, io);
  const { history, unread: passed } = searched;
  if (history.problem !== undefined) return { origin, ...unread(history.problem) };
  const lacks = passed !== undefined && isLacking(passed.why);
  return { origin, limit: limitOf(searched), lacks, problem: undefined };
}

/** Which fields of live tasks git takes from the environment, or took when they were written last. */
export async function secretsByVersion(
  tasks: readonly LiveTask[],
  manifests: ReadonlyMap<string, DesiredTask>,
  { desired, settings }: Pick<Loaded, 'desired' | 'settings'>,
  io: Pick<Io, 'env' | 'stop' | 'masking'>,
): Promise<VersionSecrets> {
  const sought = new VersionSecrets(desired, tasks, manifests);
  if (!sought.wants()) return sought;
  const commits = await commitsOf(settings, io);
  if ('head' in commits) await searchHistory(sought, commits, { desired, settings }, io);
  else if (commits.none) sought.withoutHistory();
  return sought;
}

/** The same of the tasks that a plan leaves alone, by id. */
export async function observedSecrets(
  { observations }: Pick<Differences, 'observations'>,
  { tasks }: LiveState,
  loaded: Pick<Loaded, 'desired' | 'settings'>,
  io: Pick<Io, 'env' | 'stop' | 'masking'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const seen = new Set(observations.map(({ id }) => id));
  const left = tasks.filter(({ id }) => seen.has(id));
  const sought = await secretsByVersion(left, new Map(), loaded, io);
  const found = left.map((task) => [task.id, sought.of(task)] as const);
  return new Map(found.filter(([, secrets]) => secrets.length > 0));
}

interface Searched {
  readonly history: History;
  /** Commits that could be read and compiled completely, and the others. */
  readonly commits: number;
  readonly broken: number;
  /** One of those: what another clone has goes first. */
  readonly unread: { readonly commit: DriftCommit; readonly why: Diagnostic } | undefined;
  readonly oldest: DriftCommit | undefined;
}

export interface Commits {
  readonly repository: Repository;
  readonly head: string;
}

/** The commits up to HEAD, or why they are not known; `none`: there are none. */
export async function commitsOf(
  settings: Loaded['settings'],
  { env }: Pick<Io, 'env'>,
): Promise<Commits | { readonly why: string; readonly none: boolean }> {
  const opened = openRepository(settings, env);
  if ('diagnostic' in opened)
    return { why: opened.diagnostic.message, none: opened.diagnostic.code === 'no-repository' };
  const { repository } = opened;
  const head = await repository.head();
  return head === undefined ? { why: 'the repository has no commit yet', none: true } : { repository, head };
}

const histories = new WeakMap<Repository, History>();

/** Passes the commits that can add something to the search, newest first. */
export async function searchHistory(
  origin: Seeker,
  { repository, head }: Commits,
  { desired, settings }: Pick<Loaded, 'desired' | 'settings'>,
  io: Pick<Io, 'env' | 'stop' | 'masking'>,
): Promise<Searched> {
  const { projectDir, projectFile } = settings;
  // The environment in use, even if it was chosen because it is the only one: an earlier commit may have more.
  const environment = desired.environment ?? undefined;
  const names = [settings.project, settings.previousProject ?? settings.project];
  const request = { repository, projectDir, projectFile, env: io.env, environment, head, names };
  const history = madeOnce(histories, repository, () => new History(request));
  let broken = 0;
  let commits = 0;
  let oldest: Searched['oldest'];
  let unread: Searched['unread'];
  for await (const past of history.commits((number, touched) => origin.wants(number, touched))) {
    const why = past.unread;
    if (why === undefined) commits += 1;
    else broken += 1;
    if (why !== undefined && (unread === undefined || (isLacking(why) && !isLacking(unread.why))))
      unread = { commit: past.commit, why };
    oldest = past.commit;
    origin.look(past);
    if (io.stop.soft.aborted) break;
  }
  if (history.problem === undefined) origin.end(history.ended === 'beginning');
  io.masking.learnEnvironment(history.environment);
  return { history, commits, broken, unread, oldest };
}

function unread(text: string): Pick<Found, 'limit' | 'lacks' | 'problem'> {
  return { limit: { text, hint: LIST }, lacks: true, problem: text };
}

/** Why the history was not read completely, and the remedy. Undefined if it was. */
export function limitOf({ history, broken, unread: passed }: Searched): NeverNamed['limit'] {
  if (history.shallow) return { text: 'this clone is shallow', hint: DEEPEN };
  if (history.ended === 'depth') return { text: `only the last ${DEPTH} commits were read`, hint: ONCE };
  if (passed === undefined) return undefined;
  const { commit, why } = passed;
  const place = why.location === undefined ? '' : `${why.location.file}:${why.location.line}: `;
  const what = broken === 1 ? 'an earlier commit' : `${broken} earlier commits`;
  const text = `${what} cannot be read completely here: ${commit.hash.slice(0, 7)}: ${place}${why.message}`;
  return { text, hint: why.hint ?? ONCE };
}

const ONCE = 'apply once without --only';

/**
 * A warning for each task without a manifest here that the commit still describes: its removal is an uncommitted change. Fails
 * (exit 3) if git does not see that change. git is asked only if an owned task has no manifest and the working tree differs from
 * the commit.
 */
export async function uncommittedRemovals(
  loaded: Pick<Loaded, 'desired' | 'settings' | 'sources'>,
  live: LiveState,
  { commit, dirty }: GitState,
  io: Pick<Io, 'env' | 'masking'>,
): Promise<readonly Diagnostic[]> {
  const { desired, settings } = loaded;
  const orphans = commit === null || !dirty ? [] : [...orphanAddresses(desired, live)];
  if (commit === null || orphans.length === 0) return [];
  const opened = openRepository(settings, io.env);
  if ('diagnostic' in opened) throw new CommandFailure(3, [opened.diagnostic]);
  const { repository } = opened;
  const { revision, project } = await projectAt(commit, settings, io);
  const { state, diagnostics } = project;
  const short = commit.slice(0, 7);
  if (state === undefined) {
    if (diagnostics.some(({ code }) => code === 'no-project-file')) return [];
    return orphans.map((address) =>
      uncommitted(
        address,
        `git does not say that the manifest of ${address} was removed: the project does not compile at ${short}`,
      ),
    );
  }
  if (state.project !== desired.project && state.project !== desired.previousProject) return [];
  const named = addressesNamedBy(state);
  const removed = orphans.filter((address) => named.has(address));
  if (removed.length === 0) return [];
  const hidden = hiddenChanges(loaded, project, unwatchedFiles(repository, revision.tree.entered.keys()));
  if (hidden === undefined || hidden.length > 0) {
    const files = hidden?.join(', ') ?? 'files that git cannot list';
    throw CommandFailure.of(
      3,
      'checkout-incomplete',
      `the commit ${short} describes ${removed.join(', ')}, and git does not see the change here: ${files}, marked skip-worktree or assume-unchanged`,
      'git update-index --no-skip-worktree --no-assume-unchanged FILE, and look at git status',
    );
  }
  return removed.map((address) =>
    uncommitted(
      address,
      `the commit ${short} still describes ${address}: its manifest was removed only here, in an uncommitted change`,
    ),
  );
}

function uncommitted(address: string, message: string): Diagnostic {
  return warning('removal-uncommitted', message, 'commit the removal, or restore the file', { address });
}

/** The files of a commit that are different here, although git does not look at them. Undefined if git cannot list them. */
function hiddenChanges(
  { sources }: Pick<Loaded, 'sources'>,
  committed: Project,
  isUnwatched: ReturnType<typeof unwatchedFiles>,
): readonly string[] | undefined {
  if (isUnwatched === undefined) return undefined;
  return [...committed.sources.keys()].flatMap((name) => {
    // After the commit and a colon.
    const file = name.slice(name.indexOf(':') + 1);
    const [here, there] = [sources.get(file), committed.sources.get(name)].map((text) =>
      text?.replaceAll('\r\n', '\n'),
    );
    return isUnwatched(file) && here !== there ? [file] : [];
  });
}
