import type { Io } from '../command/io.ts';
import { projectAt } from '../command/project-at-revision.ts';
import { CommandFailure, type Diagnostic, warning } from '../diagnostics/diagnostic.ts';
import type { LiveState } from '../model/resource.ts';
import { addressesNamedBy, orphanAddresses } from '../plan/identity/never-named.ts';
import { unwatchedFiles } from '../project/checkout.ts';
import type { GitState } from '../project/git-state.ts';
import type { Project } from '../project/project.ts';
import { openRepository } from '../project/revision.ts';
import type { Loaded } from './load-project.ts';

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
  const opened = openRepository(settings.projectDir, io.env);
  if ('diagnostic' in opened) throw new CommandFailure(3, [opened.diagnostic]);
  const { repository } = opened;
  const { revision, project } = await projectAt(commit, settings, io, repository);
  const { state, diagnostics } = project;
  const short = commit.slice(0, 7);
  if (state === undefined) {
    if (diagnostics.some(({ code }) => code === 'no-project-file')) return [];
    return orphans.map((address) => ({
      ...warning(
        'removal-uncommitted',
        `git does not say that the manifest of ${address} was removed: the project does not compile at ${short}`,
        HINT,
      ),
      address,
    }));
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
  return removed.map((address) => ({
    ...warning(
      'removal-uncommitted',
      `the commit ${short} still describes ${address}: its manifest was removed only here, in an uncommitted change`,
      HINT,
    ),
    address,
  }));
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

const HINT = 'commit the removal, or restore the file';
