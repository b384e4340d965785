import { CommandFailure } from '../diagnostics/diagnostic.ts';
import type { Io } from './io.ts';

/** How a plan can be approved without a person at a terminal. */
export interface ApprovalOptions {
  readonly autoApprove?: boolean;
}

const PLAN = {
  question: 'Apply this plan? Only "yes" is accepted: ',
  hint: 'Use --auto-approve, or save a plan with `tradeform plan --out FILE` and apply that file.',
};

/**
 * A rollback cannot be approved by a plan file: `plan --out` would save a plan of the current manifests, not of the earlier
 * revision.
 */
export const ROLLBACK = { question: PLAN.question, hint: 'Use --auto-approve.' };

/**
 * Asks for the literal `yes` on a terminal. Any other answer fails with exit 4 and `not-approved`; so does a run that can ask
 * nobody.
 */
export async function approve(
  options: ApprovalOptions,
  io: Io,
  { question, hint }: { readonly question: string; readonly hint: string } = PLAN,
): Promise<void> {
  if (options.autoApprove === true) return;
  if (!io.stdinIsTTY || !io.stderrIsTTY)
    throw CommandFailure.of(
      4,
      'not-approved',
      'there is no terminal to ask for approval on; nothing was changed',
      hint,
    );
  const answer = await io.ask(question);
  if (answer === 'yes') return;
  throw CommandFailure.of(4, 'not-approved', 'not approved; nothing was changed');
}
