import { openGit } from '../../src/project/git.ts';
import { firstParents } from '../../src/project/git-commands.ts';
import type { Event } from './event.ts';
import { ActionFailure } from './failure.ts';
import { type GitHub, untilAnswered } from './github.ts';
import type { CommentSubject } from './header.ts';
import type { ActionRun } from './run.ts';

/** What an apply goes out from, as the host recorded it. */
export interface ApplyBase {
  /** The last commit that was applied whole; before the first of them, the branch before the push. Undefined if neither is known. */
  readonly base: string | undefined;
  /** The commits since then on the first-parent line, the newest first. Empty if the newest one was applied whole. */
  readonly since: readonly string[];
}

/** How many commits are asked about. Every push leaves a record on its last commit, so usually the second one answers. */
const MOST_COMMITS = 100;

/**
 * The commit of the branch now, as the host says it: a checkout may be as old as its run. Undefined if the run is not on a branch.
 */
export async function headOf(github: GitHub, { repository, ref }: Event): Promise<string | undefined> {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  if (branch === undefined) return undefined;
  const found = await github.get(`/repos/${repository}/branches/${encodeURIComponent(branch)}`);
  const sha = (found as { commit?: { sha?: unknown } } | null)?.commit?.sha;
  if (typeof sha === 'string') return sha;
  throw new ActionFailure(1, `GitHub does not say which commit is the head of ${branch}`);
}

/**
 * The base of an apply. A run that is started again has the same one as the first, because only a whole apply is recorded. What a
 * failed, cancelled or dropped run left is since the base, and made up.
 */
export async function applyBase(run: ActionRun, subject: CommentSubject): Promise<ApplyBase> {
  const { event, cwd, env } = run;
  const opened = openGit(cwd, env);
  const asked = 'git' in opened ? opened.git.ask(firstParents(event.sha, MOST_COMMITS)) : undefined;
  const line = asked?.ok === true ? asked.stdout.toString('latin1').trim().split('\n') : [event.sha];
  for (const [index, commit] of line.entries()) {
    if (await wasApplied(run.github(), event, subject, commit)) {
      return { base: commit, since: line.slice(0, index) };
    }
  }
  // Nothing was recorded yet. Whoever approves a digest by hand means the newest commit.
  const byHand = event.name === 'workflow_dispatch' && /^[0-9a-f]{64}$/.test(run.inputs.expect);
  const base = event.before ?? (byHand ? line[1] : undefined);
  const end = base === undefined ? -1 : line.indexOf(base);
  return { base, since: line.slice(0, end < 1 ? 1 : end) };
}

/** The fields of a commit status that are read here. */
interface Status {
  readonly context?: unknown;
  readonly state?: unknown;
  readonly creator?: { readonly login?: unknown } | null;
}

/** Who can write to the repository can write a status, so only those of this token’s login count. A later one takes no success away. */
async function wasApplied(
  github: GitHub,
  { repository }: Event,
  subject: CommentSubject,
  commit: string,
): Promise<boolean> {
  const path = `/repos/${repository}/commits/${commit}/statuses?per_page=100`;
  const [login, statuses] = await Promise.all([github.viewer(), github.list(path)]);
  return (statuses as readonly Status[]).some(
    ({ context, state, creator }) =>
      context === contextOf(subject) && state === 'success' && creator?.login === login,
  );
}

/** Records that this commit was applied whole. */
export async function recordApplied(
  github: GitHub,
  { repository, sha, runUrl }: Event,
  subject: CommentSubject,
): Promise<void> {
  const description = 'Applied whole';
  const status = { state: 'success', context: contextOf(subject), description, target_url: runUrl };
  await untilAnswered(() => github.post(`/repos/${repository}/statuses/${sha}`, status));
}

/** `tradeform/apply/core/production` */
function contextOf({ command, project, environment }: CommentSubject): string {
  return `tradeform/${command}/${project}/${environment}`;
}
