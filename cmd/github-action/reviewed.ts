import type { ApplyBase } from './applied.ts';
import { ownComments } from './comments.ts';
import { ActionFailure } from './failure.ts';
import { type CommentSubject, sameSubject } from './header.ts';
import type { ActionRun } from './run.ts';

interface Reviewed {
  readonly digest: string;
  readonly pull: number;
  readonly url: string;
  /** The comment. Its hidden lines say what was approved. */
  readonly body: string;
}

/** The advice if nobody reviewed a plan: carry out a plan with a run by hand. Begins with a small letter and has no full stop. */
export function byHandAnew(
  { inputs: { only, environment, fleet } }: Pick<ActionRun, 'inputs'>,
  { base = 'HEAD^1' }: ApplyBase,
): string {
  const of = environment === undefined ? '' : ` --environment ${environment}`;
  const command = fleet === undefined ? 'plan' : `fleet plan --fleet ${fleet}`;
  const line = `tradeform ${command}${of}${only === 'all' ? '' : ` --only ${only} --base ${base}`}`;
  return `make the plan (\`${line}\`), review it, and run this workflow by hand with its digest as \`expect\``;
}

/** The hint of a failure. */
export function instead(run: Pick<ActionRun, 'inputs'>, from: ApplyBase): string {
  return `To apply it, ${byHandAnew(run, from)}; \`expect: none\` applies without a review.`;
}

/**
 * What the reviewers of the merged pull requests saw, from tradeform's own comments there. Fails with 4 if there is no such pull
 * request, if none of them has a comment with a plan, or if comments on one of them disagree. A pull request without such a
 * comment approves nothing, and this is reported.
 */
export async function reviewedPlans(
  run: ActionRun,
  from: ApplyBase,
  pulls: readonly number[],
  subject: CommentSubject,
): Promise<readonly Reviewed[]> {
  const { event, log } = run;
  if (pulls.length === 0) {
    const text = `no pull request was merged as ${event.sha.slice(0, 12)}, so nobody reviewed its plan`;
    throw new ActionFailure(4, text, instead(run, from));
  }
  const found: Reviewed[] = [];
  const missing: string[] = [];
  for (const pull of pulls) {
    const about = `pull request ${pull}, project ${subject.project}${subject.environment === '-' ? '' : `, environment ${subject.environment}`}`;
    const comments = await ownComments(run.github(), event, pull);
    const own = comments.filter(({ header }) => sameSubject(header, subject));
    const [comment] = own;
    if (new Set(own.map(({ header }) => header.digest)).size > 1) {
      throw new ActionFailure(4, `two comments disagree: ${about}`, instead(run, from));
    }
    const digest = comment?.header.digest;
    if (comment === undefined) missing.push(`no comment of this action shows a plan: ${about}`);
    else if (digest === undefined) {
      missing.push(`the comment contains no plan, because planning failed: ${about}`);
    } else found.push({ digest, pull, url: comment.url, body: comment.body });
  }
  const [first] = missing;
  if (found.length === 0 && first !== undefined) throw new ActionFailure(4, first, instead(run, from));
  for (const text of missing) log.annotate('notice', `${text}. It does not count as reviewed`);
  return found;
}
