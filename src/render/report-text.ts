import type { ApplyReport, ChangeResult } from '../model/generated/report.ts';
import { hang } from './layout.ts';
import { overridesText } from './overrides-text.ts';
import { type Paint, painter, type Tone } from './style.ts';
import { visible } from './untrusted.ts';

export interface ReportOptions {
  readonly columns: number;
  readonly color: boolean;
  /** Addresses of the plan that stay held although something was written to them. */
  readonly held?: ReadonlySet<string>;
}

/** What an apply did, for people: what was left paused first, then what did not work and what to do, then the counts. */
export function reportText(report: ApplyReport, { columns, color, held }: ReportOptions): string {
  const paint = painter(color);
  const width = Math.min(120, Math.max(40, columns));
  const parts = [
    leftPaused(report, width, paint),
    ...TROUBLE.map((kind) =>
      kind.status === 'skipped' && report.outcome === 'interrupted'
        ? notBegun(report.changes, width, paint)
        : trouble(report.changes, kind, width, paint),
    ),
    stillHeld(report.changes, held ?? new Set(), width, paint),
    letThrough(report, width, paint),
    diagnosticLines(report, width, paint),
    hang('', countsLine(report), width).map((line) =>
      paint(report.outcome === 'done' ? 'title' : 'error', line),
    ),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function leftPaused({ left_paused }: ApplyReport, columns: number, paint: Paint): string[] {
  if (left_paused.length === 0) return [];
  return [
    paint('stop', `LEFT PAUSED (${left_paused.length}): ran before, and git wants it running`),
    ...left_paused.flatMap(({ address, id, text }) =>
      hang('  ■ ', `${visible(address)}${id === null ? '' : ` ${visible(id)}`}: ${visible(text)}`, columns),
    ),
    ...next(
      'Run `tradeform plan`: a start that is still pending is finished by the next apply; what is held starts with `tradeform apply --resume-stopped ADDRESS`.',
      columns,
      paint,
    ),
  ];
}

interface Trouble {
  readonly status: ChangeResult['status'];
  readonly title: string;
  readonly note: string;
  readonly tone: Tone;
}

const TROUBLE: readonly Trouble[] = [
  {
    status: 'unknown',
    title: 'Unknown',
    note: '',
    tone: 'error',
  },
  { status: 'failed', title: 'Failed', note: '', tone: 'error' },
  { status: 'skipped', title: 'Skipped', note: '', tone: 'warn' },
  { status: 'blocked', title: 'Blocked', note: ': nothing was done to these', tone: 'warn' },
  { status: 'held', title: 'Held', note: ': stays paused until the manifests or you ask anew', tone: 'warn' },
];

function trouble(
  changes: readonly ChangeResult[],
  { status, title, note, tone }: Trouble,
  columns: number,
  paint: Paint,
): string[] {
  const found = changes.filter((change) => change.status === status);
  if (found.length === 0) return [];
  return [
    paint(tone, `${title} (${found.length})${note}`),
    ...found.flatMap((change) => oneResult(change, columns, paint)),
  ];
}

/** After an interruption all that was not begun waits for one and the same thing. */
function notBegun(changes: readonly ChangeResult[], columns: number, paint: Paint): string[] {
  const addresses = changes
    .filter(({ status }) => status === 'skipped')
    .map(({ address }) => visible(address));
  if (addresses.length === 0) return [];
  const named = addresses.slice(0, MOST_NAMED).join(', ');
  const more = addresses.length > MOST_NAMED ? `, and ${addresses.length - MOST_NAMED} more` : '';
  const text = `Skipped (${addresses.length}), apply again to go on: ${named}${more}`;
  return hang('', text, columns).map((line) => paint('warn', line));
}

const MOST_NAMED = 10;

/** Done does not mean that it runs. */
function stillHeld(
  changes: readonly ChangeResult[],
  held: ReadonlySet<string>,
  columns: number,
  paint: Paint,
): string[] {
  const found = changes.filter(({ address, status }) => status === 'done' && held.has(address));
  if (found.length === 0) return [];
  return [
    paint('warn', `Still held (${found.length}): the change was written, the task stays paused`),
    ...found.flatMap(({ address }) => hang('  ', visible(address), columns)),
  ];
}

function letThrough({ overrides }: ApplyReport, columns: number, paint: Paint): string[] {
  const text = overridesText(overrides);
  return text === undefined
    ? []
    : hang('', `Let through by --override: ${text}`, columns).map((line) => paint('warn', line));
}

function oneResult(change: ChangeResult, columns: number, paint: Paint): string[] {
  const { address, actions, error, request_ids } = change;
  const text = oneStop(change.text);
  const words = actions.filter((action) => action !== 'none').join(', ');
  const say = (line: string) => hang('      ', line, columns);
  return [
    ...hang(
      '  ',
      `${visible(address)}${words === '' ? '' : ` (${words})`}${text === '' ? '' : `: ${visible(text)}`}`,
      columns,
    ),
    ...(error === undefined
      ? []
      : [
          // Where nobody answered there is nothing to add to the sentence above.
          ...(NO_ANSWER.has(error.code) && text.includes(oneStop(error.message))
            ? []
            : say(
                `${visible(error.code)}${error.status === null ? '' : ` (${error.status})`}: ${visible(error.message)}`,
              )),
          ...error.fields.flatMap(({ path, reason }) => say(`${visible(path)}: ${visible(reason)}`)),
          ...(error.fields.length >= MOST_FIELDS
            ? say('the service names at most 20 fields; there may be more')
            : []),
        ]),
    ...stepsLeft(change).flatMap(say),
    ...(error !== undefined && request_ids.length > 0
      ? say(`request ${request_ids.map(visible).join(', ')}`)
      : []),
    ...remedy(change).flatMap((line) => next(line, columns, paint)),
  ];
}

const MOST_FIELDS = 20;
const NO_ANSWER: ReadonlySet<string> = new Set(['unsent', 'lost', 'unreadable']);

/** A sentence that ends in a quoted one has its full stop already. */
function oneStop(text: string): string {
  return text.replace(/(?<!\.)\.\.(?!\.)/g, '.').replace(/\.\)\./g, ').');
}

/** Where a chain stopped: only where something of it was done. */
function stepsLeft({ operations, status }: ChangeResult): string[] {
  const done = operations.filter((step) => step.status === 'done' || step.status === 'already');
  if (done.length === 0 || status === 'done') return [];
  return [`steps: ${operations.map((step) => `${step.verb} ${step.status}`).join(', ')}`];
}

/** What to do next, by error code (interface, "Errors"); an unknown code has only the request id to go by. */
const REMEDIES: Readonly<Record<string, string>> = {
  invalid_api_token: 'The token was rotated or revoked: set the new one and apply again.',
  insufficient_scope: 'Give the token the missing scope, or leave these addresses out with --exclude.',
  ip_not_allowed: 'Run from an address that the token’s allowlist names.',
  rate_limit_exceeded: 'Apply again later, or with a lower --concurrency.',
  validation_error: 'Correct the fields named above in the manifest and plan again.',
  not_found: 'The task or its label is gone: plan again.',
  target_already_exists:
    'Another task holds this target: plan again to see which, and adopt it with metadata.id.',
  template_name_exists: 'A template of this name exists: choose another name, or adopt it with metadata.id.',
  label_name_exists: 'A label of this name exists: choose another name, or adopt it with metadata.id.',
  quota_exceeded: 'The account has no room: delete something, or ask the provider for more.',
  config_must_be_paused: 'Somebody started the task meanwhile: plan again.',
  version_conflict: 'Somebody changed it meanwhile: plan again to see what moved.',
  service_unavailable: 'Apply again: what is done stays done.',
  internal_error: 'Apply again; if it stays, report the request id to the provider.',
};

const CHECK_CONNECTION = 'Check the connection to the service and apply again: what is done stays done.';

function remedy({ status, error, request_ids }: ChangeResult): string[] {
  if (status === 'unknown') return ['Run `tradeform plan`: it reads the state and says what is left.'];
  if (status === 'skipped') return ['Apply again once what it waits for is done.'];
  if (error === undefined) return [];
  if (NO_ANSWER.has(error.code)) return [CHECK_CONNECTION];
  const report =
    request_ids.length > 0 ? 'Report the request id to the provider, and plan again.' : 'Plan again.';
  if (error.code === 'internal_error' && request_ids.length === 0) return ['Apply again.'];
  return [REMEDIES[error.code] ?? report];
}

function next(text: string, columns: number, paint: Paint): string[] {
  return hang('      → ', text, columns).map((line) => paint('dim', line));
}

function diagnosticLines({ diagnostics }: ApplyReport, columns: number, paint: Paint): string[] {
  return diagnostics.flatMap((diagnostic) => {
    const { severity, code, message } = diagnostic as {
      severity?: unknown;
      code?: unknown;
      message?: unknown;
    };
    const head = `${String(severity)}[${visible(String(code))}]: `;
    return hang('', `${head}${visible(String(message))}`, columns).map((line, index) =>
      index === 0 ? line.replace(head, paint(severity === 'error' ? 'error' : 'warn', head)) : line,
    );
  });
}

function countsLine({ outcome, summary, started_at, finished_at }: ApplyReport): string {
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
