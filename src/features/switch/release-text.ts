import type { ReleasedTask, ReleaseReport } from '../../model/generated/release.ts';
import { count } from '../../render/layout.ts';
import type { Tone } from '../../render/style.ts';
import { sectionsText, type TextOptions } from '../../render/text-layout.ts';

type Part = readonly [title: string, sign: string, tone: Tone, statuses: readonly ReleasedTask['status'][]];

const PARTS: readonly Part[] = [
  ['Not released', '!', 'error', ['failed', 'gone']],
  ['Not known whether released', '!', 'error', ['unknown']],
  ['Would lose the marker', '~', 'change', ['planned']],
  ['Released', '~', 'change', ['released']],
];

/** What `release` would do or did, for a terminal: the remarks before and after, and what runs on. */
export function releaseText(report: ReleaseReport, options: TextOptions): string {
  const sections = PARTS.flatMap(([title, sign, tone, statuses]) => {
    const rows = report.tasks
      .filter(({ status }) => statuses.includes(status))
      .map(({ address, kind, id, running, before, after, text }) => ({
        sign,
        tone,
        names: [address === null ? `${kind}/${id}` : `${address} ${id}`],
        value: running ? 'runs on' : 'paused',
        text: '',
        below: [`"${before}" → "${after}"`, ...(text === '' ? [] : [text])],
      }));
    return rows.length === 0 ? [] : [{ title, tone, rows, weight: 0, unit: ['task', 'tasks'] as const }];
  });
  return sectionsText(sections, closing(report), report.outcome === 'done' ? 'strong' : 'error', options);
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
