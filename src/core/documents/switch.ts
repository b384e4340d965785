import { addressOrId } from '../model/address.ts';
import { byKey } from '../model/by-key.ts';
import type { SwitchedTask, SwitchReport } from '../model/generated/report.ts';
import { given } from '../model/given.ts';
import { count } from '../model/named.ts';
import { SECRET } from '../model/secret.ts';
import { acted, openIn } from '../model/switched.ts';
import type { Tone } from '../render/layout.ts';
import { type Row, section, type View } from '../render/view.ts';
import { ownerWord } from '../render/words.ts';
import { type DocumentKind, problemsIn } from './document.ts';
import { outsideText, stakeText } from './stake-text.ts';

/**
 * What `pause`, `resume` or `release` does or did: first what is not as requested. Details are shown: if live state and git
 * differ, people decide by the values and their places in the manifests.
 */
function switchView(report: SwitchReport): View {
  const { changes, outcome, project, environment, service } = report;
  const { command, exposure, options } = report.record;
  const { before, after } = exposure;
  // A sum without hidden amounts must not look complete.
  const isHidden = changes.some(({ exposure: its, running, actions: [does = ''] }) => {
    return its === null && (running || ['stop', 'start'].includes(does));
  });
  const isAll = options.includes('--all') && !options.some((one) => /^--(?:kind|label) /.test(one));
  const of = isAll ? '' : ' in the chosen tasks';
  const sum = `${isHidden ? 'more than ' : ''}${before === after ? after : `${before} → ${after}`} SOL at stake${of}`;
  const still = outsideText(report.outside, 'still ');
  const isSaid = report.diagnostics.some(({ message }) => message === still);
  const places = byKey(changes, (task) => placeOf(command, task));
  const [verdict = '', ...notes] = CLOSINGS[command](report);
  return {
    command,
    heading: `${command.charAt(0).toUpperCase()}${command.slice(1)} in`,
    subject: { project, environment, service },
    tone: outcome === 'done' ? 'strong' : 'error',
    money: command === 'release' ? undefined : stakeText(sum, isSaid ? undefined : report.outside),
    parts: PARTS.flatMap(([place, sign, tone, title]) => {
      const found = places.get(place) ?? [];
      const [said = '', ...others] = new Set(found.map(({ text }) => text));
      // One text for all is said once.
      const shared = found.length > 1 && others.length === 0 && said !== '';
      const rows = found.map((task) => ({ sign, tone, ...rowOf(shared ? { ...task, text: '' } : task) }));
      const most = COUNTED.includes(place) ? { most: MOST_NAMED } : {};
      const ways = shared ? { ways: [said] } : {};
      return section(rows, { title, tone, ...most, ...ways });
    }),
    verdict,
    notes,
    footer: command === 'resume' && report.dry_run ? [`Digest ${report.digest}`] : [],
    detailed: true,
    at: report.finished_at,
  };
}

export const switchKind: DocumentKind<SwitchReport> = {
  view: switchView,
  notice: ({ diagnostics }) => ({ problems: problemsIn(diagnostics) }),
  // A dry run counts what would be done.
  stakes: ({ record, changes, outcome, dry_run: dry, outside }) => {
    const [does, end] = outcome === 'refused' ? [[], 'before' as const] : [changes, 'after' as const];
    const [starts, stops] = [acted(does, 'start').length, acted(does, 'stop').length];
    const { before, [end]: after } = record.exposure;
    const off = dry && record.command === 'pause';
    return {
      ...{ before: before ?? '0', after: off ? '0' : (after ?? '0'), starts, stops, changes: starts + stops },
      ...given({ outside }),
    };
  },
};

/** Where a task appears. A task of a pause that is off may lack something: that goes first. */
function placeOf(command: SwitchReport['record']['command'], task: SwitchedTask): string {
  const { actions, held, unwritten, text } = task;
  const status = command !== 'pause' && task.status === 'gone' ? 'failed' : task.status;
  if (!actions.includes('mark') && status !== 'done' && status !== 'planned') return `${command} ${status}`;
  if (held === false) return 'pause unheld';
  if (unwritten !== null) return 'pause unmarked';
  if (actions.includes('none')) return text === '' ? '' : 'pause longer';
  return `${status} ${actions.join()}`;
}

/** In the order of the text. */
const PARTS: readonly (readonly [place: string, sign: string, tone: Tone, title: string])[] = [
  ['pause failed', '!', 'error', 'Still running'],
  ['pause unknown', '!', 'error', 'May be running'],
  ['pause unheld', '!', 'warn', 'Off, but the next apply may start them'],
  ['pause unmarked', '!', 'warn', 'Off, but without the mark of the pause'],
  ['planned stop', '■', 'stop', 'Would be paused, in this order'],
  ['done stop', '■', 'stop', 'Paused'],
  ['planned mark', '=', 'dim', 'Would be kept off'],
  ['done mark', '=', 'dim', 'Kept off'],
  ['pause longer', '=', 'dim', 'Kept off longer'],
  ['planned start', '►', 'start', 'Would start trading'],
  ['done start', '►', 'start', 'Started'],
  ['resume failed', '!', 'error', 'Not started'],
  ['resume unknown', '!', 'error', 'Unknown whether started'],
  ['planned settle', '=', 'dim', 'Would stay off: something else stopped them'],
  ['done settle', '=', 'dim', 'Stay off: something else stopped them'],
  ['resume left', '=', 'dim', 'Left as they are'],
  ['release failed', '!', 'error', 'Not released'],
  ['release unknown', '!', 'error', 'Unknown whether released'],
  ['planned release', '~', 'change', 'Would lose the marker'],
  ['done release', '~', 'change', 'Released'],
];

/** Beyond this many tasks in one of these places, the rest is counted. `-o json` lists all. All others are always named. */
const MOST_NAMED = 20;
const COUNTED = ['planned stop', 'done stop', 'planned mark', 'done mark', 'pause longer', 'resume left'];

function rowOf(task: SwitchedTask): Omit<Row, 'sign' | 'tone'> {
  const { address, id, owner, remark, fields, running, exposure, text, differs } = task;
  const name = addressOrId(task);
  const below = text === '' ? [] : [text];
  const [released] = fields;
  if (released !== undefined) {
    // Two tasks may have one address: the id says which one is meant.
    const names = [address === null ? name : `${name} ${id}`];
    const changed = `"${released.before}" → "${released.after}"`;
    return { names, value: running ? 'running' : 'paused', text: '', below: [changed, ...below] };
  }
  const whose = `${ownerWord(owner)}, "${remark}"`;
  return {
    names: [name],
    value: exposure === null ? SECRET : `${exposure} SOL`,
    text: '',
    below: [...(owner === 'owned' ? [] : [whose]), ...below],
    fields: differs,
  };
}

function pauseClosing(report: SwitchReport): readonly string[] {
  const { dry_run, outcome, project, changes, diagnostics } = report;
  const open = openIn(changes);
  const stopped = acted(changes, 'stop').length;
  const were = changes.filter(({ actions }) => !actions.includes('stop')).length;
  const off = `${count(were, 'was', 'were')} off already`;
  const saying = (wanted: string) => diagnostics.find(({ code }) => code === wanted);
  const [nobody, frozen, others] = ['first-apply', 'frozen', 'unmanaged-running'].map(saying);
  const [but, end] = frozen ? [', but a freeze is set', ` ${frozen.hint}`] : ['', ''];
  if (nobody) return [`Nothing ${dry_run ? 'would be' : 'was'} paused${but}: ${nobody.message}.${end}`];
  const beside = others ? [`${others.message}. ${others.hint}`] : [];
  if (dry_run) return [...beside, `${count(stopped, 'task')} would be paused; ${off}. Nothing was sent.`];
  const done = [
    ...(stopped > 0 ? [`${count(stopped, 'task')} paused`] : []),
    ...(were > 0 || stopped === 0 ? [off] : []),
    ...(open.length > 0 ? [`${count(open.length, 'task')} may be running`] : []),
  ].join('; ');
  const lacks = open.some(({ error }) => error?.code === 'insufficient_scope');
  const again = `Run the command again${lacks ? ', with a token that has the scope' : ''}.`;
  const head = {
    done: `All chosen tasks are off: ${done}.`,
    incomplete: `${changes.length === 0 ? 'Nothing was paused, tasks may still trade: pause them in the web application. ' : ''}Not all are off, or sure to stay off: ${done}. ${again}`,
    interrupted: `Interrupted; it is unknown whether more tasks run: ${done}. ${again}`,
    begun: 'Begun, and how it ended was not written.',
    refused: 'Refused: nothing was sent.',
  }[outcome];
  const unmarked =
    'No project was known, so no task was marked: an apply may start the tasks that it manages.';
  const stays =
    'They stay off until `tradeform resume`. If an apply is running now, cancel it: it may start other tasks.';
  return [
    ...beside,
    head,
    ...(stopped === 0
      ? []
      : ['A pause is stored at once; execution nodes may use the old state for up to 60 seconds.']),
    ...(stopped === 0 || (frozen && project !== null) ? [] : [project === null ? unmarked : stays]),
    ...(frozen ? [`No apply starts or raises anything: ${frozen.message}. ${frozen.hint}`] : []),
  ];
}

function resumeClosing(report: SwitchReport): readonly string[] {
  const { dry_run, outcome, changes, summary } = report;
  const starts = acted(changes, 'start').length;
  const settled = acted(changes, 'settle').length;
  if (dry_run) {
    const letGo = settled > 0 ? `; ${settled} would stay off` : '';
    const refused = outcome === 'refused';
    return [
      `${refused ? 'REFUSED: ' : ''}${count(starts, 'task')} would start${letGo}. Nothing was sent.`,
      ...(refused ? [] : thawText(report, 'would end')),
    ];
  }
  const running = changes.filter((task) => task.status === 'left' && task.running).length;
  const left = summary.left - running;
  const said = [
    `${count(starts, 'task')} started`,
    settled === 0 ? '' : `; ${count(settled, 'stays', 'stay')} off`,
    badText(summary),
    running === 0 ? '' : `; ${running} ran already`,
    left === 0 ? '' : `; ${left} left as ${left === 1 ? 'it is' : 'they are'}`,
  ];
  return [
    `${outcome === 'interrupted' ? 'Interrupted: ' : ''}${said.join('')}.`,
    ...thawText(report, 'ended'),
  ];
}

function thawText({ thaws = [] }: SwitchReport, end: string): readonly string[] {
  return thaws.length === 0
    ? []
    : [`The freeze ${end}: ${thaws.map((name) => JSON.stringify(name)).join(', ')}.`];
}

function releaseClosing({ summary, dry_run: dry, outcome, changes }: SwitchReport): readonly string[] {
  const { planned, done } = summary;
  const running = acted(changes, 'release').filter((task) => task.running).length;
  const on = running === 0 ? '' : ` ${count(running, 'task keeps', 'tasks keep')} running.`;
  const stays = `Released tasks stay as they are, and are no longer managed from git.${on}`;
  if (dry) return [`${count(planned, 'task')} would lose the marker. Nothing was sent.`, stays];
  const first = outcome === 'interrupted' ? 'Interrupted: ' : '';
  return [`${first}${count(done, 'task')} released${badText(summary)}.`, ...(done > 0 ? [stays] : [])];
}

function badText({ failed, unknown, gone }: SwitchReport['summary']): string {
  const bad = failed + unknown + gone;
  return bad === 0 ? '' : `; ${bad} failed or unknown`;
}

const CLOSINGS = { pause: pauseClosing, resume: resumeClosing, release: releaseClosing };
