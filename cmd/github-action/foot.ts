import type { ActionRun } from './run.ts';

/** What an apply after the merge does: the one of `expect: reviewed`. */
export const MERGING = 'Merging applies only what this plan shows.';

/** The end of a comment: which commit and run it is of, and where the page is that the run may have made. */
export function footOf({ inputs, event }: Pick<ActionRun, 'inputs' | 'event'>, sha: string): string {
  const isPaged = inputs.arguments.some((line) => /^(?:--report=)?html=/.test(line));
  const page = isPaged ? `, the page is in [its artifacts](${event.runUrl}#artifacts)` : '';
  return `Commit ${sha.slice(0, 12)}, [this run](${event.runUrl})${page}.\n`;
}
