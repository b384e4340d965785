import type { LoggedRun, RunLog } from '../model/generated/log.ts';
import type { ChangeResult, Report, SwitchedTask } from '../model/generated/report.ts';
import { count, named } from '../model/named.ts';
import { SECRET } from '../model/secret.ts';
import type { Tone } from '../render/layout.ts';
import { noteSections, type Row, section, subjectText, type View } from '../render/view.ts';
import { minuteOf } from '../render/words.ts';
import { toldFields } from './change-rows.ts';
import { type DocumentKind, problemsIn } from './document.ts';

const COLUMNS = ['run', 'began (UTC)', 'command', 'outcome', 'commit', 'SOL at stake', 'project'];

const TONES: Readonly<Partial<Record<LoggedRun['outcome'], Tone>>> = {
  incomplete: 'error',
  interrupted: 'error',
  begun: 'error',
  refused: 'warn',
};

/** The runs of a journal, a row each: when, what, who, from which commit, and what started and stopped. */
function logView({ folder, runs, diagnostics }: RunLog): View {
  const several = new Set(runs.map(placeOf)).size > 1;
  const died = runs.filter(({ outcome }) => outcome === 'begun').length;
  return {
    command: 'log',
    heading: 'Runs in',
    subject: { project: folder, environment: null },
    verdict: runs.length === 0 ? 'No run' : count(runs.length, 'run'),
    tone: 'title',
    notes: died === 0 ? [] : [`${died} began and did not end: the run died, or is still at work.`],
    parts: [
      ...section(
        runs.map((run) => rowOf(run, several)),
        {
          title: 'Runs',
          tone: 'dim',
          columns: COLUMNS.slice(0, several ? undefined : -1).map((title) => ({ title })),
          unit: ['run', 'runs'],
          weight: 60,
        },
      ),
      ...noteSections(diagnostics),
    ],
  };
}

/** A folder can have the runs of several projects, environments and accounts. */
function placeOf(run: LoggedRun): string {
  return subjectText(run, (text) => text);
}

function rowOf(run: LoggedRun, several: boolean): Row {
  const { exposure, outcome, commit, author, dirty, subject, reason } = run;
  const tone = TONES[outcome];
  const cells = [
    run.run.slice(-8),
    run.started_at.slice(0, 16).replace('T', ' '),
    run.command,
    outcome === 'begun' ? 'did not end' : outcome,
    commitText(commit, dirty),
    solText(exposure),
    ...(several ? [placeOf(run)] : []),
  ];
  const told = [
    ['Started', run.started],
    ['Stopped', run.stopped],
    ['Deleted', run.deleted],
  ] as const;
  return {
    names: [run.run],
    cells: cells.map((text, at) => (at === 3 && tone !== undefined ? { text, tone } : { text })),
    text: '',
    below: [
      ...(reason === null ? [] : [`Reason: “${reason}”`]),
      ...(subject === null ? [] : [`Commit: “${subject}”${author === null ? '' : ` by ${author}`}.`]),
      ...(run.by === null ? [] : [`Run by ${run.by}.`]),
      ...told.flatMap(([word, names]) =>
        names.length === 0 ? [] : [`${word}: ${named(names, MOST_NAMED)}.`],
      ),
    ],
  };
}

function commitText(commit: string | null, dirty: boolean): string {
  return commit === null ? '' : `${commit.slice(0, 7)}${dirty ? ', changed' : ''}`;
}

function solText({ before, after }: LoggedRun['exposure']): string {
  return before === null || after === null ? '' : `${before} → ${after}`;
}

/** One run for people: who, from what and why, then each change with its fields before and after. `journal`: its folder, where an option names it. */
export function runView(run: string, report: Report, journal?: string): View {
  const { record, project, environment, service, outcome, changes, diagnostics } = report;
  const { commit, author, dirty, by, why, approval, exposure, options } = record;
  const claimed = { github: 'GitHub', gitea: 'Gitea', gitlab: 'GitLab', system: 'the system' };
  const facts = [
    ['Began', minuteOf(report.started_at)],
    ['Run by', by.name === null ? '' : `${by.name}, as ${claimed[by.claimed_by]} says`],
    ['Commit', `${commitText(commit, dirty)}${author === null ? '' : `, by ${author}`}`],
    ['Subjects', why.subjects.join('; ')],
    ['Reason', why.reason ?? ''],
    ['Job', why.run ?? ''],
    ['Approved by', approval.digest === null ? approval.from : `${approval.from}, digest ${approval.digest}`],
    ['Options', options.join(' ')],
    ['SOL at stake', solText(exposure)],
  ] as const;
  return {
    command: 'log show',
    heading: `Run ${run} of`,
    subject: { project, environment, service },
    verdict: `${record.command}: ${outcome === 'begun' ? 'did not end' : outcome}`,
    tone: TONES[outcome] ?? 'title',
    parts: [
      ...section(
        facts.flatMap(([name, text]) => (text === '' ? [] : [{ names: [name], text }])),
        { title: 'About', tone: 'dim' },
      ),
      ...section(
        changes.filter(({ actions }) => actions.some((action) => action !== 'none')).map(changeRow),
        { title: 'Changes', tone: 'title', unit: ['change', 'changes'] },
      ),
      ...noteSections(diagnostics),
    ],
    notes: changes.some(({ former }) => former !== null)
      ? [
          `\`tradeform log restore ADDRESS --at ${run}${journal === undefined ? '' : ` --journal ${journal}`}\` prints what one of them was before.`,
        ]
      : [],
    detailed: true,
  };
}

/** A task outside git has its remark beside its id. */
export function nameInLog({ address, kind, id, ...more }: ChangeResult | SwitchedTask): string {
  return address ?? `${kind}/${id}${'remark' in more && more.remark !== '' ? ` "${more.remark}"` : ''}`;
}

function changeRow(change: ChangeResult | SwitchedTask): Row {
  const { actions, status, text, fields, former } = change;
  const sol = 'exposure' in change ? [change.exposure === null ? SECRET : `${change.exposure} SOL`] : [];
  const written = former?.updated_at
    ? [`before this run last written ${minuteOf(String(former.updated_at))}`]
    : [];
  return {
    names: [nameInLog(change)],
    beside: ` (${actions.join(', ')}): ${[status, ...sol, ...written].join(', ')}`,
    text,
    fields: [...fields, ...('differs' in change ? change.differs : toldFields(change))],
  };
}

const MOST_NAMED = 8;

export const logKind: DocumentKind<RunLog> = {
  view: logView,
  notice: ({ diagnostics }) => ({ problems: problemsIn(diagnostics) }),
};
