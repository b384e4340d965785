import type { Failure } from '../apply/failure.ts';
import { letGo } from '../apply/let-go.ts';
import { Interrupted, Wire } from '../apply/wire.ts';
import { CommandFailure, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { surveyTasks } from '../live/survey.ts';
import { parseAddress } from '../model/address.ts';
import type { ReleasedTask, ReleaseReport } from '../model/generated/release.ts';
import { kindOf, TASK_KINDS } from '../model/kind.ts';
import { knownTask } from '../plan/operator/choose.ts';
import { type ReleaseChoice, releaseChoices, releaseWarnings } from '../plan/operator/release-choice.ts';
import { releaseText } from '../render/release-text.ts';
import { jsonText } from '../render/result.ts';
import { type ApprovalOptions, approve } from './approval.ts';
import { namingHost } from './connection.ts';
import { interruption, orStopped } from './interruption.ts';
import type { Io } from './io.ts';
import { type OperatorContext, openOperator, visibleKinds } from './operator/context.ts';
import { type CommonOptions, chosenEnvironment } from './options.ts';
import { readProjectOf } from './read-project.ts';
import { shown } from './redaction.ts';
import { hiding, secretsOf } from './secrets.ts';
import { showDiagnostics } from './show-diagnostics.ts';
import { usage } from './usage-error.ts';
import { VERSION } from './version.ts';

export interface ReleaseOptions extends CommonOptions, ApprovalOptions {
  readonly id?: readonly string[];
  readonly dryRun?: boolean;
  /** `--project-name`: whose tasks are meant, where there is no project file that can be read. */
  readonly projectName?: string;
}

/**
 * `tradeform release`: takes the marker off tasks that are named, after a literal `yes`; they stay as they are. Needs no
 * valid manifests. Returns the exit code: 0 where all are released, 1 where one is not, 3 for a name of nothing, 4 where
 * one is refused or it is not approved, 130 where it was interrupted.
 */
export async function runRelease(
  addresses: readonly string[],
  options: ReleaseOptions,
  terminal: Io,
): Promise<number> {
  const ids = writtenChoice(addresses, options);
  const project = await readProjectOf(
    options,
    chosenEnvironment(options.environment, terminal.env),
    terminal,
  );
  const desired = project.state;
  const io = desired === undefined ? terminal : hiding(terminal, secretsOf(desired));
  const context = await openOperator(options, io, { blind: false, emergency: false });
  try {
    const tasks = await look(context, io);
    const protect = project.guardrails?.limits.protect?.limit.map(({ text }) => text) ?? [];
    const seen = tasks.map((task) => knownTask(task, context.project));
    const { chosen, unknown, refused } = releaseChoices(seen, { addresses, ids, protect });
    if (unknown.length > 0) throw new CommandFailure(3, unknown);
    if (refused.length > 0) throw new CommandFailure(4, refused);
    const warnings = releaseWarnings(chosen, tasks, desired, context.project);
    return await new Releasing(chosen, warnings, context, options, io).run();
  } finally {
    context.progress.close();
    await context.session.close();
  }
}

/** The ids as the service has them; fails (exit 3) where nothing is named, or a name can be no task's. */
function writtenChoice(addresses: readonly string[], { id = [] }: ReleaseOptions): readonly string[] {
  if (addresses.length + id.length === 0)
    throw usage('no task is named', 'Name tasks by address (sniper/dawn), or by --id ID.');
  const wrong = addresses.filter((text) => {
    const parsed = parseAddress(text);
    return parsed === undefined || kindOf(parsed.collection).family !== 'task';
  });
  const [first] = wrong;
  if (first !== undefined) {
    const kinds = TASK_KINDS.map(({ collection }) => collection).join(', ');
    throw usage(
      `${first} is no address of a task`,
      `An address is KIND/NAME with a kind of ${kinds}, without *. Templates and labels have no marker: a Removal deletes them.`,
    );
  }
  return id.map((text) => text.toLowerCase());
}

async function look({ session, account, progress, connection }: OperatorContext, io: Io) {
  const { api, limiter } = session;
  const kinds = visibleKinds(account);
  const survey = await orStopped(
    surveyTasks({ api, limiter, progress, kinds, activeOnly: false }),
    io.stop.soft,
  );
  progress.close();
  if (survey === undefined) throw interruption();
  if (survey.failures.size > 0)
    throw new CommandFailure(1, namingHost([...survey.failures.values()], connection.baseUrl));
  io.redactor?.know([...survey.tasks]);
  return survey.tasks;
}

class Releasing {
  private readonly choices: readonly ReleaseChoice[];
  private readonly warnings: readonly Diagnostic[];
  private readonly context: OperatorContext;
  private readonly options: ReleaseOptions;
  private readonly io: Io;
  private readonly startedAt: number;
  private readonly rows = new Map<ReleaseChoice, ReleasedTask>();

  constructor(
    choices: readonly ReleaseChoice[],
    warnings: readonly Diagnostic[],
    context: OperatorContext,
    options: ReleaseOptions,
    io: Io,
  ) {
    this.choices = choices;
    this.warnings = warnings;
    this.context = context;
    this.options = options;
    this.io = io;
    this.startedAt = context.session.clock.now();
    for (const choice of choices) this.rows.set(choice, rowOf(choice, { status: 'planned' }));
  }

  async run(): Promise<number> {
    const { io, options } = this;
    if (options.output !== 'json') showDiagnostics(this.warnings, io);
    if (options.dryRun !== true) {
      if (options.autoApprove !== true)
        io.stderr(
          releaseText(shown(this.report(false), io), { columns: io.columns, color: io.color.stderr }),
        );
      await approve(options, io, QUESTION);
      await this.release();
    }
    const report = this.report(io.stop.soft.aborted);
    const document = shown(report, io);
    if (options.output === 'json') io.stdout(jsonText(document));
    else io.stdout(releaseText(document, { columns: io.columns, color: io.color.stdout }));
    return report.outcome === 'interrupted' ? 130 : report.outcome === 'done' ? 0 : 1;
  }

  private async release(): Promise<void> {
    const { limiter } = this.context.session;
    await Promise.all(
      this.choices.map(async (choice) => {
        const free = await limiter.acquire();
        try {
          if (this.io.stop.soft.aborted)
            this.rows.set(choice, rowOf(choice, { status: 'failed', text: 'Not released: interrupted.' }));
          else this.rows.set(choice, await this.releaseOne(choice));
        } finally {
          free();
        }
      }),
    );
  }

  private async releaseOne(choice: ReleaseChoice): Promise<ReleasedTask> {
    const { api, clock } = this.context.session;
    const wire = new Wire(api, clock, this.io.stop.hard);
    try {
      const end = await letGo(choice.known.task, choice.after, wire);
      const { requestIds } = wire;
      if (end.type === 'released') return rowOf(choice, { status: 'released', requestIds, task: end.task });
      const { kind, text, error } = end.failure;
      const status = kind === 'unknown' || kind === 'gone' ? kind : 'failed';
      return rowOf(choice, { status, text, error, requestIds });
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      const text = error.inFlight
        ? 'Interrupted: whether it was released is not known.'
        : 'Not released: interrupted.';
      return rowOf(choice, {
        status: error.inFlight ? 'unknown' : 'failed',
        text,
        requestIds: wire.requestIds,
      });
    }
  }

  private report(interrupted: boolean): ReleaseReport {
    const { connection, account, project, session } = this.context;
    const tasks = [...this.rows.values()];
    const having = (...statuses: readonly ReleasedTask['status'][]) =>
      tasks.filter(({ status }) => statuses.includes(status));
    const bad = having('failed', 'unknown', 'gone').length > 0;
    return {
      format: 'tradeform.release/1',
      tool: { name: 'tradeform', version: VERSION },
      dry_run: this.options.dryRun === true,
      project: project.project ?? '',
      service: {
        base_url: connection.baseUrl,
        token_prefix: connection.tokenPrefix,
        login_username: account?.login_username ?? null,
      },
      started_at: new Date(this.startedAt).toISOString(),
      finished_at: new Date(session.clock.now()).toISOString(),
      outcome: interrupted ? 'interrupted' : bad ? 'incomplete' : 'done',
      summary: {
        released: having('released').length,
        planned: having('planned').length,
        failed: having('failed').length,
        unknown: having('unknown').length,
        gone: having('gone').length,
        running: having('released', 'planned').filter(({ running }) => running).length,
      },
      tasks,
      diagnostics: this.warnings.map((diagnostic) => ({ ...diagnostic })),
    };
  }
}

const QUESTION = {
  question: 'Take these markers off? Only "yes" is taken for an answer: ',
  hint: 'Use --auto-approve.',
};

interface RowEnd {
  readonly status: ReleasedTask['status'];
  readonly text?: string;
  readonly error?: Failure['error'];
  readonly requestIds?: readonly string[];
  /** As it is now. */
  readonly task?: ReleaseChoice['known']['task'];
}

function rowOf({ known, after }: ReleaseChoice, end: RowEnd): ReleasedTask {
  const { task, marker } = known;
  const { error } = end;
  return {
    address: marker === undefined ? null : `${task.collection}/${marker.name}`,
    kind: task.collection,
    id: task.id,
    running: (end.task ?? task).is_active,
    before: task.remark,
    after: end.task?.remark ?? after,
    status: end.status,
    text: end.text ?? '',
    ...(error === undefined
      ? {}
      : { error: { ...error, fields: error.fields.map((field) => ({ ...field })) } }),
    request_ids: [...(end.requestIds ?? [])],
  };
}
