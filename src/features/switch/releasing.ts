import type { Failure, StepOutcome } from '../../apply/outcome.ts';
import { Interrupted, Requests } from '../../apply/requests.ts';
import { runTaskStep } from '../../apply/task-step.ts';
import { TrackedTask } from '../../apply/tracked-task.ts';
import type { Io } from '../../command/io.ts';
import { VERSION } from '../../command/version.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { ReleasedTask, ReleaseReport } from '../../model/generated/release.ts';
import type { LiveTask } from '../../model/resource.ts';
import { type ApprovedOptions, runApproved, sideBySide } from './approved-run.ts';
import type { OperatorContext } from './context.ts';
import type { ReleaseChoice } from './release-choice.ts';
import { serviceOf } from './report.ts';
import { releaseView } from './view.ts';

interface Parts {
  readonly choices: readonly ReleaseChoice[];
  readonly warnings: readonly Diagnostic[];
  readonly context: OperatorContext;
  readonly options: ApprovedOptions;
  readonly io: Io;
}

/** The release of chosen tasks: shown, approved, carried out and reported. Returns the exit code. */
export function releaseAll(parts: Parts): Promise<number> {
  const { choices, warnings, context, options, io } = parts;
  const { session } = context;
  const startedAt = session.clock.now();
  const rows = new Map(choices.map((choice) => [choice, rowOf(choice, { status: 'planned' })]));
  const turns = { limiter: session.limiter, signal: io.stop.soft };
  const release = async (choice: ReleaseChoice) => {
    rows.set(choice, await releaseOne(choice, new Requests(session.api, session.clock, io.stop.hard)));
  };
  const leave = (choice: ReleaseChoice) =>
    void rows.set(choice, rowOf(choice, { status: 'failed', text: 'Not released: interrupted.' }));
  const work = () => sideBySide(choices, turns, release, leave);
  const report = (interrupted: boolean) => reportOf([...rows.values()], startedAt, interrupted, parts);
  return runApproved({ warnings, question: QUESTION, report, view: releaseView, work }, options, io);
}

function reportOf(
  released: readonly ReleasedTask[],
  startedAt: number,
  interrupted: boolean,
  { context, options, warnings, io }: Parts,
): ReleaseReport {
  // Both are remarks.
  const tasks = released.map((row) => ({
    ...row,
    before: io.masking.said(row.before),
    after: io.masking.said(row.after),
  }));
  const having = (...statuses: readonly ReleasedTask['status'][]) =>
    tasks.filter(({ status }) => statuses.includes(status));
  const bad = having('failed', 'unknown', 'gone').length > 0;
  return {
    format: 'tradeform.release/1',
    tool: { name: 'tradeform', version: VERSION },
    dry_run: options.dryRun === true,
    project: context.project.project ?? '',
    service: serviceOf(context),
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(context.session.clock.now()).toISOString(),
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
    diagnostics: warnings.map((diagnostic) => ({ ...diagnostic })),
  };
}

async function releaseOne(choice: ReleaseChoice, requests: Requests): Promise<ReleasedTask> {
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
      ? 'Interrupted: it is unknown whether it was released.'
      : 'Not released: interrupted.';
    return rowOf(choice, {
      status: error.inFlight ? 'unknown' : 'failed',
      text,
      requestIds: requests.requestIds,
    });
  }
}

const QUESTION = {
  question: 'Remove these markers? Only "yes" is accepted: ',
  hint: 'Use --auto-approve.',
};

interface RowEnd {
  readonly status: ReleasedTask['status'];
  readonly text?: string;
  readonly error?: Failure['error'];
  readonly requestIds?: readonly string[];
  /** The current task. */
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

/**
 * Removes the marker of one task and changes nothing else (interface, "Task resources": a remark may change while the task runs).
 * A remark that somebody wrote in the meantime is not overwritten.
 */
export function releaseTask(
  found: LiveTask,
  remark: string,
  requests: Requests,
): Promise<StepOutcome<LiveTask>> {
  const step = {
    verb: 'patch',
    task: new TrackedTask(found, found),
    render: () => ({ remark }),
    starts: false,
    buyOnce: false,
    owner: { project: '', name: '' },
  } as const;
  return runTaskStep(step, requests);
}
