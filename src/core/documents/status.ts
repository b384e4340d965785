import { addressOrId } from '../model/address.ts';
import type { StatusReport, StatusRow } from '../model/generated/status.ts';
import { given } from '../model/given.ts';
import { bareNote, remarkOf } from '../model/marker.ts';
import { count } from '../model/named.ts';
import { SECRET } from '../model/secret.ts';
import type { Tone } from '../render/layout.ts';
import { quoted } from '../render/value-text.ts';
import { noteSections, type Row, section, type View } from '../render/view.ts';
import { minuteOf, ownerWord } from '../render/words.ts';
import { type DocumentKind, problemsIn } from './document.ts';
import { uncountedNote } from './plan-view.ts';
import { outsideTasks, stakeText } from './stake-text.ts';

/** A line for each task, and why it is not as the manifests want it. What runs without git is a warning. */
export function statusView(report: StatusReport): View {
  const { summary, exposure, tasks, created_at: at } = report;
  const { running, paused, missing, held, pending, blocked, differs } = summary;
  const strays = outsideTasks(report.outside);
  const states = [
    [missing, 'missing'],
    [held, 'held'],
    [pending, 'pending'],
    [blocked, 'blocked'],
    [summary.adopted, 'to be adopted'],
    [differs - summary.adopted, 'to be changed'],
  ] as const;
  const left = summary.tasks - tasks.length;
  const now = Date.parse(at);
  const same = tasks.filter(({ state }) => state === 'ok');
  const other = tasks.filter(({ state }) => state !== 'ok');
  // A filter asked for what it leaves.
  const folds = same.length > MOST_OK && left === 0;
  const tasksSection = (title: string, rows: readonly StatusRow[], shown?: 'quiet') =>
    section(
      rows.map((row) => rowOf(row, now)),
      { title, tone: 'dim', columns: COLUMNS, unit: ['task', 'tasks'], weight: 60, ...given({ shown }) },
    );
  return {
    command: 'status',
    subject: { ...report, project: report.project || null },
    verdict: `${count(summary.tasks, 'task')}: ${running} trading${strays === 0 ? '' : ` (${strays} outside git)`}, ${paused} off`,
    tone: 'title',
    money: stakeText(`${exposure} SOL at stake`, report.outside),
    facts: states.flatMap(([number, text]) => (number === 0 ? [] : [`${number} ${text}`])),
    notes: [
      ...(report.complete ? [] : ['The view of the service is not complete.']),
      ...uncountedNote(report.uncounted),
      ...(summary.held === 0 ? [] : ['Held: no apply starts these. `tradeform resume ADDRESS` starts one.']),
      ...(folds ? [`${same.length} as in git (\`-v\` lists them).`] : []),
      ...(left > 0 ? [`${left} not shown: they do not pass the filter.`] : []),
    ],
    parts: [
      ...tasksSection('Tasks', folds ? other : tasks),
      ...(folds ? tasksSection('As in git', same, 'quiet') : []),
      ...noteSections(report.diagnostics),
    ],
    seeAll: 'To see all of it, run `tradeform status`.',
    at,
    about: new Map(
      tasks.map((row) => [
        addressOrId(row),
        { action: row.live, ...(row.label === null ? {} : { label: row.label }) },
      ]),
    ),
  };
}

export const statusKind: DocumentKind<StatusReport> = {
  view: statusView,
  notice: ({ diagnostics }) => ({ problems: problemsIn(diagnostics) }),
  stakes: ({ exposure, outside, tasks, summary: { pending, held, blocked } }) => ({
    ...{ before: exposure, after: exposure, starts: pending, stops: 0, outside },
    // An apply may still change a task that is held.
    changes: tasks.filter(({ actions }) => actions.length > 0).length,
    ...given({ held: held || undefined, blocked: blocked || undefined }),
  }),
};

/** More tasks that are as in git are folded. */
const MOST_OK = 20;

const COLUMNS = [
  ...['task', 'wanted', 'live', 'state', 'written', 'SOL'].map((title) => ({ title })),
  { title: 'label', most: 14 },
];

const SIGNS = { running: '►', paused: '·', missing: '!' } as const;
const LIVE_TONES = { running: 'add', paused: 'dim', missing: 'error' } as const;
const STATE_TONES: Readonly<Partial<Record<StatusRow['state'], Tone>>> = {
  held: 'warn',
  pending: 'warn',
  blocked: 'error',
  differs: 'change',
  'left-alone': 'warn',
};

function rowOf(row: StatusRow, now: number): Row {
  const { kind, address, desired, live, state, since, label, owner } = row;
  const remark = bareNote(remarkOf(row));
  const why = whyOf(row);
  const runs = live === 'running';
  const stake = stakeOfRow(row) ?? SECRET;
  return {
    sign: SIGNS[live],
    ...(state === 'blocked' ? { tone: 'error' } : {}),
    names: [addressOrId(row)],
    beside: address === null ? `${kind}, ${remark}` : remark,
    text: [
      desired === 'none' ? ownerWord(owner) : `wanted ${desired}`,
      ...(since === null ? [] : [`last written ${minuteOf(since)}`]),
    ].join(', '),
    value: runs ? `${stake} SOL` : '',
    below: why === '' ? [] : [why],
    cells: [
      { text: addressOrId(row) },
      { text: desired === 'none' ? '-' : desired },
      { text: live, tone: LIVE_TONES[live] },
      {
        text: state === 'left-alone' ? ownerWord(owner) : state,
        ...given({ tone: STATE_TONES[state] }),
      },
      { text: since === null ? '-' : `${age(now - Date.parse(since))} ago` },
      { text: runs ? stake : '-' },
      { text: label ?? '' },
    ],
  };
}

function whyOf({ state, owner, project, remark, text }: StatusRow): string {
  if (state === 'ok') return '';
  if (state === 'left-alone')
    return `${owner === 'foreign' ? `of project ${project}, ` : ''}${quoted(remark)}`;
  return text;
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

/** The present exposure of a task: 0 unless it runs, null if it may not be shown. */
export function stakeOfRow({ live, exposure }: StatusRow): string | null {
  return live === 'running' ? exposure : '0';
}
