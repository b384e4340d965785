import { byKey } from '../model/by-key.ts';
import type { SwitchedTask, SwitchReport } from '../model/generated/switch.ts';
import { kindOf } from '../model/kind.ts';
import { SECRET } from '../model/secret.ts';
import { count, type Tone } from '../render/layout.ts';
import { type Row, section, type View } from '../render/view.ts';
import { type DocumentKind, problemsIn } from './document.ts';

/**
 * What `pause`, `resume` or `release` does or did: first what is not as requested. Details are shown: if live state and git
 * differ, people decide by the values and their places in the manifests.
 */
export function switchView(report: SwitchReport): View {
  const { command, exposure, tasks, outcome, project, environment, service } = report;
  // A sum without hidden amounts must not look complete.
  const isKnown = exposure.before !== exposure.after && tasks.every((task) => task.exposure !== null);
  const refused = lackingScopes(report).length > 0 && report.summary.paused === 0;
  const places = byKey(tasks, (task) => placeOf(command, task));
  const [verdict = '', ...notes] = CLOSINGS[command](report);
  return {
    command,
    end: 'titled',
    heading: `${command.charAt(0).toUpperCase()}${command.slice(1)} in`,
    subject: { project, environment, service },
    tone: outcome === 'done' ? 'strong' : 'error',
    money: isKnown ? `${exposure.before} → ${exposure.after} SOL per trigger` : undefined,
    parts: PARTS.flatMap(([place, sign, tone, title, dry = title]) => {
      const found = refused && place === 'pause running' ? [] : (places.get(place) ?? []);
      const [said = '', ...others] = new Set(found.map(({ text }) => text));
      // One text for all is said once.
      const shared = found.length > 1 && others.length === 0 && said !== '';
      const rows = found.map((task) => ({ sign, tone, ...rowOf(shared ? { ...task, text: '' } : task) }));
      const most = COUNTED.includes(place) ? { most: MOST_NAMED } : {};
      const ways = shared ? { ways: [said] } : {};
      return section(rows, { title: report.dry_run ? dry : title, tone, ...most, ...ways });
    }),
    verdict,
    notes,
    detailed: true,
    at: report.finished_at,
  };
}

export const switchKind: DocumentKind<SwitchReport> = {
  view: switchView,
  notice: ({ diagnostics }) => ({ problems: problemsIn(diagnostics) }),
  // A dry run counts what would be done.
  stakes: ({ command, exposure, summary: { started, paused, planned } }) => {
    const starts = started + (command === 'resume' ? planned : 0);
    const stops = paused + (command === 'pause' ? planned : 0);
    return { ...exposure, starts, stops, changes: starts + stops };
  },
};

/** Where a task appears. A task of a pause that is off may lack something: that goes first. */
function placeOf(command: SwitchReport['command'], task: SwitchedTask): string {
  const { status, held, wrote, unwritten, text } = task;
  const bad = status === 'gone' ? 'failed' : status;
  if (command !== 'pause') return `${command} ${command === 'resume' && bad === 'running' ? 'left' : bad}`;
  if (status === 'running' || status === 'unknown') return `pause ${status}`;
  if (held === false) return 'pause unheld';
  if (unwritten !== null) return 'pause unmarked';
  if (status !== 'off') return `pause ${status}`;
  return wrote === null && text !== '' ? 'pause longer' : wrote === null ? '' : `pause ${status}`;
}

type Part = readonly [place: string, sign: string, tone: Tone, title: string, dry?: string];

/** In the order of the text. `dry`: the title in a dry run. */
const PARTS: readonly Part[] = [
  ['pause running', '!', 'error', 'Still running'],
  ['pause unknown', '!', 'error', 'May be running'],
  ['pause unheld', '!', 'warn', 'Off, but the next apply may start them'],
  ['pause unmarked', '!', 'warn', 'Off, but not marked as stopped by the switch'],
  ['pause planned', '■', 'stop', 'Would be paused, in this order'],
  ['pause paused', '■', 'stop', 'Paused'],
  ['pause off', '=', 'dim', 'Were off already, and are marked now', 'Off already, and would be marked'],
  ['pause longer', '=', 'dim', 'Were off already, and stay off longer'],
  ['resume failed', '!', 'error', 'Not started'],
  ['resume unknown', '!', 'error', 'Unknown whether started'],
  ['resume left', '=', 'dim', 'Left as they are'],
  ['resume settles', '=', 'dim', 'The mark of the switch would be removed, but no task started'],
  ['resume settled', '=', 'dim', 'The mark of the switch was removed, but no task was started'],
  ['resume planned', '►', 'start', 'Starts trading', 'Would start trading'],
  ['resume started', '►', 'start', 'Started'],
  ['release failed', '!', 'error', 'Not released'],
  ['release unknown', '!', 'error', 'Unknown whether released'],
  ['release planned', '~', 'change', 'Would lose the marker'],
  ['release released', '~', 'change', 'Released'],
];

/** Beyond this many tasks in one of these places, the rest is counted. `-o json` lists all. All others are always named. */
const MOST_NAMED = 20;
const COUNTED = ['pause planned', 'pause paused', 'pause off', 'pause longer', 'resume left'];

function rowOf(task: SwitchedTask): Omit<Row, 'sign' | 'tone'> {
  const { address, kind, id, owner, remark, remarks, found, running, exposure, text, differs } = task;
  const name = address ?? `${kind}/${id}`;
  const below = text === '' ? [] : [text];
  if (remarks !== null) {
    // Two tasks may have one address: the id says which one is meant.
    const names = [address === null ? name : `${name} ${id}`];
    const changed = `"${remarks.before}" → "${remarks.after}"`;
    return { names, value: running ? 'running' : 'paused', text: '', below: [changed, ...below] };
  }
  const whose = `${owner === 'damaged' ? 'damaged marker' : owner}, "${remark}"`;
  return {
    names: [name],
    value: exposure === null ? SECRET : `${exposure} SOL`,
    text: found === null ? '' : `last written ${found.updated_at.slice(0, 16).replace('T', ' ')} UTC`,
    below: [...(owner === 'owned' ? [] : [whose]), ...below],
    fields: differs,
  };
}

/** The scopes that a pause lacks, if that alone keeps tasks running: then it is said once, and not for each task. */
function lackingScopes({ command, tasks }: SwitchReport): readonly string[] {
  const open = tasks.filter(({ status }) => status === 'running' || status === 'unknown');
  const lacks = open.every(({ error }) => error?.code === 'insufficient_scope');
  if (command !== 'pause' || !lacks) return [];
  return [...new Set(open.flatMap(({ kind }) => kindOf(kind).scopes.write.slice(0, 1)))];
}

function pauseClosing(report: SwitchReport): readonly string[] {
  const scopes = lackingScopes(report);
  const { summary, exposure, tasks } = report;
  if (scopes.length === 0) return pauseEnd(report);
  const done = summary.paused === 0 ? 'Nothing was paused' : `${count(summary.paused, 'task')} paused`;
  return [
    `${done}: ${count(summary.running + summary.unknown, 'task')} still running, ${togetherText(exposure.after, tasks)}.`,
    `The token lacks ${scopes.join(', ')}: set a token that has them, and run the command again.`,
  ];
}

function pauseEnd({
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
    incomplete: `Not all are off, or sure to stay off: ${done}. Run the command again.`,
    interrupted: `Interrupted; it is unknown whether more tasks run: ${done}. Run the command again.`,
    begun: 'Begun, and how it ended was not written.',
    refused: 'Refused: nothing was sent.',
  }[outcome];
  const until = dueLines(tasks);
  if (summary.paused === 0) return [head, ...until];
  return [
    head,
    ...until,
    'A pause is stored at once; execution nodes may use the old state for up to 60 seconds.',
    project === null
      ? 'No project was known, so no task was marked: an apply may start the tasks that it manages.'
      : diagnostics.some(({ code }) => code === 'frozen')
        ? 'They stay paused until `tradeform resume`. The account is frozen: no apply starts others until `tradeform resume --all`.'
        : 'They stay paused until `tradeform resume`. If an apply is running now, cancel it: it may start other tasks.',
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

function resumeClosing(report: SwitchReport): readonly string[] {
  const { summary, dry_run, outcome, exposure, tasks } = report;
  const settles = tasks.filter(({ status }) => status === 'settles').length;
  if (dry_run || summary.planned + settles > 0) {
    const stake = summary.planned > 0 ? `, ${togetherText(exposure.after, tasks)}` : '';
    const letGo = settles > 0 ? `; ${settles} would lose the mark of the switch, but not start` : '';
    return [
      `${count(summary.planned, 'task')} would start${stake}${letGo}.${dry_run ? ' Nothing was sent.' : ''}`,
      `Digest ${report.digest}`,
    ];
  }
  const { started, settled, running, left } = summary;
  const said = [
    `${count(started, 'task')} started`,
    settled === 0
      ? ''
      : `; ${settled} lost the mark of the switch, but ${settled === 1 ? 'was' : 'were'} not started`,
    badText(summary),
    running === 0 ? '' : `; ${running} ran already`,
    left === 0 ? '' : `; ${left} left as ${left === 1 ? 'it is' : 'they are'}`,
  ];
  return [`${interruptedText(outcome)}${said.join('')}.`];
}

function releaseClosing({ summary, dry_run: dry, outcome, tasks }: SwitchReport): readonly string[] {
  const { planned, released } = summary;
  const running = tasks.filter(
    (task) => task.running && (task.status === 'planned' || task.status === 'released'),
  ).length;
  const on = running === 0 ? '' : ` ${count(running, 'task keeps', 'tasks keep')} running.`;
  const stays = `Released tasks stay as they are, and are no longer managed from git.${on}`;
  if (planned > 0)
    return [`${count(planned, 'task')} would lose the marker.${dry ? ' Nothing was sent.' : ''}`, stays];
  const said = `${count(released, 'task')} released${badText(summary)}.`;
  return [`${interruptedText(outcome)}${said}`, ...(released > 0 ? [stays] : [])];
}

function badText({ failed, unknown, gone }: SwitchReport['summary']): string {
  const bad = failed + unknown + gone;
  return bad === 0 ? '' : `; ${bad} failed or unknown`;
}

function interruptedText(outcome: SwitchReport['outcome']): string {
  return outcome === 'interrupted' ? 'Interrupted: ' : '';
}

const CLOSINGS = { pause: pauseClosing, resume: resumeClosing, release: releaseClosing };
