import type { SwitchedTask, SwitchReport } from '../../model/generated/switch.ts';
import { SECRET } from '../../model/secret.ts';
import { fieldLines } from '../../render/field-lines.ts';
import { cells, count, hang, padEnd } from '../../render/layout.ts';
import { type Paint, painter, type Tone } from '../../render/style.ts';
import type { TextOptions } from '../../render/text-layout.ts';
import { visible } from '../../render/untrusted.ts';
import { quoted } from '../../render/value-text.ts';

/** More of a kind of result than this are counted; `-o json` has all. Problems are always named. */
const MOST_NAMED = 20;

/** What `pause` or `resume` did, for a terminal: what is not as it was asked for stands first. */
export function switchText(report: SwitchReport, { columns, color }: TextOptions): string {
  const paint = painter(color);
  const sections = report.command === 'pause' ? pauseSections(report) : resumeSections(report);
  const lines = sections.flatMap((section) => sectionLines(section, columns, paint));
  const tone = report.outcome === 'done' ? 'strong' : 'error';
  const closing = report.command === 'pause' ? pauseClosing(report) : resumeClosing(report);
  const [first = '', ...rest] = closing;
  return [
    ...lines,
    ...hang('', first, columns).map((line) => paint(tone, line)),
    ...rest.flatMap((text) => hang('', text, columns)),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

interface Section {
  readonly title: string;
  readonly sign: string;
  readonly tone: Tone;
  readonly tasks: readonly SwitchedTask[];
  /** Every task is named, with what there is to say of it. */
  readonly problem: boolean;
}

function pauseSections({ tasks, dry_run }: SwitchReport): readonly Section[] {
  const having = (...statuses: readonly SwitchedTask['status'][]) =>
    tasks.filter(({ status }) => statuses.includes(status));
  const unheld = tasks.filter(({ held }) => held === false);
  const unmarked = tasks.filter((task) => task.held !== false && task.unwritten !== null);
  return [
    { title: 'Still running', sign: '!', tone: 'error', tasks: having('running'), problem: true },
    { title: 'May be running', sign: '!', tone: 'error', tasks: having('unknown'), problem: true },
    {
      title: 'Off, but the next apply may start them',
      sign: '!',
      tone: 'warn',
      tasks: unheld,
      problem: true,
    },
    {
      title: 'Off, but not marked as stopped by the switch',
      sign: '!',
      tone: 'warn',
      tasks: unmarked,
      problem: true,
    },
    {
      title: dry_run ? 'Would be paused, in this order' : 'Paused',
      sign: '■',
      tone: 'stop',
      tasks: having('paused', 'planned').filter((task) => task.held !== false && task.unwritten === null),
      problem: false,
    },
    {
      title: dry_run ? 'Off already, and would be marked' : 'Were off already, and are marked now',
      sign: '=',
      tone: 'dim',
      tasks: having('off').filter(({ wrote }) => wrote !== null),
      problem: false,
    },
    {
      title: 'Were off already, and stay off longer',
      sign: '=',
      tone: 'dim',
      tasks: having('off').filter(
        (task) => task.wrote === null && task.text !== '' && task.unwritten === null,
      ),
      problem: false,
    },
  ];
}

function resumeSections({ tasks, dry_run }: SwitchReport): readonly Section[] {
  const having = (...statuses: readonly SwitchedTask['status'][]) =>
    tasks.filter(({ status }) => statuses.includes(status));
  return [
    { title: 'Not started', sign: '!', tone: 'error', tasks: having('failed', 'gone'), problem: true },
    { title: 'Not known whether started', sign: '!', tone: 'error', tasks: having('unknown'), problem: true },
    { title: 'Left as they are', sign: '=', tone: 'dim', tasks: having('left', 'running'), problem: false },
    {
      title: 'The mark of the switch would be taken off, and nothing started',
      sign: '=',
      tone: 'dim',
      tasks: having('settles'),
      problem: true,
    },
    {
      title: 'The mark of the switch is taken off, and nothing started',
      sign: '=',
      tone: 'dim',
      tasks: having('settled'),
      problem: true,
    },
    {
      title: dry_run ? 'Would start trading' : 'Starts trading',
      sign: '>',
      tone: 'start',
      tasks: having('planned'),
      problem: true,
    },
    { title: 'Started', sign: '>', tone: 'start', tasks: having('started'), problem: true },
  ];
}

function sectionLines(section: Section, columns: number, paint: Paint): string[] {
  const { title, sign, tone, tasks, problem } = section;
  if (tasks.length === 0) return [];
  const named = problem ? tasks : tasks.slice(0, MOST_NAMED);
  const width = Math.min(52, Math.max(...named.map((task) => cells(nameText(task)))));
  const more = tasks.length - named.length;
  return [
    paint(tone, `${title} (${tasks.length})`),
    ...named.flatMap((task) => {
      const [line = '', ...rest] = hang(
        `  ${sign} `,
        `${padEnd(nameText(task), width)}  ${stakeText(task)}`,
        columns,
      );
      const says = [ownerText(task), visible(task.text)].filter((text) => text !== '');
      const text = says.flatMap((each) => hang('      ', each, columns));
      const fields = fieldLines(task.differs, columns - 2, paint).map((each) => `  ${each}`);
      return [paint(tone, line.slice(0, 3)) + line.slice(3), ...rest, ...text, ...fields];
    }),
    ...(more > 0 ? [`  … and ${more} more; -o json names all`] : []),
    '',
  ];
}

/** A task of the project by its address, any other by its kind and id. */
function nameText({ address, kind, id }: SwitchedTask): string {
  return visible(address ?? `${kind}/${id}`);
}

function ownerText({ owner, remark }: SwitchedTask): string {
  return owner === 'owned' ? '' : `${owner === 'damaged' ? 'damaged marker' : owner}, ${quoted(remark)}`;
}

function stakeText({ exposure }: SwitchedTask): string {
  return exposure === null ? SECRET : `${exposure} SOL`;
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
      `Nothing was ${dry_run ? 'found to pause' : 'paused'}: no task here is of project ${visible(project ?? '')}, and tasks of others run.`,
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
    incomplete: `Not everything is off, or certain to stay so: ${done}. Run the command again.`,
    interrupted: `Interrupted; it was not looked whether more tasks run: ${done}. Run the command again.`,
  }[outcome];
  const until = dueLines(tasks);
  if (summary.paused === 0) return [head, ...until];
  return [
    head,
    ...until,
    'A pause is stored at once; execution nodes may act on the state before for up to 60 seconds.',
    project === null
      ? 'No project was known, so that no remark was marked: an apply may start what it manages.'
      : 'Later applies leave these tasks paused until `tradeform resume`; an apply that is at work now may still start others: stop it.',
  ];
}

/** The due time that most of what is off has; another one stands with its task. */
function dueLines(tasks: readonly SwitchedTask[]): readonly string[] {
  const dues = tasks.flatMap(({ due, wrote }) => (due === null || wrote === null ? [] : [due])).sort();
  const [first] = dues;
  if (first === undefined) return [];
  return [
    `Due at ${first.slice(0, 16)}Z: \`tradeform resume --due\` starts what is due and nothing else; a schedule can run it. Nothing starts by itself.`,
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

/** What the environment gave may not be shown, and a sum without it must not look like the whole. */
function togetherText(sum: string, tasks: readonly SwitchedTask[]): string {
  const hidden = tasks.some(({ exposure, status }) => exposure === null && status !== 'off');
  return `${hidden ? `more than ${sum}` : sum} SOL per trigger together`;
}

function resumeClosing({ summary, dry_run, outcome, exposure, tasks }: SwitchReport): readonly string[] {
  const settles = tasks.filter(({ status }) => status === 'settles').length;
  if (dry_run || summary.planned + settles > 0) {
    const stake = summary.planned > 0 ? `, ${togetherText(exposure.after, tasks)}` : '';
    const letGo = settles > 0 ? `; ${settles} would be let go by the switch and not started` : '';
    return [
      `${count(summary.planned, 'task')} would start${stake}${letGo}.${dry_run ? ' Nothing was sent.' : ''}`,
    ];
  }
  const bad = summary.failed + summary.unknown + summary.gone;
  const said = [
    `${count(summary.started, 'task')} started`,
    ...(summary.settled > 0 ? [`${summary.settled} let go by the switch and not started`] : []),
    ...(bad > 0 ? [`${bad} not, or not certainly`] : []),
    ...(summary.running > 0 ? [`${summary.running} ran already`] : []),
    ...(summary.left > 0 ? [`${summary.left} left as ${summary.left === 1 ? 'it is' : 'they are'}`] : []),
  ].join('; ');
  return [`${outcome === 'interrupted' ? 'Interrupted: ' : ''}${said}.`];
}
