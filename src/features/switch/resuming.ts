import type { Failure } from '../../apply/outcome.ts';
import { Interrupted, Requests } from '../../apply/requests.ts';
import type { Io } from '../../command/io.ts';
import { showProgress } from '../../command/progress.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { SwitchedTask, SwitchReport } from '../../model/generated/switch.ts';
import { type KnownTask, nameOf } from '../../plan/identity/known-task.ts';
import { count } from '../../render/layout.ts';
import { type ApprovedOptions, runApproved, sideBySide } from './approved-run.ts';
import { type StoredOptions, storedText } from './as-stored.ts';
import type { OperatorContext, OperatorOptions } from './context.ts';
import { type RowEnd, type Showable, stakeOf, switchedTask, switchReport } from './report.ts';
import type { ResumeChoice } from './resume-choice.ts';
import { markSettled, switchOn } from './resume-task.ts';
import { switchView } from './view.ts';

interface Parts {
  readonly choices: readonly ResumeChoice[];
  readonly warnings: readonly Diagnostic[];
  readonly showable: Showable;
  readonly context: OperatorContext;
  readonly options: StoredOptions & ApprovedOptions & Pick<OperatorOptions, 'quiet' | 'verbose'>;
  readonly io: Io;
}

const STATUS = {
  start: 'planned',
  'mark-settled': 'settles',
  running: 'running',
  left: 'left',
  refused: 'failed',
} as const;

/** The start of chosen tasks: shown, approved, carried out and reported. Returns the exit code. */
export function resumeAll(parts: Parts): Promise<number> {
  const { choices, warnings, showable, context, options, io } = parts;
  const { session } = context;
  const startedAt = session.clock.now();
  // `known` is the current task. How a starting task is stored is reported until the end.
  const row = (choice: ResumeChoice, { known, ...end }: Ended) => {
    const starts = end.status === 'planned' || end.status === 'started';
    const text = starts ? join(end.text ?? '', storedText(choice)) : end.text;
    const differs = starts ? choice.differs?.fields : undefined;
    return switchedTask(known ?? choice.known, { ...end, text, differs }, showable);
  };
  const rows = new Map(
    choices.map((choice) => [choice, row(choice, { status: STATUS[choice.type], text: choice.text })]),
  );
  const chosen = choices.filter(({ type }) => type === 'start' || type === 'mark-settled');
  const work = async () => {
    await startAll(chosen, parts, async (choice, requests) => {
      const ended = row(choice, await endOf(choice, requests));
      rows.set(choice, ended);
      return ended;
    });
    // Tasks that did not start because of an interruption.
    for (const choice of chosen) {
      const status = rows.get(choice)?.status;
      if (status !== 'planned' && status !== 'settles') continue;
      const text = status === 'planned' ? 'Not started: interrupted.' : 'Interrupted: the mark stays.';
      rows.set(choice, row(choice, { status: 'failed', text }));
    }
  };
  const report = (interrupted: boolean) => reportOf([...rows.values()], startedAt, interrupted, parts);
  const question = chosen.length === 0 ? undefined : { ...QUESTION, question: questionOf(choices) };
  return runApproved({ warnings, question, report, view: switchView, work }, options, io);
}

type Ended = RowEnd & { readonly known?: KnownTask };

async function startAll(
  choices: readonly ResumeChoice[],
  { io, options, context }: Parts,
  start: (choice: ResumeChoice, requests: Requests) => Promise<SwitchedTask>,
): Promise<void> {
  const { api, clock, limiter } = context.session;
  const { quiet, verbose } = options;
  const progress = showProgress(io, { quiet, verbose, total: choices.length, doing: 'Starting' });
  const onSoftStop = () =>
    progress.note(
      'Stopping: tasks in progress are finished, no others are started. Ctrl-C again stops at once.',
    );
  io.stop.soft.addEventListener('abort', onSoftStop);
  try {
    await sideBySide(choices, { limiter, signal: io.stop.soft }, async (choice) => {
      const address = nameOf(choice.known);
      progress.emit({ type: 'chain-start', address, steps: 2 });
      const { status, text } = await start(choice, new Requests(api, clock, io.stop.hard));
      progress.emit({
        type: 'chain-end',
        address,
        status: isDone(status) ? 'done' : status === 'unknown' ? 'unknown' : 'failed',
        text: isDone(status) ? status : text,
      });
    });
  } finally {
    io.stop.soft.removeEventListener('abort', onSoftStop);
    progress.close();
  }
}

async function endOf(choice: ResumeChoice, requests: Requests): Promise<Ended> {
  const { known, type, text } = choice;
  const { marker, owner } = known;
  const own = owner === 'owned' ? marker : undefined;
  try {
    const settles = type === 'mark-settled' && own !== undefined;
    const outcome = settles
      ? await markSettled(known.task, own, requests)
      : await switchOn(known.task, own, requests);
    const task = { ...known, task: outcome.resource };
    const { requestIds } = requests;
    if (outcome.type === 'done') {
      const said = join(text, outcome.text ?? '');
      return { known: task, status: settles ? 'settled' : 'started', text: said, requestIds };
    }
    const { failure } = outcome;
    const status = failure.kind === 'unknown' || failure.kind === 'gone' ? failure.kind : 'failed';
    const said = join(failure.text, renewal(failure, known));
    return { known: task, status, text: said, failure, requestIds };
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    const end = error.inFlight
      ? ({ status: 'unknown', text: 'Interrupted: it is unknown whether it was started.' } as const)
      : ({ status: 'failed', text: 'Interrupted before it was started.' } as const);
    return { ...end, requestIds: requests.requestIds };
  }
}

function questionOf(choices: readonly ResumeChoice[]): string {
  if (!choices.some(({ type }) => type === 'start')) return SETTLE_QUESTION;
  const { length } = choices.filter(({ differs }) => differs !== undefined);
  return length === 0
    ? QUESTION.question
    : `${count(length, 'task')} can spend differently from git.\nStart all with their stored configs? Only "yes" is accepted: `;
}

function reportOf(
  tasks: readonly SwitchedTask[],
  startedAt: number,
  interrupted: boolean,
  { context, options, warnings }: Parts,
): SwitchReport {
  const having = (...statuses: readonly SwitchedTask['status'][]) =>
    tasks.filter(({ status }) => statuses.includes(status));
  const bad = having('failed', 'unknown', 'gone').length > 0;
  const ran = having('running');
  return switchReport({
    command: 'resume',
    context,
    dryRun: options.dryRun === true,
    startedAt,
    outcome: interrupted ? 'interrupted' : bad ? 'incomplete' : 'done',
    verified: true,
    exposure: { before: stakeOf(ran), after: stakeOf([...ran, ...having('started', 'planned')]) },
    tasks,
    diagnostics: warnings,
  });
}

function isDone(status: SwitchedTask['status']): boolean {
  return status === 'started' || status === 'settled';
}

/** If the service refuses to start a stored config, an apply writes the config again and then starts the task. */
function renewal({ error }: Failure, { address, owner }: KnownTask): string {
  if (error?.code !== 'validation_error' || owner !== 'owned') return '';
  return `The service no longer accepts the stored config: \`tradeform apply --resume-stopped ${address}\` writes the config of the manifest, and starts it.`;
}

const SETTLE_QUESTION = 'Remove the mark of the switch from these tasks? Only "yes" is accepted: ';
const QUESTION = {
  question: 'Start these tasks? Only "yes" is accepted: ',
  hint: 'Use --auto-approve.',
};

function join(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(' ');
}
