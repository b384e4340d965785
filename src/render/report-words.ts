import type { ApplyReport, ChangeResult } from '../model/generated/report.ts';

/** The words for the results of an apply, the same in text and Markdown. Text of the service is not escaped yet. */

const MOST_FIELDS = 20;
const NO_ANSWER: ReadonlySet<string> = new Set(['unsent', 'lost', 'unreadable']);

/** The result of a change, as one sentence. */
export function sentenceOf({ text }: ChangeResult): string {
  return oneStop(text);
}

/** The answer of the service, then the fields that it names. */
export function errorLines({ text, error }: ChangeResult): string[] {
  if (error === undefined) return [];
  const { code, status, message, fields } = error;
  // Without an answer, the sentence already says everything.
  const said = NO_ANSWER.has(code) && oneStop(text).includes(oneStop(message));
  return [
    ...(said ? [] : [`${code}${status === null ? '' : ` (${status})`}: ${message}`]),
    ...fields.map(({ path, reason }) => `${path}: ${reason}`),
    ...(fields.length >= MOST_FIELDS ? ['the service names at most 20 fields; there may be more'] : []),
  ];
}

/** Removes the full stop after a quoted sentence that has its own. */
function oneStop(text: string): string {
  return text.replace(/(?<!\.)\.\.(?!\.)/g, '.').replace(/\.\)\./g, ').');
}

/** Where a chain stopped, if a part of it was done. */
export function stepsLeft({ operations, status }: ChangeResult): string[] {
  const done = operations.filter((step) => step.status === 'done' || step.status === 'already');
  if (done.length === 0 || status === 'done') return [];
  return [`steps: ${operations.map((step) => `${step.verb} ${step.status}`).join(', ')}`];
}

/** What to do next, by error code (interface, "Errors"). For an unknown code there is only the request id. */
const REMEDIES: Readonly<Record<string, string>> = {
  invalid_api_token: 'The token was rotated, revoked or has expired: set the new token and apply again.',
  insufficient_scope: 'Give the token the missing scope, or leave these addresses out with --exclude.',
  ip_not_allowed: 'Run from an address in the token’s allowlist.',
  rate_limit_exceeded: 'Apply again later, or with a lower --concurrency.',
  not_found: 'The task or its label is gone: plan again.',
  target_already_exists:
    'Another task holds this target: plan again to see which, and adopt it with metadata.id.',
  template_name_exists: 'A template of this name exists: choose another name, or adopt it with metadata.id.',
  label_name_exists: 'A label of this name exists: choose another name, or adopt it with metadata.id.',
  quota_exceeded: 'The account has no room: delete something, or ask the provider for more.',
  config_must_be_paused: 'Somebody started the task in the meantime: plan again.',
  version_conflict: 'Somebody changed it in the meantime: plan again to see the difference.',
  idempotency_conflict: 'Another create of this address came first: plan again.',
  service_unavailable: 'Apply again: finished changes are not repeated.',
  internal_error: 'Apply again. If the error comes back, report the request id to the provider.',
};

const CHECK_CONNECTION =
  'Check the connection to the service and apply again: finished changes are not repeated.';

export function remedy(change: ChangeResult): string[] {
  const { status, error, request_ids } = change;
  if (status === 'unknown') return ['Run `tradeform plan`: it reads the state and shows what is left to do.'];
  if (status === 'skipped') return ['Apply again when the cause is resolved.'];
  // Without an error of the service, somebody else changed or deleted the task.
  if (error === undefined) return status === 'failed' ? [PLAN_AGAIN] : [];
  if (NO_ANSWER.has(error.code)) return [CHECK_CONNECTION];
  if (error.code === 'validation_error') return [CORRECT, ...storedConfig(change)];
  const report =
    request_ids.length > 0 ? 'Report the request id to the provider, and plan again.' : 'Plan again.';
  if (error.code === 'internal_error' && request_ids.length === 0) return ['Apply again.'];
  return [REMEDIES[error.code] ?? report];
}

const PLAN_AGAIN = 'Plan again: it starts from what is there now.';
const CORRECT = 'Correct the fields named above in the manifest and plan again.';

/** A single patch of a running task sends no config, so an error about a config concerns the stored one. */
function storedConfig({ address, operations, error }: ChangeResult): string[] {
  const lone = operations.every(({ verb }) => verb === 'patch');
  if (!lone || error?.fields.every(({ path }) => !path.startsWith('config'))) return [];
  return [
    `The stored config has a field that the manifest does not have: \`tradeform pause ${address}\`, then \`tradeform apply --resume-stopped ${address}\` writes the config of the manifest.`,
  ];
}

/** `Applied: 3 done in 1.2 s.` */
export function countsText({ outcome, summary, started_at, finished_at }: ApplyReport): string {
  const parts = (['done', 'failed', 'skipped', 'unknown', 'blocked', 'held'] as const)
    .filter((status) => summary[status] > 0)
    .map((status) => `${summary[status]} ${status}`);
  const words = { done: 'Applied', incomplete: 'Not everything was applied', interrupted: 'Interrupted' }[
    outcome
  ];
  const ms = Date.parse(finished_at) - Date.parse(started_at);
  const elapsed = Number.isFinite(ms) ? ` in ${(Math.max(0, ms) / 1000).toFixed(1)} s` : '';
  return `${words}: ${parts.length === 0 ? 'nothing to do' : parts.join(', ')}${elapsed}.`;
}

/** `1 started trading, 2 stopped trading`, for what is done. Undefined if neither. */
export function tradingText({ changes }: ApplyReport): string | undefined {
  const done = (...actions: readonly string[]) =>
    changes.filter(
      (change) => change.status === 'done' && change.actions.some((action) => actions.includes(action)),
    ).length;
  const counts = [
    ['started', done('start', 'finish')],
    ['stopped', done('stop')],
  ] as const;
  const parts = counts.flatMap(([word, number]) => (number === 0 ? [] : [`${number} ${word} trading`]));
  return parts.length === 0 ? undefined : parts.join(', ');
}
