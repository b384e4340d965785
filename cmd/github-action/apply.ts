import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApplyBase, applyBase, headOf, recordApplied } from './applied.ts';
import { ActionFailure } from './failure.ts';
import type { CommentSubject } from './header.ts';
import { mergedPulls } from './merged.ts';
import { reviewedPlans } from './reviewed.ts';
import type { ActionRun } from './run.ts';
import { tellPulls } from './tell.ts';
import { type Finished, runReporting, subjectFor } from './tradeform.ts';

const DONE = 0;
const REFUSED = 4;
const SUPERSEDED = 5;

/** Options that leave a part of the project out. */
const PARTLY = /^--(?:target|exclude|select|tag|shard)(?:=|$)/;

/**
 * Applies what was reviewed or what `expect` says, and reports the result on the pull request. Returns the exit code: 5 if the
 * branch has a newer commit, whose own run carries out what is left of this one.
 */
export async function applyInAction(run: ActionRun): Promise<number> {
  const { event, log, inputs } = run;
  const { name, ref, sha, defaultBranch } = event;
  if (name !== 'merge_group' && defaultBranch !== undefined && ref !== `refs/heads/${defaultBranch}`) {
    log.annotate(
      'warning',
      `this applies ${ref}, not the default branch ${defaultBranch}. If this is not intended, name the branch under \`on: push\`, and in the protected environment`,
    );
  }
  const head = (await headOf(run.github(), event)) ?? sha;
  if (head !== sha) {
    const what = `${sha.slice(0, 12)} is superseded by ${head.slice(0, 12)}, the head of ${ref}; nothing was done`;
    log.annotate('warning', `${what}. The run of the newer commit carries out what is left of this one.`);
    return nothingDone(run, SUPERSEDED);
  }
  const subject = await subjectFor(run, 'apply');
  const from = await applyBase(run, subject);
  const wasWhole = from.since.length === 0;
  if (wasWhole && inputs.expect === 'reviewed') {
    const what = `${sha.slice(0, 12)} was applied whole before, which used up its review; nothing was done`;
    log.annotate('notice', `${what}. For what differs since then, run this workflow by hand.`);
    return nothingDone(run, DONE);
  }
  const pulls = await pullsOf(run, from);
  const finished = await applyFrom(run, from, pulls, subject);
  const { code, document } = finished;
  const report = document?.format === 'tradeform.report/1' ? document : undefined;
  const fleet = document?.format === 'tradeform.fleet/1' ? document : undefined;
  const refused = document?.format === 'tradeform.result/1' ? document : undefined;
  log.output('digest', report?.plan_digest ?? fleet?.digest ?? refused?.digest ?? '');
  log.output('changed', String((report?.summary.done ?? fleet?.stakes.changes ?? 0) > 0));
  log.output('exit-code', String(code));
  if (code === REFUSED && inputs.expect !== 'none') {
    log.annotate(
      'notice',
      `Nothing was changed. To apply the plan above, run this workflow by hand with \`expect\`: ${refused?.digest ?? 'its digest'}`,
    );
  }
  if (inputs.comment) await tellPulls(run, pulls, finished, from);
  const isWhole = code === DONE && !inputs.arguments.some((line) => PARTLY.test(line));
  if (isWhole && !wasWhole) await recordApplied(run.github(), event, subject);
  return code;
}

function nothingDone({ log }: ActionRun, code: number): number {
  log.output('digest', '');
  log.output('changed', 'false');
  log.output('exit-code', String(code));
  return code;
}

async function applyFrom(
  run: ActionRun,
  from: ApplyBase,
  pulls: readonly number[],
  subject: CommentSubject,
): Promise<Finished> {
  const { only } = run.inputs;
  const base = from.base === undefined ? [] : ['--base', from.base];
  const folder = mkdtempSync(join(run.env.RUNNER_TEMP || tmpdir(), 'tradeform-'));
  try {
    const approved = await approvedArguments(run, from, pulls, { subject, folder });
    const wanted = only === 'all' ? [] : ['--only', only, ...base];
    return await runReporting(run, 'apply', [...wanted, '--auto-approve', ...approved]);
  } catch (error) {
    if (error instanceof ActionFailure) await tellPulls(run, pulls, error, from);
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `expect: reviewed` needs them. Otherwise they only get a comment, and nothing fails without them. */
async function pullsOf(run: ActionRun, from: ApplyBase): Promise<readonly number[]> {
  const { expect, comment } = run.inputs;
  if (expect === 'reviewed') return mergedPulls(run.github(), run, from);
  if (!comment) return [];
  try {
    return await mergedPulls(run.github(), run, from, 1);
  } catch (error) {
    if (!(error instanceof ActionFailure)) throw error;
    run.log.annotate('notice', `no pull request gets a comment about this apply: ${error.message}`);
    return [];
  }
}

async function approvedArguments(
  run: ActionRun,
  from: ApplyBase,
  pulls: readonly number[],
  { subject, folder }: { readonly subject: CommentSubject; readonly folder: string },
): Promise<readonly string[]> {
  const { expect, fleet } = run.inputs;
  if (expect === 'none') return [];
  if (expect !== 'reviewed') return ['--expect-digest', expect];
  const command = subject.command.replace(/apply$/, 'plan');
  const reviewed = await reviewedPlans(run, from, pulls, { ...subject, command });
  for (const { digest, pull, url } of reviewed) {
    run.log.say(`Pull request ${pull} was reviewed with plan ${digest}: ${url}`);
  }
  // The plan of a fleet is approved as one: what the newest pull request showed.
  if (fleet !== undefined) return reviewed.slice(0, 1).flatMap(({ digest }) => ['--expect-digest', digest]);
  return reviewed.flatMap(({ pull, body }) => {
    const file = join(folder, `${pull}.md`);
    writeFileSync(file, body, { mode: 0o600 });
    return ['--expect-changes', file];
  });
}
