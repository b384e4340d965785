import type { Failure } from '../../apply/outcome.ts';
import { Interrupted, Requests } from '../../apply/requests.ts';
import type { Io } from '../../command/io.ts';
import { showProgress } from '../../command/progress.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { SwitchedTask, SwitchReport } from '../../model/generated/switch.ts';
import { type KnownTask, nameOf } from '../../plan/identity/known-task.ts';
import type { Progress } from '../../ports/output.ts';
import { count } from '../../render/layout.ts';
import { type ApprovedOptions, runApproved, sideBySide } from './approved-run.ts';
import { type StoredOptions, storedText } from './as-stored.ts';
import type { OperatorContext, OperatorOptions } from './context.ts';
import { type RowEnd, type Showable, stakeOf, switchedTask, switchReport } from './report.ts';
import type { ResumeChoice } from './resume-choice.ts';
import { settleSwitch, switchOn } from './resume-task.ts';
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
  settle: 'settles',
  running: 'running',
  left: 'left',
  refused: 'failed',
} as const;

/** The start of chosen tasks: shown, approved, carried out and reported. */
export class Resuming {
  private readonly parts: Parts;
  private readonly rows = new Map<ResumeChoice, SwitchedTask>();
  private readonly startedAt: number;

  constructor(parts: Parts) {
    this.parts = parts;
    this.startedAt = parts.context.session.clock.now();
    for (const choice of parts.choices) {
      const end = { status: STATUS[choice.type], text: choice.text };
      this.rows.set(choice, this.row(choice, choice.known, end));
    }
  }

  run(): Promise<number> {
    const { choices, warnings, options, io } = this.parts;
    const work = choices.filter(({ type }) => type === 'start' || type === 'settle');
    const asked = work.some(({ type }) => type === 'start') ? this.question() : SETTLE_QUESTION;
    const question = work.length === 0 ? undefined : { ...QUESTION, question: asked };
    const start = async () => {
      await this.start(work);
      for (const choice of work) this.forgo(choice);
    };
    const report = (interrupted: boolean) => this.report(interrupted);
    return runApproved({ warnings, question, report, view: switchView, work: start }, options, io);
  }

  private async start(starts: readonly ResumeChoice[]): Promise<void> {
    const { io, options, context } = this.parts;
    const { quiet, verbose } = options;
    const progress = showProgress(io, { quiet, verbose, total: starts.length, doing: 'Starting' });
    const onSoftStop = () =>
      progress.note(
        'Stopping: tasks in progress are finished, no others are started. Ctrl-C again stops at once.',
      );
    io.stop.soft.addEventListener('abort', onSoftStop);
    try {
      const turns = { limiter: context.session.limiter, signal: io.stop.soft };
      await sideBySide(starts, turns, (choice) => this.startOne(choice, progress));
    } finally {
      io.stop.soft.removeEventListener('abort', onSoftStop);
      progress.close();
    }
  }

  private async startOne(choice: ResumeChoice, progress: Progress): Promise<void> {
    const address = nameOf(choice.known);
    const { context, io } = this.parts;
    const { api, clock } = context.session;
    const requests = new Requests(api, clock, io.stop.hard);
    progress.emit({ type: 'chain-start', address, steps: 2 });
    const row = await this.endOf(choice, requests);
    this.rows.set(choice, row);
    const { status, text } = row;
    progress.emit({
      type: 'chain-end',
      address,
      status: isDone(status) ? 'done' : status === 'unknown' ? 'unknown' : 'failed',
      text: isDone(status) ? status : text,
    });
  }

  private async endOf(choice: ResumeChoice, requests: Requests): Promise<SwitchedTask> {
    const { known, type, text } = choice;
    const { marker, owner } = known;
    const own = owner === 'owned' ? marker : undefined;
    try {
      const settles = type === 'settle' && own !== undefined;
      const outcome = settles
        ? await settleSwitch(known.task, own, requests)
        : await switchOn(known.task, own, requests);
      const task = { ...known, task: outcome.resource };
      const { requestIds } = requests;
      if (outcome.type === 'done') {
        const said = join(text, outcome.text ?? '');
        return this.row(choice, task, { status: settles ? 'settled' : 'started', text: said, requestIds });
      }
      const { failure } = outcome;
      const status = failure.kind === 'unknown' || failure.kind === 'gone' ? failure.kind : 'failed';
      const said = join(failure.text, renewal(failure, known));
      return this.row(choice, task, { status, text: said, failure, requestIds });
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      const end = error.inFlight
        ? ({ status: 'unknown', text: 'Interrupted: it is unknown whether it was started.' } as const)
        : ({ status: 'failed', text: 'Interrupted before it was started.' } as const);
      return this.row(choice, known, { ...end, requestIds: requests.requestIds });
    }
  }

  /** What an interruption left unstarted. */
  private forgo(choice: ResumeChoice): void {
    const status = this.rows.get(choice)?.status;
    if (status !== 'planned' && status !== 'settles') return;
    const text = status === 'planned' ? 'Not started: interrupted.' : 'Interrupted: the mark stays.';
    this.rows.set(choice, this.row(choice, choice.known, { status: 'failed', text }));
  }

  /** `known`: as it is now. How what starts is stored is said of it until the end. */
  private row(choice: ResumeChoice, known: KnownTask, end: RowEnd): SwitchedTask {
    const starts = end.status === 'planned' || end.status === 'started';
    const text = starts ? join(end.text ?? '', storedText(choice)) : end.text;
    const differs = starts ? choice.differs?.fields : undefined;
    return switchedTask(known, { ...end, text, differs }, this.parts.showable);
  }

  private question(): string {
    const { length } = this.parts.choices.filter(({ differs }) => differs !== undefined);
    return length === 0
      ? QUESTION.question
      : `${count(length, 'task')} can spend differently from git.\nStart all with their stored configs? Only "yes" is accepted: `;
  }

  private report(interrupted: boolean): SwitchReport {
    const { context, options, warnings } = this.parts;
    const tasks = [...this.rows.values()];
    const having = (...statuses: readonly SwitchedTask['status'][]) =>
      tasks.filter(({ status }) => statuses.includes(status));
    const bad = having('failed', 'unknown', 'gone').length > 0;
    const ran = having('running');
    return switchReport({
      command: 'resume',
      context,
      dryRun: options.dryRun === true,
      startedAt: this.startedAt,
      outcome: interrupted ? 'interrupted' : bad ? 'incomplete' : 'done',
      verified: true,
      exposure: { before: stakeOf(ran), after: stakeOf([...ran, ...having('started', 'planned')]) },
      tasks,
      diagnostics: warnings,
    });
  }
}

function isDone(status: SwitchedTask['status']): boolean {
  return status === 'started' || status === 'settled';
}

/** What the service would not start as it is stored, an apply writes anew before it starts it. */
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
