import type { Failure } from '../apply/failure.ts';
import { switchOn } from '../apply/switch-on.ts';
import { Interrupted, Wire } from '../apply/wire.ts';
import type { DesiredState } from '../desired/state.ts';
import { CommandFailure, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Survey, surveyTasks } from '../live/survey.ts';
import type { SwitchedTask, SwitchReport } from '../model/generated/switch.ts';
import type { TaskCollection } from '../model/kind.ts';
import {
  byExposure,
  type KnownTask,
  knownTask,
  nameOf,
  type TaskSelection,
} from '../plan/operator/choose.ts';
import { type ResumeChoice, resumeChoices } from '../plan/operator/resume-choice.ts';
import type { Progress } from '../ports/output.ts';
import { jsonText } from '../render/result.ts';
import { switchText } from '../render/switch-text.ts';
import { type ApprovalOptions, approve } from './approval.ts';
import { namingHost } from './connection.ts';
import { interruption, orStopped } from './interruption.ts';
import type { Io } from './io.ts';
import { kindsOf, labelIds, unknownNames, writtenChoice } from './operator/choice.ts';
import {
  type OperatorContext,
  type OperatorOptions,
  openOperator,
  visibleKinds,
} from './operator/context.ts';
import { type Showable, showableIn, stakeOf, switchedTask, switchReport } from './operator/report.ts';
import { chosenEnvironment } from './options.ts';
import { showProgress } from './progress.ts';
import { readProjectOf } from './read-project.ts';
import { shown } from './redaction.ts';
import { hiding, secretsOf } from './secrets.ts';

export interface ResumeOptions extends OperatorOptions, ApprovalOptions {
  /** `--held`: also what a person or `buy_once` stopped. */
  readonly held?: boolean;
}

/**
 * `tradeform resume`: starts what the switch stopped, and held tasks that are named, after a literal `yes`. Returns the
 * exit code: 0 where all of them run, 1 where one does not, 4 where it is not approved, 130 where it was interrupted.
 */
export async function runResume(
  names: readonly string[],
  options: ResumeOptions,
  terminal: Io,
): Promise<number> {
  const { kinds } = writtenChoice(names, options);
  if (options.includeUnmanaged === true) requireNames(names);
  const desired = (
    await readProjectOf(options, chosenEnvironment(options.environment, terminal.env), terminal)
  ).state;
  const io = desired === undefined ? terminal : hiding(terminal, secretsOf(desired));
  const context = await openOperator(options, io, {
    blind: options.includeUnmanaged === true,
    emergency: false,
  });
  try {
    const asked = kindsOf(names, kinds);
    const selection: TaskSelection = {
      names,
      kinds,
      labels: await labelIds(options.label ?? [], context, options, io),
      includeUnmanaged: options.includeUnmanaged === true,
    };
    const choices = await look(selection, asked, desired, context, options, io);
    const resuming = new Resuming(choices, showableIn(desired), context, options, io);
    return await resuming.run();
  } finally {
    context.progress.close();
    await context.session.close();
  }
}

/** Nothing remembers which of the tasks that are not ours ran. */
function requireNames(names: readonly string[]): void {
  if (names.length > 0 && names.every((name) => !name.includes('*'))) return;
  throw new CommandFailure(3, [
    {
      severity: 'error',
      code: 'invalid-option',
      message: '--include-unmanaged starts only tasks that are named one by one',
      hint: 'Write their ids; `tradeform pause -o json` names what it paused.',
    },
  ]);
}

async function look(
  selection: TaskSelection,
  asked: readonly TaskCollection[],
  desired: DesiredState | undefined,
  { session, account, progress, project, connection }: OperatorContext,
  options: ResumeOptions,
  io: Io,
): Promise<readonly ResumeChoice[]> {
  const { api, limiter } = session;
  const kinds = visibleKinds(account).filter((kind) => asked.includes(kind));
  const survey: Survey | undefined = await orStopped(
    surveyTasks({ api, limiter, progress, kinds, activeOnly: false }),
    io.stop.soft,
  );
  progress.close();
  if (survey === undefined) throw interruption();
  if (survey.failures.size > 0)
    throw new CommandFailure(1, namingHost([...survey.failures.values()], connection.baseUrl));
  const seen = survey.tasks.map((task) => knownTask(task, project));
  const unknown = unknownNames(selection, seen);
  if (unknown.length > 0) throw new CommandFailure(3, unknown);
  const states = desired?.project === project.project ? desired?.tasks : undefined;
  return resumeChoices(seen, {
    selection,
    held: options.held === true,
    desired: states && new Map(states.map((task) => [task.address as string, task])),
  }).toSorted((a, b) => byExposure(a.known, b.known));
}

const STATUS = { start: 'planned', running: 'running', left: 'left', refused: 'failed' } as const;

class Resuming {
  private readonly choices: readonly ResumeChoice[];
  private readonly rows = new Map<ResumeChoice, SwitchedTask>();
  private readonly showable: Showable;
  private readonly context: OperatorContext;
  private readonly options: ResumeOptions;
  private readonly io: Io;
  private readonly startedAt: number;

  constructor(
    choices: readonly ResumeChoice[],
    showable: Showable,
    context: OperatorContext,
    options: ResumeOptions,
    io: Io,
  ) {
    this.choices = choices;
    this.showable = showable;
    this.context = context;
    this.options = options;
    this.io = io;
    this.startedAt = context.session.clock.now();
    for (const choice of choices) {
      const { known, type, text } = choice;
      this.rows.set(choice, switchedTask(known, { status: STATUS[type], text }, showable));
    }
  }

  async run(): Promise<number> {
    const { io, options } = this;
    const starts = this.choices.filter(({ type }) => type === 'start');
    if (starts.length > 0 && options.dryRun !== true) {
      const text = switchText(shown(this.report(false), io), { columns: io.columns, color: io.color.stderr });
      if (options.autoApprove !== true) io.stderr(text);
      await approve(options, io, QUESTION);
      await this.start(starts);
      for (const choice of starts) this.forgo(choice);
    }
    const report = this.report(io.stop.soft.aborted);
    const document = shown(report, io);
    if (options.output === 'json') io.stdout(jsonText(document));
    else io.stdout(switchText(document, { columns: io.columns, color: io.color.stdout }));
    return report.outcome === 'interrupted' ? 130 : report.outcome === 'done' ? 0 : 1;
  }

  private async start(starts: readonly ResumeChoice[]): Promise<void> {
    const { io, options, context } = this;
    const { quiet, verbose } = options;
    const total = starts.length;
    const progress = showProgress(io, {
      quiet: quiet === true,
      verbose: verbose === true,
      total,
      doing: 'Starting',
    });
    const onSoftStop = () =>
      progress.note(
        'Stopping: the tasks in hand are finished, no other is started. Ctrl-C again stops at once.',
      );
    io.stop.soft.addEventListener('abort', onSoftStop);
    try {
      await Promise.all(
        starts.map(async (choice) => {
          const release = await context.session.limiter.acquire();
          try {
            if (!io.stop.soft.aborted) await this.startOne(choice, progress);
          } finally {
            release();
          }
        }),
      );
    } finally {
      io.stop.soft.removeEventListener('abort', onSoftStop);
      progress.close();
    }
  }

  private async startOne(choice: ResumeChoice, progress: Progress): Promise<void> {
    const { known } = choice;
    const { marker, owner } = known;
    const address = nameOf(known);
    const { api, clock } = this.context.session;
    const wire = new Wire(api, clock, this.io.stop.hard);
    progress.emit({ type: 'chain-start', address, steps: 2 });
    let row = this.row(choice, 'unknown', 'Interrupted: whether it was started is not known.', wire);
    try {
      const end = await switchOn(known.task, owner === 'owned' ? marker : undefined, wire);
      const task = { ...known, task: end.task };
      row =
        end.type === 'started'
          ? switchedTask(
              task,
              { status: 'started', text: join(choice.text, end.text), requestIds: wire.requestIds },
              this.showable,
            )
          : switchedTask(
              task,
              {
                status:
                  end.failure.kind === 'unknown'
                    ? 'unknown'
                    : end.failure.kind === 'gone'
                      ? 'gone'
                      : 'failed',
                text: join(end.failure.text, renewal(end.failure, known)),
                failure: end.failure,
                requestIds: wire.requestIds,
              },
              this.showable,
            );
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      if (!error.inFlight) row = this.row(choice, 'failed', 'Interrupted before it was started.', wire);
    }
    this.rows.set(choice, row);
    const { status, text } = row;
    progress.emit({
      type: 'chain-end',
      address,
      status: status === 'started' ? 'done' : status === 'unknown' ? 'unknown' : 'failed',
      text: status === 'started' ? 'started' : text,
    });
  }

  /** What an interruption left unstarted. */
  private forgo(choice: ResumeChoice): void {
    if (this.rows.get(choice)?.status !== 'planned') return;
    const end = { status: 'failed', text: 'Not started: interrupted.' } as const;
    this.rows.set(choice, switchedTask(choice.known, end, this.showable));
  }

  private row(choice: ResumeChoice, status: SwitchedTask['status'], text: string, wire: Wire): SwitchedTask {
    return switchedTask(choice.known, { status, text, requestIds: wire.requestIds }, this.showable);
  }

  private report(interrupted: boolean): SwitchReport {
    const tasks = [...this.rows.values()];
    const having = (...statuses: readonly SwitchedTask['status'][]) =>
      tasks.filter(({ status }) => statuses.includes(status));
    const bad = having('failed', 'unknown', 'gone').length > 0;
    const ran = having('running');
    return switchReport({
      command: 'resume',
      context: this.context,
      dryRun: this.options.dryRun === true,
      startedAt: this.startedAt,
      outcome: interrupted ? 'interrupted' : bad ? 'incomplete' : 'done',
      verified: true,
      exposure: { before: stakeOf(ran), after: stakeOf([...ran, ...having('started', 'planned')]) },
      tasks,
      diagnostics: [] as readonly Diagnostic[],
    });
  }
}

/** What the service would not start as it is stored, an apply writes anew before it starts it. */
function renewal({ error }: Failure, { address, owner }: KnownTask): string {
  if (error?.code !== 'validation_error' || owner !== 'owned') return '';
  return `The stored config is one that the service does not take any more: \`tradeform apply --resume-stopped ${address}\` writes that of the manifest, and starts it.`;
}

const QUESTION = {
  question: 'Start these tasks? Only "yes" is taken for an answer: ',
  hint: 'Use --auto-approve.',
};

function join(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(' ');
}
