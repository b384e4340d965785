import type { ReleasedTask, ReleaseReport } from '../../model/generated/release.ts';
import type { SwitchedTask, SwitchReport } from '../../model/generated/switch.ts';
import { SECRET } from '../../model/secret.ts';
import { count } from '../../render/layout.ts';
import { section } from '../../render/sections.ts';
import type { Tone } from '../../render/style.ts';
import type { Section, View } from '../../render/view.ts';

/** Beyond this many tasks with the same result, the rest is counted. `-o json` lists all. Problems are always named. */
const MOST_NAMED = 20;

/**
 * What `pause` or `resume` does or did: first what is not as requested. The layout includes details: if live state and git differ,
 * people decide by the values and their places in the manifests.
 */
export function switchView(report: SwitchReport): View {
  const { command, exposure, tasks } = report;
  // A sum without hidden amounts must not look complete.
  const isKnown = exposure.before !== exposure.after && tasks.every((task) => task.exposure !== null);
  const money = isKnown ? `${exposure.before} → ${exposure.after} SOL per trigger` : undefined;
  const parts = command === 'pause' ? pauseParts(report) : resumeParts(report);
  const [verdict = '', ...notes] = command === 'pause' ? pauseClosing(report) : resumeClosing(report);
  return { ...headOf(command, report), money, parts: parts.flatMap(sectionOf), verdict, notes };
}

/** The common head of both documents: the service and account, and whether everything was done. */
function headOf(
  command: string,
  { project, service, outcome }: Pick<SwitchReport, 'project' | 'service' | 'outcome'>,
) {
  return {
    command,
    end: 'titled',
    heading: `${command.charAt(0).toUpperCase()}${command.slice(1)} in`,
    subject: { project, environment: null, service },
    tone: outcome === 'done' ? 'strong' : 'error',
  } as const;
}

/** `most`: the number of rows to show if not every task must be named. */
type Part = readonly [title: string, sign: string, tone: Tone, tasks: readonly SwitchedTask[], most?: number];

function pauseParts({ tasks, dry_run: dry }: SwitchReport): readonly Part[] {
  const having = (...statuses: readonly SwitchedTask['status'][]) =>
    tasks.filter(({ status }) => statuses.includes(status));
  const marked = (task: SwitchedTask) => task.held !== false && task.unwritten === null;
  const off = having('off');
  const longer = off.filter(
    ({ wrote, text, unwritten }) => wrote === null && text !== '' && unwritten === null,
  );
  const paused = having('paused', 'planned').filter(marked);
  const unmarked = tasks.filter((task) => task.held !== false && task.unwritten !== null);
  const now = off.filter(({ wrote }) => wrote !== null);
  return [
    ['Still running', '!', 'error', having('running')],
    ['May be running', '!', 'error', having('unknown')],
    ['Off, but the next apply may start them', '!', 'warn', tasks.filter(({ held }) => held === false)],
    ['Off, but not marked as stopped by the switch', '!', 'warn', unmarked],
    [dry ? 'Would be paused, in this order' : 'Paused', '■', 'stop', paused, MOST_NAMED],
    [
      dry ? 'Off already, and would be marked' : 'Were off already, and are marked now',
      '=',
      'dim',
      now,
      MOST_NAMED,
    ],
    ['Were off already, and stay off longer', '=', 'dim', longer, MOST_NAMED],
  ];
}

function resumeParts({ tasks, dry_run: dry }: SwitchReport): readonly Part[] {
  const having = (...statuses: readonly SwitchedTask['status'][]) =>
    tasks.filter(({ status }) => statuses.includes(status));
  return [
    ['Not started', '!', 'error', having('failed', 'gone')],
    ['Unknown whether started', '!', 'error', having('unknown')],
    ['Left as they are', '=', 'dim', having('left', 'running'), MOST_NAMED],
    ['The mark of the switch would be removed, but no task started', '=', 'dim', having('settles')],
    ['The mark of the switch was removed, but no task was started', '=', 'dim', having('settled')],
    [dry ? 'Would start trading' : 'Starts trading', '►', 'start', having('planned')],
    ['Started', '►', 'start', having('started')],
  ];
}

function sectionOf([title, sign, tone, tasks, most]: Part): readonly Section[] {
  const rows = tasks.map(({ address, kind, id, owner, remark, exposure, text, differs }) => ({
    sign,
    tone,
    names: [address ?? `${kind}/${id}`],
    value: exposure === null ? SECRET : `${exposure} SOL`,
    text: '',
    below: [
      ...(owner === 'owned' ? [] : [`${owner === 'damaged' ? 'damaged marker' : owner}, "${remark}"`]),
      ...(text === '' ? [] : [text]),
    ],
    fields: differs,
  }));
  return section(rows, { title, tone, ...(most === undefined ? {} : { most }) });
}

function pauseClosing({
  summary,
  dry_run,
  outcome,
  exposure,
  project,
  tasks,
  diagnostics,
}: SwitchReport): readonly string[] {
  const off = count(summary.off, 'task was', 'tasks were');
  const written = markedText(tasks, dry_run);
  if (diagnostics.some(({ code }) => code === 'first-apply'))
    return [
      `Nothing ${dry_run ? 'would be' : 'was'} paused: no task of project ${project ?? ''} was found, but tasks of other owners are running.`,
    ];
  if (dry_run) {
    const stake = summary.planned > 0 ? `, ${togetherText(exposure.before, tasks)}` : '';
    return [
      `${count(summary.planned, 'task')} would be paused${stake}; ${off} off already${written}. Nothing was sent.`,
    ];
  }
  const done = [
    ...(summary.paused > 0 ? [`${count(summary.paused, 'task')} paused`] : []),
    ...(summary.off > 0 || summary.paused === 0 ? [`${off} off already${written}`] : []),
    ...(summary.running + summary.unknown > 0
      ? [
          `${count(summary.running + summary.unknown, 'task')} may be running, ${togetherText(exposure.after, tasks)}`,
        ]
      : []),
  ].join('; ');
  const head = {
    done: `All chosen tasks are off: ${done}.`,
    incomplete: `Not everything is off, or certain to stay off: ${done}. Run the command again.`,
    interrupted: `Interrupted; it is unknown whether more tasks run: ${done}. Run the command again.`,
  }[outcome];
  const until = dueLines(tasks);
  if (summary.paused === 0) return [head, ...until];
  return [
    head,
    ...until,
    'A pause is stored at once; execution nodes may use the old state for up to 60 seconds.',
    project === null
      ? 'No project was known, so no task was marked: an apply may start the tasks that it manages.'
      : 'Later applies leave these tasks paused until `tradeform resume`; an apply that is running now may still start others: stop it.',
  ];
}

/** The most frequent due time. A task with another one shows it beside its name. */
function dueLines(tasks: readonly SwitchedTask[]): readonly string[] {
  const dues = tasks.flatMap(({ due, wrote }) => (due === null || wrote === null ? [] : [due])).sort();
  const [first] = dues;
  if (first === undefined) return [];
  return [
    `Due at ${first.slice(0, 16)}Z: \`tradeform resume --due\` starts only what is due; run it on a schedule. Nothing starts by itself.`,
  ];
}

/** What was written on tasks that were off before. */
function markedText(tasks: readonly SwitchedTask[], dryRun: boolean): string {
  const off = tasks.filter(({ status }) => status === 'off');
  const marks = ['@!', '@0!'].flatMap((mark) => {
    const { length } = off.filter(({ wrote }) => wrote === mark);
    return length === 0 ? [] : [`${length} ${dryRun ? 'would be marked' : 'marked'} ${mark}`];
  });
  return marks.length === 0 ? '' : ` (${marks.join(', ')})`;
}

/** Values from the environment may not be shown, and a sum without them must not look complete. */
function togetherText(sum: string, tasks: readonly SwitchedTask[]): string {
  const hidden = tasks.some(({ exposure, status }) => exposure === null && status !== 'off');
  return `${hidden ? `more than ${sum}` : sum} SOL per trigger together`;
}

function resumeClosing({ summary, dry_run, outcome, exposure, tasks }: SwitchReport): readonly string[] {
  const settles = tasks.filter(({ status }) => status === 'settles').length;
  if (dry_run || summary.planned + settles > 0) {
    const stake = summary.planned > 0 ? `, ${togetherText(exposure.after, tasks)}` : '';
    const letGo = settles > 0 ? `; ${settles} would lose the mark of the switch, but not start` : '';
    return [
      `${count(summary.planned, 'task')} would start${stake}${letGo}.${dry_run ? ' Nothing was sent.' : ''}`,
    ];
  }
  const bad = summary.failed + summary.unknown + summary.gone;
  const said = [
    `${count(summary.started, 'task')} started`,
    ...(summary.settled > 0
      ? [
          `${summary.settled} lost the mark of the switch, but ${summary.settled === 1 ? 'was' : 'were'} not started`,
        ]
      : []),
    ...(bad > 0 ? [`${bad} failed or unknown`] : []),
    ...(summary.running > 0 ? [`${summary.running} ran already`] : []),
    ...(summary.left > 0 ? [`${summary.left} left as ${summary.left === 1 ? 'it is' : 'they are'}`] : []),
  ].join('; ');
  return [`${outcome === 'interrupted' ? 'Interrupted: ' : ''}${said}.`];
}

const RELEASE_PARTS: readonly (readonly [string, string, Tone, readonly ReleasedTask['status'][]])[] = [
  ['Not released', '!', 'error', ['failed', 'gone']],
  ['Unknown whether released', '!', 'error', ['unknown']],
  ['Would lose the marker', '~', 'change', ['planned']],
  ['Released', '~', 'change', ['released']],
];

/** What `release` would do or did: the remarks before and after, and what keeps running. */
export function releaseView(report: ReleaseReport): View {
  const parts = RELEASE_PARTS.flatMap(([title, sign, tone, statuses]) => {
    const tasks = report.tasks.filter(({ status }) => statuses.includes(status));
    const rows = tasks.map(({ address, kind, id, running, before, after, text }) => ({
      sign,
      tone,
      names: [address === null ? `${kind}/${id}` : `${address} ${id}`],
      value: running ? 'running' : 'paused',
      text: '',
      below: [`"${before}" → "${after}"`, ...(text === '' ? [] : [text])],
    }));
    return section(rows, { title, tone });
  });
  const [verdict = '', ...notes] = releaseClosing(report);
  return { ...headOf('release', report), parts, verdict, notes };
}

function releaseClosing({ summary, dry_run: dry, outcome }: ReleaseReport): readonly string[] {
  const { planned, released, running } = summary;
  const on = running === 0 ? '' : ` ${count(running, 'task keeps', 'tasks keep')} running.`;
  const stays = `Released tasks stay as they are, and are no longer managed from git.${on}`;
  if (planned > 0)
    return [`${count(planned, 'task')} would lose the marker.${dry ? ' Nothing was sent.' : ''}`, stays];
  const bad = summary.failed + summary.unknown + summary.gone;
  const said = [`${count(released, 'task')} released`, ...(bad > 0 ? [`${bad} failed or unknown`] : [])].join(
    '; ',
  );
  return [`${outcome === 'interrupted' ? 'Interrupted: ' : ''}${said}.`, ...(released > 0 ? [stays] : [])];
}
