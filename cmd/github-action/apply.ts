import { reviewedDigest } from './reviewed.ts';
import type { Run } from './run.ts';
import { runReporting, subjectFor } from './tradeform.ts';

const REFUSED = 4;

/** Applies what was reviewed, or what `expect` says. The code to end with. */
export async function apply(run: Run): Promise<number> {
  const { event, log } = run;
  const { name, ref, defaultBranch } = event;
  if (name !== 'merge_group' && defaultBranch !== undefined && ref !== `refs/heads/${defaultBranch}`) {
    log.annotate(
      'warning',
      `this applies what ${ref} holds, and not the default branch ${defaultBranch}. If that is not meant, name the branch under \`on: push\`, and in the protected environment`,
    );
  }
  const digest = await expected(run);
  const { code, document } = await runReporting(run, 'apply', [
    '--auto-approve',
    ...(digest === undefined ? [] : ['--expect-digest', digest]),
  ]);
  const report = document?.format === 'tradeform.report/1' ? document : undefined;
  log.output('digest', report?.plan_digest ?? '');
  log.output('changed', String((report?.summary.done ?? 0) > 0));
  log.output('exit-code', String(code));
  if (code === REFUSED && digest !== undefined) {
    log.annotate(
      'notice',
      'Nothing was changed. If the plan above is what you want, run this workflow by hand with its digest as `expect`.',
    );
  }
  return code;
}

async function expected(run: Run): Promise<string | undefined> {
  const { expect } = run.inputs;
  if (expect === 'none') return undefined;
  if (expect !== 'reviewed') return expect;
  const subject = await subjectFor(run, 'plan');
  const { digest, pull, url } = await reviewedDigest(run.github(), run, subject);
  run.log.say(`Pull request ${pull} was reviewed with plan ${digest.slice(0, 12)}: ${url}`);
  return digest;
}
