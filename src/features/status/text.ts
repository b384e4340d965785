import type { StatusReport, StatusRow } from '../../model/generated/status.ts';
import { SECRET } from '../../model/secret.ts';
import { cells, clip, count, hang, padEnd } from '../../render/layout.ts';
import { type Paint, painter, type Tone } from '../../render/style.ts';
import { type TextOptions, viewHead } from '../../render/text-layout.ts';
import { visible } from '../../render/untrusted.ts';
import { quoted } from '../../render/value-text.ts';
import { nameOfRow, stakeOfRow } from './rows.ts';

const WIDEST_LABEL = 14;
const LEAST_LABEL = 4;
const LEAST_NAME = 12;
const GAP = '  ';

/** Name, desired state, live state, since, SOL per trigger, label. */
type Line = readonly { readonly text: string; readonly tone?: Tone | undefined }[];

const TITLES = ['TASK', 'WANTED', 'LIVE', 'STATE', 'SINCE', 'SOL', 'LABEL'];

/** The table of `tradeform status`: a line for each task, and below it the reason if the task differs from its manifest. */
export function statusText(report: StatusReport, { columns, color }: TextOptions): string {
  const paint = painter(color);
  const now = Date.parse(report.created_at);
  const lines = report.tasks.map((row) => lineOf(row, now));
  const widths = widthsOf(lines, columns);
  const titles = TITLES.map((text) => ({ text }));
  const head = [
    ...headLines(report, { columns, color }),
    ...(lines.length === 0 ? [] : [paint('dim', cellsOf(titles, widths, painter(false)))]),
  ];
  const whys = sharedWhys(report.tasks);
  const blocks = report.tasks.map((_row, index) => [
    ...tableLines(lines[index] ?? [], widths, paint),
    ...whyLines(whys[index] ?? '', columns).map((line) => paint('dim', line)),
  ]);
  return [...head, ...blocks.flat()].map((line) => `${line.trimEnd()}\n`).join('');
}

/** Whose tasks these are, how many run, and their exposure. What runs without git is a warning. */
function headLines(report: StatusReport, options: TextOptions): string[] {
  const { summary, exposure, tasks, ...subject } = report;
  const { running, paused, missing, held, pending, blocked, differs, unmanaged_running: strays } = summary;
  const states = [
    [missing, 'missing'],
    [held, 'held'],
    [pending, 'pending'],
    [blocked, 'blocked'],
    [differs, 'to be changed'],
  ] as const;
  const left = summary.tasks - tasks.length;
  return [
    ...viewHead(
      {
        heading: '',
        subject,
        money: `${exposure} SOL at stake`,
        verdict: `${count(summary.tasks, 'task')}: ${running} running, ${paused} paused`,
        tone: 'title',
        facts: states.flatMap(([number, text]) => (number === 0 ? [] : [`${number} ${text}`])),
        notes: [
          ...(strays === 0
            ? []
            : [`${count(strays, 'unmanaged task')} ${strays === 1 ? 'is' : 'are'} running.`]),
          ...(left > 0 ? [`${left} not shown: they do not pass the filter.`] : []),
        ],
      },
      options,
    ),
    '',
  ];
}

const LIVE_TONES = { running: 'add', paused: 'dim', missing: 'error' } as const satisfies Record<
  StatusRow['live'],
  Tone
>;
const STATE_TONES: Readonly<Partial<Record<StatusRow['state'], Tone>>> = {
  held: 'warn',
  pending: 'warn',
  blocked: 'error',
  differs: 'change',
  'left-alone': 'warn',
};

function lineOf(row: StatusRow, now: number): Line {
  const { desired, live, state, since, label } = row;
  const stake = live === 'running' ? (stakeOfRow(row) ?? SECRET) : '-';
  return [
    { text: visible(nameOfRow(row)) },
    { text: desired === 'none' ? '-' : desired },
    { text: live, tone: LIVE_TONES[live] },
    { text: state === 'left-alone' ? row.owner : state, tone: STATE_TONES[state] },
    { text: since === null ? '-' : age(now - Date.parse(since)) },
    { text: stake },
    { text: label === null ? '' : visible(label) },
  ];
}

/** Each column is as wide as its content. On a narrow terminal, first the label and then the name gets less room. */
function widthsOf(lines: readonly Line[], columns: number): readonly number[] {
  const natural = TITLES.map((title, index) =>
    Math.max(cells(title), ...lines.map((line) => cells(line[index]?.text ?? ''))),
  );
  const [name = 0, ...others] = natural;
  const fixed = others.slice(0, -1);
  const used = fixed.reduce((sum, width) => sum + width, GAP.length * (TITLES.length - 1));
  const room = Math.min(others.at(-1) ?? 0, WIDEST_LABEL, columns - used - LEAST_NAME);
  const label = room < LEAST_LABEL ? 0 : room;
  return [Math.min(name, Math.max(LEAST_NAME, columns - used - label)), ...fixed, label];
}

/** A name that does not fit gets its own line, and is never cut. */
function tableLines(line: Line, widths: readonly number[], paint: Paint): string[] {
  const [name = { text: '' }, ...rest] = line;
  if (cells(name.text) <= (widths[0] ?? 0)) return [cellsOf(line, widths, paint)];
  return [name.text, cellsOf([{ text: '' }, ...rest], widths, paint)];
}

function cellsOf(line: Line, widths: readonly number[], paint: Paint): string {
  return line
    .map(({ text, tone }, index) => {
      const width = widths[index] ?? 0;
      const padded = width === 0 ? '' : padEnd(clip(text, width), width);
      return tone === undefined ? padded : paint(tone, padded);
    })
    .join(GAP);
}

/** Why each task is not as the manifests want it; tasks one below the other with the same reason have it once, after the last. */
function sharedWhys(rows: readonly StatusRow[]): readonly string[] {
  const whys = rows.map(whyOf);
  let same = 0;
  return whys.map((why, index) => {
    same += 1;
    if (why !== '' && whys[index + 1] === why) return '';
    const text = same > 1 && why !== '' ? `These ${same}: ${why}` : why;
    same = 0;
    return text;
  });
}

function whyLines(why: string, columns: number): string[] {
  return why === '' ? [] : hang('    ', why, columns);
}

function whyOf(row: StatusRow): string {
  if (row.state === 'ok') return '';
  const actions = row.state === 'differs' ? `${row.actions.join(', ') || 'update'}: ` : '';
  const owner = row.owner === 'foreign' ? `project ${visible(row.project ?? '')}, ` : '';
  return row.state === 'left-alone' ? `${owner}${quoted(row.remark)}` : `${actions}${visible(row.text)}`;
}

const SECOND = 1_000;
const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
] as const;

/** `12d`, `3h`, `5m`, `40s`. `?` if the time cannot be read. */
export function age(ms: number): string {
  if (Number.isNaN(ms)) return '?';
  const seconds = Math.max(0, Math.floor(ms / SECOND));
  const [size, unit] = UNITS.find(([most]) => seconds >= most) ?? [1, 's'];
  return `${Math.floor(seconds / size)}${unit}`;
}
