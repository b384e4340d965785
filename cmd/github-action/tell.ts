import { markdownText } from '../../src/render/markdown/escape.ts';
import { writeComment } from './comments.ts';
import { ActionFailure } from './failure.ts';
import { headerOf, withHeader } from './header.ts';
import type { Run } from './run.ts';
import { type Finished, subjectFor } from './tradeform.ts';

const DONE = 0;
const REFUSED = 4;

/**
 * Brings the comment about the apply up to date on each pull request: what was done, or what moved, and the way on. What is
 * applied is applied: a comment that cannot be written is a warning. `suffix` follows the digest in the way on.
 */
export async function tellPulls(
  run: Run,
  pulls: readonly number[],
  came: Finished | ActionFailure,
  suffix: string,
): Promise<void> {
  const { event, log, inputs } = run;
  if (pulls.length === 0 || !inputs.comment) return;
  try {
    const failed = came instanceof ActionFailure;
    const subject = await subjectFor(run, 'apply', failed ? undefined : came.document);
    const markdown = failed ? `## Apply\n\n**Refused**: ${markdownText(came.message)}\n` : came.markdown;
    const digest = headerOf(markdown)?.digest;
    const way = wayOn(
      failed ? came.exitCode : came.code,
      digest === undefined ? undefined : `${digest}${suffix}`,
      event.runUrl,
    );
    const foot = `\n---\nCommit ${event.sha.slice(0, 12)}, [this run](${event.runUrl}).\n`;
    const body = `${withHeader(markdown, subject, digest)}${way}${foot}`;
    for (const pull of pulls) {
      const url = await writeComment(run.github(), event, pull, { subject, body });
      log.output('comment-url', url);
      log.say(`Pull request ${pull} is told: ${url}`);
    }
  } catch (error) {
    if (!(error instanceof ActionFailure)) throw error;
    const hint = error.hint === undefined ? '' : `. ${error.hint}`;
    log.annotate('warning', `the pull request could not be told of this apply: ${error.message}${hint}`);
  }
}

/** What to do next, with the exact digest where it is known. Empty where all is done. */
function wayOn(code: number, digest: string | undefined, runUrl: string): string {
  if (code === DONE) return '';
  const byHand =
    digest === undefined
      ? 'plan it anew, read the plan, and run this workflow by hand with its digest as `expect`'
      : `run this workflow by hand with \`expect: ${digest}\``;
  const way =
    code === REFUSED
      ? `Nothing was changed. Whoever agrees with the plan as [the run](${runUrl}) shows it can ${byHand}.`
      : `[Run the job again](${runUrl}): what is left of the reviewed changes is applied. Or ${byHand}, which is what is left as it was right after this run.`;
  return `\n**The way on.** ${way}\n`;
}
