import type { ReleasedTask, ReleaseReport } from '../../model/generated/release.ts';
import { cells, count, hang, padEnd } from '../../render/layout.ts';
import { type Paint, painter, type Tone } from '../../render/style.ts';
import type { TextOptions } from '../../render/text-layout.ts';
import { visible } from '../../render/untrusted.ts';
import { quoted } from '../../render/value-text.ts';

interface Section {
  readonly title: string;
  readonly sign: string;
  readonly tone: Tone;
  readonly statuses: readonly ReleasedTask['status'][];
}

const SECTIONS: readonly Section[] = [
  { title: 'Not released', sign: '!', tone: 'error', statuses: ['failed', 'gone'] },
  { title: 'Not known whether released', sign: '!', tone: 'error', statuses: ['unknown'] },
  { title: 'Would lose the marker', sign: '~', tone: 'change', statuses: ['planned'] },
  { title: 'Released', sign: '~', tone: 'change', statuses: ['released'] },
];

/** What `release` would do or did, for a terminal: the remarks before and after, and what runs on. */
export function releaseText(report: ReleaseReport, { columns, color }: TextOptions): string {
  const paint = painter(color);
  const tone = report.outcome === 'done' ? 'strong' : 'error';
  return [
    ...SECTIONS.flatMap((section) => sectionLines(section, report, columns, paint)),
    ...closing(report).flatMap((text, index) =>
      hang('', text, columns).map((line) => (index === 0 ? paint(tone, line) : line)),
    ),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function sectionLines(
  { title, sign, tone, statuses }: Section,
  { tasks: all }: ReleaseReport,
  columns: number,
  paint: Paint,
): string[] {
  const tasks = all.filter(({ status }) => statuses.includes(status));
  if (tasks.length === 0) return [];
  const width = Math.min(52, Math.max(...tasks.map((task) => cells(nameText(task)))));
  return [
    paint(tone, `${title} (${tasks.length})`),
    ...tasks.flatMap((task) => {
      const heading = `${padEnd(nameText(task), width)}  ${task.running ? 'runs on' : 'paused'}`;
      const [line = '', ...rest] = hang(`  ${sign} `, heading, columns);
      const says = [`${quoted(task.before)} → ${quoted(task.after)}`, visible(task.text)];
      const texts = says.filter((text) => text !== '').flatMap((text) => hang('      ', text, columns));
      return [paint(tone, line.slice(0, 3)) + line.slice(3), ...rest, ...texts];
    }),
    '',
  ];
}

function nameText({ address, kind, id }: ReleasedTask): string {
  return address === null ? `${kind}/${visible(id)}` : `${visible(address)} ${visible(id)}`;
}

function closing({ summary, dry_run: dry, outcome }: ReleaseReport): readonly string[] {
  const { planned, released, running } = summary;
  const on = running === 0 ? '' : ` ${count(running, 'task runs', 'tasks run')} on.`;
  const stays = `Released tasks stay as they are, and nobody manages them from git.${on}`;
  if (planned > 0)
    return [`${count(planned, 'task')} would lose the marker.${dry ? ' Nothing was sent.' : ''}`, stays];
  const bad = summary.failed + summary.unknown + summary.gone;
  const said = [
    `${count(released, 'task')} released`,
    ...(bad > 0 ? [`${bad} not, or not certainly`] : []),
  ].join('; ');
  return [`${outcome === 'interrupted' ? 'Interrupted: ' : ''}${said}.`, ...(released > 0 ? [stays] : [])];
}
