import type { ApplyReport, ChangeResult } from '../model/generated/report.ts';
import { hang, padEnd } from './layout.ts';
import { overridesText } from './overrides-text.ts';
import { longestPauses, pausedTimes, pausedWords, secondsText } from './paused-times.ts';
import { countsText, errorLines, remedy, sentenceOf, stepsLeft } from './report-words.ts';
import { type Paint, painter, type Tone } from './style.ts';
import { visible } from './untrusted.ts';

interface ReportOptions {
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
    pausedLines(report, width, paint),
    hang('', countsText(report), width).map((line) =>
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

/** One line, and the few longest where they are long. */
function pausedLines(report: ApplyReport, columns: number, paint: Paint): string[] {
  const times = pausedTimes(report);
  if (times.tasks.length === 0) return [];
  const longest = longestPauses(times);
  const width = Math.max(0, ...longest.map(({ address }) => visible(address).length));
  return [
    ...hang('', `Without trading (${times.tasks.length}): ${visible(pausedWords(times))}`, columns).map(
      (line) => paint('dim', line),
    ),
    ...longest.map(({ address, ms }) => `  ${padEnd(visible(address), width)}  ${secondsText(ms)}`),
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
  const text = sentenceOf(change);
  const words = actions.filter((action) => action !== 'none').join(', ');
  const say = (line: string) => hang('      ', line, columns);
  return [
    ...hang(
      '  ',
      `${visible(address)}${words === '' ? '' : ` (${words})`}${text === '' ? '' : `: ${visible(text)}`}`,
      columns,
    ),
    ...errorLines(change).flatMap((line) => say(visible(line))),
    ...stepsLeft(change).flatMap(say),
    ...(error !== undefined && request_ids.length > 0
      ? say(`request ${request_ids.map(visible).join(', ')}`)
      : []),
    ...remedy(change).flatMap((line) => next(line, columns, paint)),
  ];
}

function next(text: string, columns: number, paint: Paint): string[] {
  return hang('      → ', text, columns).map((line) => paint('dim', line));
}

function diagnosticLines({ diagnostics }: ApplyReport, columns: number, paint: Paint): string[] {
  return diagnostics.flatMap((diagnostic) => {
    const { severity, code, message, hint } = diagnostic as {
      severity?: unknown;
      code?: unknown;
      message?: unknown;
      hint?: unknown;
    };
    const head = `${String(severity)}[${visible(String(code))}]: `;
    const said = hang('', `${head}${visible(String(message))}`, columns).map((line, index) =>
      index === 0 ? line.replace(head, paint(severity === 'error' ? 'error' : 'warn', head)) : line,
    );
    return typeof hint === 'string' ? [...said, ...next(visible(hint), columns, paint)] : said;
  });
}
