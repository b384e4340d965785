import { Interrupted, Requests } from '../../act/requests.ts';
import type { SwitchOutcome } from '../../act/switch-on.ts';
import { type ApprovalOptions, approve } from '../../command/approval.ts';
import { noteStop, stopNotes } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import type { JournalOptions } from '../../command/output/journal.ts';
import type { Shown } from '../../command/output/present.ts';
import { showProgress } from '../../command/progress.ts';
import type { ReasonOptions } from '../../command/record.ts';
import { showDiagnostics } from '../../command/show-diagnostics.ts';
import { CommandFailure, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { CODE_OF_OUTCOME } from '../../model/exit-codes.ts';
import type { Outside } from '../../model/generated/plan.ts';
import type { SwitchedTask, SwitchReport } from '../../model/generated/report.ts';
import { given } from '../../model/given.ts';
import { type KnownTask, nameOf } from '../../plan/identity/known-task.ts';
import type { Limiter } from '../../ports/limiter.ts';
import { whyStopped } from '../../ports/stop.ts';
import { type Opening, type OperatorContext, type OperatorOptions, openOperator } from './context.ts';
import type { Recorded } from './recorded.ts';
import { type Reported, type RowEnd, reportedOf, switchReport } from './report.ts';

export type SwitchOptions = OperatorOptions &
  ApprovalOptions &
  JournalOptions &
  ReasonOptions & {
    /** `--save`: a file for the document. */
    readonly save?: string | undefined;
  };

/** What a command chose, and how it is carried out. */
interface Job {
  /** Of what a resume does. */
  readonly digest?: string;
  /** Shown before everything else, and part of the document. An error refuses the job, which is then only shown. */
  readonly warnings?: readonly Diagnostic[];
  /** What would be done. Absent if nobody is asked: `act` then does the dry run as well. */
  readonly planned?: Reported | undefined;
  /** Undefined if there is nothing to do. */
  readonly question?: string | undefined;
  readonly act: () => Promise<Reported>;
}

/**
 * The steps of `pause`, `resume` and `release`: choose, show, ask, act and report. Returns the exit code: 0 done, 1 incomplete, 130
 * interrupted. Exit 4 if the job is refused, after it was shown, or without approval.
 */
export async function runSwitch<Options extends SwitchOptions>(
  command: SwitchReport['record']['command'],
  options: Options & Partial<Record<Exclude<keyof Options, Recorded>, never>>,
  io: Io,
  opening: Opening,
  choose: (context: OperatorContext) => Promise<Job>,
): Promise<number> {
  const context = await openOperator(options, io, opening);
  const startedAt = context.session.clock.now();
  try {
    const { warnings = [], digest = null, question, act, ...job } = await choose(context);
    const refused = warnings.some(({ severity }) => severity === 'error');
    const planned = refused ? { ...NOTHING, ...job.planned, outcome: 'refused' as const } : job.planned;
    const dryRun = refused || options.dryRun === true;
    const about = { context, startedAt, warnings, digest };
    // Loaded late: no pause waits for the words about it, for git or for the journal, and none begins one that nobody named.
    const named = (options.journal ?? io.env.TRADEFORM_JOURNAL ?? '') !== '';
    const late = () => import('./recorded.ts');
    const shown = async (end: Reported, dry = dryRun): Promise<Shown<SwitchReport>> => {
      const { recordOfSwitch } = await late();
      const record = await recordOfSwitch(command, options, { exposure: end.exposure, digest }, io);
      const diagnostics = [...(end.diagnostics ?? []), ...stopNotes(end.outcome, io.stop.soft)];
      const document = { ...switchReport({ ...end, diagnostics }, { ...about, dryRun: dry }), record };
      return { document, command, exitCode: CODE_OF_OUTCOME[end.outcome] };
    };
    if (options.output !== 'json' && !refused) showDiagnostics(warnings, io);
    if (planned !== undefined && question !== undefined && !dryRun) {
      if (options.autoApprove !== true) {
        const { presentedText } = await import('../../command/output/present.ts');
        io.stderr(await presentedText(await shown(planned, true), {}, io));
      }
      await approve(options, io, { question, hint: 'Use --auto-approve.' });
    }
    const acts = planned === undefined || (question !== undefined && !dryRun);
    const open = () => late().then(({ openJournal }) => openJournal(options, io));
    const journal = acts && !dryRun && (named || planned !== undefined) ? open() : undefined;
    const intent = journal?.then(async (one) =>
      one?.begin((await shown({ ...(planned ?? NOTHING), outcome: 'begun' })).document),
    );
    if (planned !== undefined) await intent;
    const end = acts ? await act() : planned;
    await intent;
    const last = await shown(end);
    const kept = await (journal ?? (acts && !dryRun ? open() : undefined));
    await kept?.end(last.document);
    last.document.diagnostics.push(...(kept?.problems ?? []));
    const { present } = await import('../../command/output/present.ts');
    const report = options.save === undefined ? [] : [`json=${options.save}`];
    const exitCode = await present(last, { output: options.output, report }, io);
    if (options.output === 'json') return exitCode;
    if (refused) throw new CommandFailure(4, warnings, opening.project?.sources);
    const inText = command === 'pause' ? ['unmanaged-running', 'frozen'] : [];
    showDiagnostics(end.diagnostics?.filter(({ code }) => !inText.includes(code)) ?? [], io);
    io.stderr((await late()).wayBack(last.document, kept, options, io));
    return exitCode;
  } finally {
    context.progress.close();
    await context.session.close();
  }
}

/** A pause begins before it knows what it will do. */
const NOTHING: Reported = {
  outcome: 'begun',
  verified: false,
  exposure: { before: '0', after: '0' },
  changes: [],
};

/** A task that is written to after an approval. */
export interface Work {
  readonly known: KnownTask;
  /** `started`: completes "it is unknown whether it was", and says that it is done. */
  readonly verb: string;
  readonly send: (requests: Requests) => Promise<SwitchOutcome>;
}

export interface WorkEnd extends Pick<RowEnd, 'status' | 'failure' | 'requestIds'> {
  readonly known: KnownTask;
  readonly text: string;
}

/** A chosen task: what is to be done to it, and how the document shows it, before and after. */
interface Item {
  /** Undefined if nothing is to be sent. */
  readonly work: Work | undefined;
  readonly row: (end?: WorkEnd) => SwitchedTask;
}

/** The job of a command that asks first. `doing`: "Starting". The first item is shown first and carried out last. */
export function jobOn(
  items: readonly Item[],
  about: {
    readonly doing: string;
    readonly question: string;
    readonly warnings: readonly Diagnostic[];
    readonly outside?: Outside[];
  },
  context: OperatorContext,
  options: SwitchOptions,
  io: Io,
): Job {
  const works = items.flatMap(({ work }) => work ?? []).toReversed();
  const rows = (ends?: ReadonlyMap<Work, WorkEnd>) =>
    items.map(({ work, row }) => row(work && ends?.get(work)));
  return {
    warnings: about.warnings,
    planned: { ...reportedOf(rows(), io), ...given({ outside: about.outside }) },
    question: works.length === 0 ? undefined : about.question,
    act: async () => ({
      ...reportedOf(rows(await workOn(works, about.doing, context, options, io)), io),
      ...given({ outside: about.outside }),
    }),
  };
}

/** Works on the tasks side by side. After the first Ctrl-C no further task is begun. */
async function workOn(
  works: readonly Work[],
  doing: string,
  { session: { api, clock, limiter } }: OperatorContext,
  { quiet, verbose }: SwitchOptions,
  io: Io,
): Promise<ReadonlyMap<Work, WorkEnd>> {
  const ends = new Map<Work, WorkEnd>();
  const progress = showProgress(io, { quiet, verbose, total: works.length, doing, listed: true });
  const heard = noteStop(io.stop.soft, (text) => progress.note(text));
  const carryOut = async (work: Work) => {
    const address = nameOf(work.known);
    progress.emit({ type: 'chain-start', address, steps: 2 });
    const end = await endOf(work, new Requests(api, clock, io.stop.hard));
    ends.set(work, end);
    const { text } = end;
    const status = end.status === 'done' || end.status === 'unknown' ? end.status : 'failed';
    progress.emit({ type: 'chain-end', address, status, text: status === 'done' ? work.verb : text });
  };
  const leave = (work: Work) => ends.set(work, interruptedBefore(work, whyStopped(io.stop.soft).text));
  try {
    await sideBySide(works, { limiter, signal: io.stop.soft }, carryOut, leave);
  } finally {
    heard();
    progress.close();
  }
  return ends;
}

function interruptedBefore({ known, verb }: Work, why = 'interrupted'): WorkEnd {
  return { known, status: 'failed', text: `Not ${verb}: ${why}.` };
}

async function endOf(work: Work, requests: Requests): Promise<WorkEnd> {
  const { known, verb, send } = work;
  const { requestIds } = requests;
  try {
    const outcome = await send(requests);
    const task = { ...known, task: outcome.resource };
    if (outcome.type === 'done') return { known: task, status: 'done', text: outcome.text ?? '', requestIds };
    const { failure } = outcome;
    const status = failure.kind === 'unknown' || failure.kind === 'gone' ? failure.kind : 'failed';
    return { known: task, status, text: failure.text, failure, requestIds };
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    if (!error.inFlight) return { ...interruptedBefore(work), requestIds };
    const text = `Interrupted: it is unknown whether it was ${verb}.`;
    return { known, status: 'unknown', text, requestIds };
  }
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
