import type { LoggedRun, RunLog } from '../model/generated/log.ts';
import { type ApplyReport, REPORT_FORMAT } from '../model/generated/report.ts';
import type { SwitchReport } from '../model/generated/switch.ts';
import type { Tone } from '../render/layout.ts';
import { noteSections, type Row, section, type View } from '../render/view.ts';
import { type DocumentKind, problemsIn } from './document.ts';
import { switchView } from './switch.ts';

const COLUMNS = ['run', 'began', 'command', 'outcome', 'commit', 'SOL per trigger'].map((title) => ({
  title,
}));

const TONES: Readonly<Partial<Record<LoggedRun['outcome'], Tone>>> = {
  incomplete: 'error',
  interrupted: 'error',
  begun: 'error',
  refused: 'warn',
};

/** The runs of a journal, a row each: when, what, who, from which commit, and what started and stopped. */
function logView({ folder, runs, diagnostics }: RunLog): View {
  const died = runs.filter(({ outcome }) => outcome === 'begun').length;
  return {
    command: 'log',
    heading: 'Runs in',
    subject: { project: folder, environment: null },
    verdict: runs.length === 0 ? 'No run' : `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`,
    tone: 'title',
    notes: died === 0 ? [] : [`${died} began and did not end: the run died, or is still at work.`],
    parts: [
      ...section(runs.map(rowOf), {
        title: 'Runs',
        tone: 'dim',
        columns: COLUMNS,
        unit: ['run', 'runs'],
        weight: 60,
      }),
      ...noteSections(diagnostics),
    ],
  };
}

function rowOf(run: LoggedRun): Row {
  const { exposure, outcome, commit, dirty, reason } = run;
  const tone = TONES[outcome];
  const cells = [
    run.run.slice(-8),
    run.started_at.slice(0, 16).replace('T', ' '),
    run.command,
    outcome === 'begun' ? 'did not end' : outcome,
    commitText(commit, dirty),
    solText(exposure),
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
      ...(reason === null ? [] : [`“${reason}”`]),
      ...(run.by === null ? [] : [`By ${run.by}.`]),
      ...told.flatMap(([word, names]) => (names.length === 0 ? [] : [`${word}: ${named(names)}.`])),
    ],
  };
}

function commitText(commit: string | null, dirty: boolean): string {
  return commit === null ? '' : `${commit.slice(0, 7)}${dirty ? ', changed' : ''}`;
}

function solText({ before, after }: LoggedRun['exposure']): string {
  return before === null || after === null ? '' : `${before} → ${after}`;
}

/** One run for people: who, from what and why, then each change with its fields before and after. */
export function runView(run: string, report: ApplyReport | SwitchReport): View {
  const { record, project, environment, service, outcome } = report;
  const { commit, dirty, by, why, approval, exposure, options } = record;
  const claimed = {
    ...{ github: 'as GitHub says', gitea: 'as Gitea says' },
    ...{ gitlab: 'as GitLab says', system: 'as the system says' },
  };
  const facts = [
    ['Began', report.started_at.replace('T', ' ').slice(0, 19)],
    ['By', by.name === null ? '' : `${by.name}, ${claimed[by.claimed_by]}`],
    ['Commit', commitText(commit, dirty)],
    ['Subjects', why.subjects.join('; ')],
    ['Reason', why.reason ?? ''],
    ['Job', why.run ?? ''],
    ['Approved by', approval.digest === null ? approval.from : `${approval.from}, digest ${approval.digest}`],
    ['Options', options.join(' ')],
    ['SOL per trigger', solText(exposure)],
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
      ...(report.format === REPORT_FORMAT ? changesIn(report) : switchView(report).parts),
    ],
    detailed: true,
  };
}

function changesIn({ changes, diagnostics }: ApplyReport): View['parts'] {
  const rows = changes.filter(({ actions }) => actions.some((action) => action !== 'none'));
  return [
    ...section(
      rows.map(
        ({ address, actions, status, text, fields }): Row => ({
          names: [address],
          beside: ` (${actions.join(', ')}): ${status}`,
          text,
          fields: actions.includes('create') ? [] : fields,
        }),
      ),
      { title: 'Changes', tone: 'title', unit: ['change', 'changes'] },
    ),
    ...noteSections(diagnostics),
  ];
}

const MOST_NAMED = 8;

function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export const logKind: DocumentKind<RunLog> = {
  view: logView,
  notice: ({ diagnostics }) => ({ problems: problemsIn(diagnostics) }),
};
