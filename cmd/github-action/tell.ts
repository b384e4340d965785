import { markdownText } from '../../src/render/markdown/escape.ts';
import { headerOf } from '../../src/render/markdown/header.ts';
import type { ApplyBase } from './applied.ts';
import { writeComment } from './comments.ts';
import { ActionFailure } from './failure.ts';
import { footOf } from './foot.ts';
import { withHeader } from './header.ts';
import { byHandAnew } from './reviewed.ts';
import type { ActionRun } from './run.ts';
import { type Finished, subjectFor } from './tradeform.ts';

const DONE = 0;
const REFUSED = 4;

/**
 * Updates the comment about the apply on each pull request: what was done or what moved, and how to continue. The apply is already
 * done, so a comment that cannot be written is a warning.
 */
export async function tellPulls(
  run: ActionRun,
  pulls: readonly number[],
  came: Finished | ActionFailure,
  from: ApplyBase,
): Promise<void> {
  const { event, log, inputs } = run;
  if (pulls.length === 0 || !inputs.comment) return;
  try {
    const failed = came instanceof ActionFailure;
    const subject = await subjectFor(run, 'apply', failed ? undefined : came.document);
    const markdown = failed ? `## Apply\n\n**Refused**: ${markdownText(came.message)}\n` : came.markdown;
    const digest = headerOf(markdown)?.digest;
    const code = failed ? came.exitCode : came.code;
    const way = wayOn(code, digest, run, from);
    const body = `${withHeader(markdown, subject, digest)}${way}\n---\n${footOf(run, event.sha)}`;
    for (const pull of pulls) {
      const url = await writeComment(run.github(), event, pull, { subject, body });
      log.output('comment-url', url);
      log.say(`Pull request ${pull} got a comment: ${url}`);
    }
  } catch (error) {
    if (!(error instanceof ActionFailure)) throw error;
    const hint = error.hint === undefined ? '' : `. ${error.hint}`;
    log.annotate(
      'warning',
      `the pull request could not get a comment about this apply: ${error.message}${hint}`,
    );
  }
}

/** What to do next, with the exact digest for `expect` if it is known. Empty if everything is done. */
function wayOn(code: number, expect: string | undefined, run: ActionRun, from: ApplyBase): string {
  if (code === DONE) return '';
  const { runUrl } = run.event;
  // The plan of a fleet is approved as one. After a part of it is done, it is a different plan.
  if (code !== REFUSED && run.inputs.fleet !== undefined)
    return `\n**What to do next.** To apply what is left, ${byHandAnew(run, from)}.\n`;
  const again = `[Run the job again](${runUrl}) to apply what is left of the reviewed changes, or merge the next one, whose run applies it as well.`;
  const anew = byHandAnew(run, from);
  const byHand = `run this workflow by hand with \`expect: ${expect}\``;
  const refused =
    expect === undefined
      ? `To apply it, ${anew}.`
      : `If you agree with the plan that [the run](${runUrl}) shows, ${byHand}.`;
  const left =
    expect === undefined ? `Or ${anew}.` : `Or ${byHand} to apply the plan as it is after this run.`;
  return `\n**What to do next.** ${code === REFUSED ? `Nothing was changed. ${refused}` : `${again} ${left}`}\n`;
}
