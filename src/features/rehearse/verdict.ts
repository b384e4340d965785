import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Rehearsal } from '../../model/generated/rehearsal.ts';

/** Why a rehearsal did not go through, one by one. */
export function rehearsalFailures({ failures, left_paused, second_plan }: Rehearsal): readonly Diagnostic[] {
  const failed = failures.filter(({ status }) => status !== 'blocked');
  const said = [
    ...left_paused.map(({ address, text }) => ({ address, message: `would be left paused: ${text}` })),
    ...failed.map(({ address, status, text }) => ({ address, message: `${status}: ${text}` })),
    // What failed is planned again anyway.
    ...(failed.length > 0 ? [] : (second_plan ?? [])).map(({ address, actions }) => ({
      address,
      message: `would still be in the plan afterwards: ${actions.join(', ')}`,
    })),
  ];
  return said.map(({ address, message }) => ({
    severity: 'error',
    code: 'rehearsal-failed',
    address,
    message: `${address}: ${message}`,
    hint: 'Nothing was changed. `tradeform rehearse` shows every request; remove --rehearse to apply anyway.',
  }));
}
