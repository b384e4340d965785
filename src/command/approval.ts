import { CommandFailure } from '../diagnostics/diagnostic.ts';
import type { Io } from './io.ts';

/** How a plan may be let through without a person at a terminal. */
export interface ApprovalOptions {
  readonly autoApprove?: boolean;
}

const PLAN = {
  question: 'Apply this plan? Only "yes" is accepted: ',
  hint: 'Use --auto-approve, or save a plan with `tradeform plan --out FILE` and apply that file.',
};

/** No plan file stands for the manifests of an earlier revision: `plan --out` would save those that stand here. */
export const ROLLBACK = { question: PLAN.question, hint: 'Use --auto-approve.' };

/**
 * Asks for the literal `yes` on a terminal. Fails with exit 4 and `not-approved` where nobody can be asked, or where the
 * answer is anything else.
 */
export async function approve(
  options: ApprovalOptions,
  io: Io,
  { question, hint }: { readonly question: string; readonly hint: string } = PLAN,
): Promise<void> {
  if (options.autoApprove === true) return;
  if (!io.stdinIsTTY || !io.stderrIsTTY) {
    throw CommandFailure.of(
      4,
      'not-approved',
      'there is no terminal to ask for approval on; nothing was changed',
      hint,
    );
  }
  const answer = await io.ask(question);
  if (answer === 'yes') return;
  throw CommandFailure.of(4, 'not-approved', 'not approved; nothing was changed');
}
