import type { Failure } from '../../apply/outcome.ts';
import { Interrupted, Requests } from '../../apply/requests.ts';
import { type ApprovalOptions, approve } from '../../command/approval.ts';
import type { Io } from '../../command/io.ts';
import { shown } from '../../command/masking.ts';
import { showDiagnostics } from '../../command/show-diagnostics.ts';
import { VERSION } from '../../command/version.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { ReleasedTask, ReleaseReport } from '../../model/generated/release.ts';
import { jsonText } from '../../render/result.ts';
import type { OperatorContext, OperatorOptions } from './context.ts';
import type { ReleaseChoice } from './release-choice.ts';
import { releaseTask } from './release-task.ts';
import { releaseText } from './release-text.ts';
import { serviceOf } from './report.ts';

type Options = ApprovalOptions & Pick<OperatorOptions, 'dryRun' | 'output'>;

/** The release of chosen tasks: shown, approved, carried out and reported. */
export class Releasing {
  private readonly choices: readonly ReleaseChoice[];
  private readonly warnings: readonly Diagnostic[];
  private readonly context: OperatorContext;
  private readonly options: Options;
  private readonly io: Io;
  private readonly startedAt: number;
  private readonly rows = new Map<ReleaseChoice, ReleasedTask>();

  constructor(
    choices: readonly ReleaseChoice[],
    warnings: readonly Diagnostic[],
    context: OperatorContext,
    options: Options,
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
    const requests = new Requests(api, clock, this.io.stop.hard);
    try {
      const outcome = await releaseTask(choice.known.task, choice.after, requests);
      const { requestIds } = requests;
      if (outcome.type === 'done') {
        const task = outcome.resource ?? choice.known.task;
        return rowOf(choice, { status: 'released', requestIds, task });
      }
      const { kind, text, error } = outcome.failure;
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
        requestIds: requests.requestIds,
      });
    }
  }

  private report(interrupted: boolean): ReleaseReport {
    const { project, session } = this.context;
    const { masking } = this.io;
    // Both are remarks.
    const tasks = [...this.rows.values()].map((row) => ({
      ...row,
      before: masking.said(row.before),
      after: masking.said(row.after),
    }));
    const having = (...statuses: readonly ReleasedTask['status'][]) =>
      tasks.filter(({ status }) => statuses.includes(status));
    const bad = having('failed', 'unknown', 'gone').length > 0;
    return {
      format: 'tradeform.release/1',
      tool: { name: 'tradeform', version: VERSION },
      dry_run: this.options.dryRun === true,
      project: project.project ?? '',
      service: serviceOf(this.context),
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
    ...(error === undefined ? {} : { error }),
    request_ids: [...(end.requestIds ?? [])],
  };
}
