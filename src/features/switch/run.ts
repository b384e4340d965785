import type { Failure, StepOutcome } from '../../apply/outcome.ts';
import { Interrupted, Requests } from '../../apply/requests.ts';
import { type ApprovalOptions, approve } from '../../command/approval.ts';
import { CODE_OF_OUTCOME } from '../../command/exit-codes.ts';
import type { Io } from '../../command/io.ts';
import { shown } from '../../command/masking.ts';
import { showProgress } from '../../command/progress.ts';
import { showDiagnostics } from '../../command/show-diagnostics.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { SwitchedTask, SwitchReport } from '../../model/generated/switch.ts';
import type { LiveTask } from '../../model/resource.ts';
import { type KnownTask, nameOf } from '../../plan/identity/known-task.ts';
import type { Limiter } from '../../ports/limiter.ts';
import { jsonText } from '../../render/result.ts';
import { type Opening, type OperatorContext, type OperatorOptions, openOperator } from './context.ts';
import { type Reported, switchReport } from './report.ts';

export type SwitchOptions = OperatorOptions & ApprovalOptions;

/** What a command chose, and how it is carried out. */
interface Job {
  /** Shown before everything else, and part of the document. */
  readonly warnings?: readonly Diagnostic[];
  /** What would be done. Absent if nobody is asked: `act` then does the dry run as well. */
  readonly planned?: Reported;
  /** Undefined if there is nothing to do. */
  readonly question?: string | undefined;
  readonly act: () => Promise<Reported>;
}

/**
 * The steps of `pause`, `resume` and `release`: choose, show, ask, act and report. Returns the exit code: 0 done, 1 incomplete, 130
 * interrupted. Fails with exit 4 without approval.
 */
export async function runSwitch(
  command: SwitchReport['command'],
  options: SwitchOptions,
  io: Io,
  opening: Opening,
  choose: (context: OperatorContext) => Promise<Job>,
): Promise<number> {
  const context = await openOperator(options, io, opening);
  const dryRun = options.dryRun === true;
  try {
    const about = { command, context, dryRun, startedAt: context.session.clock.now() };
    const { warnings = [], planned, question, act } = await choose(context);
    const documentOf = (end: Reported) => shown(switchReport(end, { ...about, warnings }), io);
    if (options.output !== 'json') showDiagnostics(warnings, io);
    if (planned !== undefined && question !== undefined && !dryRun) {
      if (options.autoApprove !== true) io.stderr(await textOf(documentOf(planned), io.color.stderr, io));
      await approve(options, io, { question, hint: 'Use --auto-approve.' });
    }
    const end = planned === undefined || (question !== undefined && !dryRun) ? await act() : planned;
    const made = documentOf(end);
    if (options.output === 'json') io.stdout(jsonText(made));
    else {
      io.stdout(await textOf(made, io.color.stdout, io));
      showDiagnostics(end.diagnostics ?? [], io);
    }
    return CODE_OF_OUTCOME[made.outcome];
  } finally {
    context.progress.close();
    await context.session.close();
  }
}

/** Loaded only now: no task waits for the words about it. */
async function textOf(report: SwitchReport, color: boolean, io: Io): Promise<string> {
  const [{ switchView }, { viewText }] = await Promise.all([
    import('./view.ts'),
    import('../../render/text-layout.ts'),
  ]);
  return viewText(switchView(report), { columns: io.columns, color, verbose: true });
}

/** A task that is written to after an approval. */
export interface Work {
  readonly known: KnownTask;
  /** Its status afterwards. */
  readonly done: SwitchedTask['status'];
  /** `started`: completes "it is unknown whether it was". */
  readonly verb: string;
  readonly send: (requests: Requests) => Promise<StepOutcome<LiveTask> & { readonly resource: LiveTask }>;
}

/** How the work on a task ended. */
export interface WorkEnd {
  /** The task as it is now known. */
  readonly known: KnownTask;
  readonly status: SwitchedTask['status'];
  readonly text: string;
  readonly failure?: Failure;
  readonly requestIds?: readonly string[];
}

/** Works on the tasks side by side. After the first Ctrl-C no further task is begun. */
export async function workOn<Item extends Work>(
  items: readonly Item[],
  doing: string,
  { session: { api, clock, limiter } }: OperatorContext,
  { quiet, verbose }: SwitchOptions,
  io: Io,
): Promise<ReadonlyMap<Item, WorkEnd>> {
  const ends = new Map<Item, WorkEnd>();
  const progress = showProgress(io, { quiet, verbose, total: items.length, doing });
  const heard = noteStop(io, (text) => progress.note(text));
  const work = async (item: Item) => {
    const address = nameOf(item.known);
    progress.emit({ type: 'chain-start', address, steps: 2 });
    const end = await endOf(item, new Requests(api, clock, io.stop.hard));
    ends.set(item, end);
    const { status, text } = end;
    const done = status === item.done;
    progress.emit({
      type: 'chain-end',
      address,
      status: done ? 'done' : status === 'unknown' ? 'unknown' : 'failed',
      text: done ? status : text,
    });
  };
  const leave = ({ known, verb }: Item) =>
    ({ known, status: 'failed', text: `Not ${verb}: interrupted.` }) as const;
  try {
    await sideBySide(items, { limiter, signal: io.stop.soft }, work, (item) => ends.set(item, leave(item)));
  } finally {
    heard();
    progress.close();
  }
  return ends;
}

async function endOf({ known, done, verb, send }: Work, requests: Requests): Promise<WorkEnd> {
  const { requestIds } = requests;
  try {
    const outcome = await send(requests);
    const task = { ...known, task: outcome.resource };
    if (outcome.type === 'done') return { known: task, status: done, text: outcome.text ?? '', requestIds };
    const { failure } = outcome;
    const status = failure.kind === 'unknown' || failure.kind === 'gone' ? failure.kind : 'failed';
    return { known: task, status, text: failure.text, failure, requestIds };
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    if (!error.inFlight) return { known, status: 'failed', text: `Not ${verb}: interrupted.`, requestIds };
    return {
      known,
      status: 'unknown',
      text: `Interrupted: it is unknown whether it was ${verb}.`,
      requestIds,
    };
  }
}

/** Says once what the first Ctrl-C does. Returns a function that stops listening. */
export function noteStop(io: Io, note: (text: string) => void): () => void {
  const onSoftStop = () =>
    note('Stopping: tasks in progress are finished, no others are begun. Ctrl-C again stops at once.');
  io.stop.soft.addEventListener('abort', onSoftStop);
  return () => io.stop.soft.removeEventListener('abort', onSoftStop);
}

/**
 * Works on each item, as many at the same time as the limiter allows. Items that have not begun when the signal aborts go to
 * `left`.
 */
export async function sideBySide<Item>(
  items: readonly Item[],
  { limiter, signal }: { readonly limiter: Limiter; readonly signal: AbortSignal },
  work: (item: Item) => Promise<void>,
  left: (item: Item) => void = () => undefined,
): Promise<void> {
  await Promise.all(
    items.map(async (item) => {
      const release = await limiter.acquire();
      try {
        if (signal.aborted) left(item);
        else await work(item);
      } finally {
        release();
      }
    }),
  );
}
