import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGit } from '../../src/project/git.ts';
import { commitOf } from '../../src/project/git-commands.ts';
import { ActionFailure } from './failure.ts';
import { mergedPulls } from './merged.ts';
import { instead, reviewedPlans } from './reviewed.ts';
import type { ActionRun } from './run.ts';
import { tellPulls } from './tell.ts';
import { type Finished, runReporting, subjectFor } from './tradeform.ts';

/** Applies what was reviewed or what `expect` says, and reports the result on the pull request. Returns the exit code. */
export async function applyInAction(run: ActionRun): Promise<number> {
  const { event, log, inputs } = run;
  const { name, ref, defaultBranch } = event;
  if (name !== 'merge_group' && defaultBranch !== undefined && ref !== `refs/heads/${defaultBranch}`) {
    log.annotate(
      'warning',
      `this applies ${ref}, not the default branch ${defaultBranch}. If this is not intended, name the branch under \`on: push\`, and in the protected environment`,
    );
  }
  const pulls = await pullsOf(run);
  const only = onlyOf(run);
  const folder = mkdtempSync(join(run.env.RUNNER_TEMP || tmpdir(), 'tradeform-'));
  let finished: Finished;
  try {
    const approved = await approvedArguments(run, pulls, folder);
    finished = await runReporting(run, 'apply', [...only.args, '--auto-approve', ...approved]);
  } catch (error) {
    if (error instanceof ActionFailure) await tellPulls(run, pulls, error, only.suffix);
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const { code, document } = finished;
  const report = document?.format === 'tradeform.report/1' ? document : undefined;
  const fleet = document?.format === 'tradeform.fleet/1' ? document : undefined;
  const refused = document?.format === 'tradeform.result/1' ? document : undefined;
  log.output('digest', report?.plan_digest ?? fleet?.digest ?? refused?.digest ?? '');
  log.output('changed', String((report?.summary.done ?? fleet?.stakes.changes ?? 0) > 0));
  log.output('exit-code', String(code));
  if (code === REFUSED && inputs.expect !== 'none') {
    const digest = refused?.digest === undefined ? 'its digest' : `${refused.digest}${only.suffix}`;
    log.annotate(
      'notice',
      `Nothing was changed. To apply the plan above, run this workflow by hand with \`expect\`: ${digest}`,
    );
  }
  if (inputs.comment) await tellPulls(run, pulls, finished, only.suffix);
  return code;
}

const REFUSED = 4;

interface OnlyOf {
  readonly args: readonly string[];
  /**
   * Follows a digest of this run if somebody enters it by hand, because it belongs to a plan with this base. Empty if a run by
   * hand has the same base.
   */
  readonly suffix: string;
}

/**
 * What people changed on the service stays, unless `only: all`. The changes of a push were not applied before. For a run by hand
 * this is assumed for the newest commit, or for everything since the base that is given with the digest, but only if somebody
 * reviewed the plan of that digest.
 */
function onlyOf({ inputs, event, cwd, env }: ActionRun): OnlyOf {
  const { only, expect } = inputs;
  if (only === 'all') return { args: [], suffix: '' };
  const opened = openGit(cwd, env);
  const asked = 'git' in opened ? opened.git.ask(commitOf('HEAD^1')) : undefined;
  const parent = asked?.ok === true ? asked.stdout.toString('latin1').trim() : undefined;
  const byHand = event.name === 'workflow_dispatch' && /^[0-9a-f]{12}/.test(expect);
  const [, given = parent === undefined ? 'none' : 'HEAD^1'] = expect.split('@');
  const base = event.before ?? (byHand && given !== 'none' ? given : undefined);
  return {
    args: ['--only', only, ...(base === undefined ? [] : ['--base', base])],
    suffix: parent === undefined || base === parent || base === 'HEAD^1' ? '' : `@${base ?? 'none'}`,
  };
}

/** `expect: reviewed` needs them. Otherwise they only get a comment, and nothing fails without them. */
async function pullsOf(run: ActionRun): Promise<readonly number[]> {
  const { expect, comment } = run.inputs;
  if (expect === 'reviewed') return mergedPulls(run.github(), run);
  if (!comment) return [];
  try {
    return await mergedPulls(run.github(), run, 1);
  } catch (error) {
    if (!(error instanceof ActionFailure)) throw error;
    run.log.annotate('notice', `no pull request gets a comment about this apply: ${error.message}`);
    return [];
  }
}

async function approvedArguments(
  run: ActionRun,
  pulls: readonly number[],
  folder: string,
): Promise<readonly string[]> {
  const { expect } = run.inputs;
  if (expect === 'none') return [];
  if (expect !== 'reviewed') return ['--expect-digest', expect.replace(/@.*$/, '')];
  const subject = await subjectFor(run, 'plan');
  const reviewed = await reviewedPlans(run.github(), run, pulls, subject);
  if (run.inputs.fleet !== undefined && reviewed.length > 1) {
    const text = 'several pull requests were merged at once, and the plan of a fleet is approved as one';
    throw new ActionFailure(4, text, instead(run));
  }
  return reviewed.flatMap(({ digest, pull, url, body }) => {
    run.log.say(`Pull request ${pull} was reviewed with plan ${digest.slice(0, 12)}: ${url}`);
    if (run.inputs.fleet !== undefined) return ['--expect-digest', digest];
    const file = join(folder, `${pull}.md`);
    writeFileSync(file, body, { mode: 0o600 });
    return ['--expect-changes', file];
  });
}
