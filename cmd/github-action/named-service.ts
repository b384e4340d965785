import { runsMergedCode } from './event.ts';
import { ActionFailure } from './failure.ts';
import type { ActionRun } from './run.ts';

const SETTING = '`base-url: ${{ vars.TRADEFORM_BASE_URL }}`';

/** What helps a command without a base to compare the project file with, besides its own base URL. */
const OTHERWISE = {
  plan: 'or give actions/checkout `fetch-depth: 0` and leave `base` at `auto`',
  drift: 'or run drift on a schedule, where the checkout is not a proposal',
} as const;

/**
 * Fails (4) if only the checkout would decide which host gets the token: the event may bring an unmerged project file, nothing
 * outside the repository names the service, and the command has no base. An unset variable reaches the action as an empty text and
 * names nothing.
 */
export function requireNamedService(
  { inputs, event, env }: ActionRun,
  command: keyof typeof OTHERWISE,
): void {
  // A fleet file names the hosts itself. Only the fleet file of a base shows what was reviewed.
  const named = inputs.fleet === undefined ? (inputs.baseUrl ?? env.TRADEFORM_BASE_URL?.trim() ?? '') : '';
  if (runsMergedCode(event) || named !== '') return;
  throw new ActionFailure(
    4,
    'only this pull request would decide which host gets the token: base-url is missing or empty, and there is no base to compare with; nothing was sent',
    `Give ${SETTING}, a variable of the repository's settings, ${OTHERWISE[command]}.`,
  );
}
