import { type Git, openGit } from '../../src/project/git.ts';
import { commitOf, mergeBase } from '../../src/project/git-commands.ts';
import { writeComment } from './comments.ts';
import type { PullRequest } from './event.ts';
import { footOf, MERGING } from './foot.ts';
import { withHeader } from './header.ts';
import { requireNamedService } from './named-service.ts';
import type { ActionRun } from './run.ts';
import { type Finished, isMerge, runReporting, subjectFor } from './tradeform.ts';

const DIFFERENCES = 2;
const REFUSED = 4;
const INTERRUPTED = 130;

/** Makes a plan. On a pull request it always updates the comment, also after a failure. Returns the exit code. */
export async function planInAction(run: ActionRun): Promise<number> {
  const { inputs, event, log } = run;
  const base = isMerge(inputs) ? undefined : baseOf(run);
  if (base === undefined && !isMerge(inputs)) requireNamedService(run, 'plan');
  const args = [
    '--detailed-exitcode',
    ...(inputs.only === 'all' ? [] : ['--only', inputs.only]),
    ...(base === undefined ? [] : ['--base', base]),
  ];
  const finished = await runReporting(run, 'plan', args);
  const { code, document } = finished;
  const fleet = document?.format === 'tradeform.fleet/1' ? document : undefined;
  const made = document?.format === 'tradeform.plan/1' ? document : undefined;
  log.output('digest', made?.digest ?? fleet?.digest ?? '');
  log.output('changed', String((made?.operations.length ?? fleet?.stakes.changes ?? 0) > 0));
  if (inputs.comment && event.pull !== undefined && code !== INTERRUPTED) {
    const url = await comment(run, event.pull, finished);
    log.output('comment-url', url);
    log.say(`The comment is up to date: ${url}`);
  }
  log.output('exit-code', String(code));
  return code === 2 ? 0 : code;
}

async function comment(run: ActionRun, pull: PullRequest, finished: Finished): Promise<string> {
  const { code, document, markdown } = finished;
  const subject = await subjectFor(run, 'plan', document);
  // `expect: reviewed` relies on this digest. A refused plan must not be applied, even if only the base's guardrails refuse it. In
  // a fleet, all accounts must have a plan, because otherwise nobody saw the missing changes.
  const planned =
    (document?.format === 'tradeform.plan/1' && code !== REFUSED) ||
    (document?.format === 'tradeform.fleet/1' && (code === 0 || code === DIFFERENCES));
  const digest = planned ? document.digest : undefined;
  const merging = digest === undefined ? '' : `${MERGING} `;
  const body = `${withHeader(markdown, subject, digest)}\n---\n${merging}${footOf(run, pull.headSha)}`;
  return writeComment(run.github(), run.event, pull.number, { subject, body });
}

/** The value of `--base`: on a pull request, the commit with which GitHub merged the checked-out trial. */
function baseOf({ inputs, event, env, cwd, log }: ActionRun): string | undefined {
  if (inputs.base === 'none') return undefined;
  if (inputs.base !== 'auto') return inputs.base;
  if (event.pull === undefined) return undefined;
  const { headSha, baseSha, baseRef } = event.pull;
  const opened = openGit(cwd, env);
  if ('git' in opened) {
    const { git } = opened;
    const second = git.ask(commitOf('HEAD^2'));
    if (second.ok && second.stdout.toString().trim() === headSha) return baseBranch(opened.git, baseRef);
    if (git.ask(mergeBase(baseSha, 'HEAD')).ok) return `${baseSha}...`;
  }
  log.annotate(
    'warning',
    'without earlier commits, differences from before this pull request and changed rules cannot be shown: give actions/checkout `fetch-depth: 0`',
  );
  return undefined;
}

/** The same commit by the name that people know, if the checkout has it. */
function baseBranch(git: Git, baseRef: string | undefined): string {
  const commit = (revision: string) => {
    const answer = git.ask(commitOf(revision));
    return answer.ok ? answer.stdout.toString().trim() : undefined;
  };
  const named = `origin/${baseRef}`;
  return baseRef !== undefined && commit(named) === commit('HEAD^1') ? named : 'HEAD^1';
}
