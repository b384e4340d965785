import { applyPlan } from '../act/apply-plan.ts';
import { type ApplyResult, reportAhead } from '../act/report.ts';
import { type ApprovalOptions, approve, ROLLBACK } from '../command/approval.ts';
import { pinPath } from '../command/connection.ts';
import { noteStop, stopNotes } from '../command/interruption.ts';
import type { Io } from '../command/io.ts';
import type { CommonOptions } from '../command/options.ts';
import { type Journal, type JournalOptions, openJournal } from '../command/output/journal.ts';
import { type PresentOptions, present, presentedText, type Shown } from '../command/output/present.ts';
import { showProgress } from '../command/progress.ts';
import { optionWords, type ReasonOptions, recordOf } from '../command/record.ts';
import { refusalOf } from '../command/show-diagnostics.ts';
import { VERSION } from '../command/version.ts';
import { CommandFailure, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { planView, uncountedIn } from '../documents/plan-view.ts';
import { addDecimals, maxDecimal, signedDifference } from '../model/decimal.ts';
import { CODE_OF_OUTCOME } from '../model/exit-codes.ts';
import type { Change, Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import type { ApplyReport, RunRecord } from '../model/generated/report.ts';
import { given } from '../model/given.ts';
import type { LiveLabel } from '../model/resource.ts';
import { isEmptyPlan, isRefused } from '../plan/plan.ts';
import { missingScopes } from '../plan/scopes.ts';
import { freezesOf } from '../plan/stakes/frozen.ts';
import {
  type Expected,
  type ExpectOptions,
  namedBy,
  readExpected,
  requireExpected,
} from '../planning/expected-plan.ts';
import type { Loaded } from '../planning/load-project.ts';
import { withNamed } from '../planning/named-options.ts';
import { type ApprovedPlan, readApproval } from '../planning/plan-file.ts';
import { type OpenPlan, type PlanningOptions, reconcile, SELECTION } from '../planning/planning.ts';
import { viewText } from '../render/text-layout.ts';
import { doneWords } from '../render/words.ts';

export interface ApplyOptions
  extends PlanningOptions,
    ApprovalOptions,
    ExpectOptions,
    PresentOptions,
    JournalOptions,
    ReasonOptions {
  readonly onFailure?: 'restore' | 'hold';
  /** What the report is to say besides. It is asked before anything is written, so that its failure costs no report. */
  readonly notes?: (loaded: Loaded) => Promise<readonly Diagnostic[]>;
}

/**
 * `tradeform apply [PLANFILE]`: plans, shows the plan, asks for approval and carries the plan out. With a plan file it plans with the
 * options that the file names, and carries out what is left of that plan. Returns the exit code: 0 only if everything is done and
 * nothing is blocked, 1 if something is left, 4 if the plan is refused, 130 after an interruption. Until the approval it sends GET
 * requests only.
 */
export async function runApply(
  planFile: string | ApprovedPlan | undefined,
  given: ApplyOptions,
  io: Io,
): Promise<number> {
  const file = typeof planFile === 'string' ? await readApproval(planFile, io) : planFile;
  const saved = file?.plan;
  const options = saved === undefined ? given : withNamed(given, saved, io.env);
  const expected = await readExpected(options, file, io);
  // Nobody approves this plan, neither on a terminal nor by its digest.
  const unattended = expected === undefined && options.autoApprove === true;
  const how = {
    ...{ unwritten: true, unattended, reviewed: saved?.base !== undefined },
    known: expected?.documents.flatMap(namedBy),
  };
  return reconcile(options, io, how, (ready) => applyReady(ready, file !== undefined, expected, options, io));
}

/** Shows a plan, asks for the approval that is missing, and carries the plan out. `saved`: a plan file approves it. */
async function applyReady(
  ready: OpenPlan,
  saved: boolean,
  expected: Expected | undefined,
  options: ApplyOptions,
  io: Io,
): Promise<number> {
  const { plan, session } = ready;
  const record = await recordOf(aboutRun(plan, saved, expected, options), options, io);
  const journal = isEmptyPlan(plan) && !isRefused(plan) ? undefined : openJournal(options, io);
  const ahead = (outcome: 'begun' | 'refused') => ({
    ...reportAhead(plan, outcome, { toolVersion: VERSION, at: session.clock.now() }),
    record,
  });
  let begun = false;
  try {
    const known = { wallets: ready.loaded.desired.wallets };
    // Who approved exactly this plan has seen it, unless a newer commit was applied since: the digest does not cover that.
    const seen =
      expected?.approved.includes(plan.digest) === true &&
      options.verbose !== true &&
      !plan.diagnostics.some(({ code }) => code === 'takes-back');
    const shown = { document: plan, known, command: 'plan', exitCode: 0 };
    if (options.at !== undefined && plan.summary.blocked > 0)
      io.stderr(`This rollback does not bring everything back: ${plan.summary.blocked} blocked.\n`);
    // Without what the plan lists.
    const head: Shown<Plan>['text'] = async (medium) => viewText({ ...planView(plan), parts: [] }, medium);
    await show(seen ? { ...shown, text: head } : shown, options, io);
    const refusal = isRefused(plan) ? refusalOf(plan, ready.loaded.sources) : undefined;
    const gone = expected === undefined ? [] : requireExpected(plan, expected, ready.live, refusal);
    if (refusal !== undefined) throw refusal;
    const missing = missingScopes(plan, ready.live.account.scopes, 'error');
    if (missing.length > 0) throw new CommandFailure(4, missing);
    if (!isEmptyPlan(plan)) {
      const asks = expected === undefined && options.autoApprove !== true;
      if (asks) await approve(options, io, options.at === undefined ? undefined : ROLLBACK);
      else confirmFirst(ready, options);
    }
    const notes = [...gone, ...((await options.notes?.(ready.loaded)) ?? [])];
    await journal?.begin(ahead('begun'), { plan });
    begun = true;
    const report = { ...withLabels(await carryOut(ready, options, io), ready.live.labels), record };
    return await conclude(reached(report, plan), ready, notes, options, io, journal);
  } catch (error) {
    if (!begun && error instanceof CommandFailure)
      await journal?.end(reached({ ...ahead('refused'), diagnostics: [...error.diagnostics] }, plan), {
        plan,
      });
    // With this digest the user can approve the current plan.
    throw error instanceof CommandFailure ? error.with({ digest: plan.digest }) : error;
  }
}

/**
 * An ended apply with the exposure that was reached: of a change that was not done, what was at stake before (nothing
 * for a task that was left paused), and of one whose result is unknown, the higher of the two.
 */
function reached(document: ApplyReport, plan: Plan): ApplyReport {
  const statuses = new Map(document.changes.map(({ address, status }) => [address, status]));
  const paused = new Set(document.left_paused.map(({ address }) => address));
  const open = plan.changes.filter(
    ({ address, blocked }) => blocked === null && statuses.get(address) !== 'done',
  );
  const wanted = open.map(({ action, exposure }) => (action === 'release' ? '0' : exposure.after));
  const left = open.map(({ address, exposure: { before, after } }) => {
    if (paused.has(address)) return '0';
    return statuses.get(address) === 'unknown' ? maxDecimal([before, after]) : before;
  });
  const after = signedDifference(addDecimals(wanted), addDecimals([plan.exposure.after, ...left]));
  const exposure = { ...document.record.exposure, after: after.replace('+', '') };
  return { ...document, record: { ...document.record, exposure } };
}

/** What was there before has its label by name, which nobody can look up once the label is gone. */
function withLabels({ changes, ...report }: ApplyResult, labels: readonly LiveLabel[]): ApplyResult {
  const names = new Map<unknown, string>(labels.map(({ id, name }) => [id, name]));
  const named = changes.map((change) => {
    const label = names.get(change.former?.risk_label_id);
    return label === undefined ? change : { ...change, former: { ...change.former, label } };
  });
  return { ...report, changes: named };
}

/** Options that decide neither what is planned nor what is done. */
type BesideOptions = CommonOptions &
  ApprovalOptions &
  ExpectOptions &
  PresentOptions &
  JournalOptions &
  ReasonOptions;

/** Options that decide what is done, besides those that decide what is planned. */
const DECIDING = {
  ...SELECTION,
  firstApply: '--first-apply',
  onFailure: '--on-failure',
  at: 'rollback',
} satisfies Record<Exclude<keyof ApplyOptions, keyof BesideOptions | 'notes'>, string>;

function aboutRun(plan: Plan, saved: boolean, expected: Expected | undefined, options: ApplyOptions) {
  const { at, base, reviewed, autoApprove } = options;
  const { source, exposure, digest } = plan;
  const expects = reviewed === undefined ? 'expect' : 'reviewed';
  const asked = autoApprove === true ? 'auto-approve' : 'question';
  return {
    command: at === undefined ? 'apply' : 'rollback',
    options: optionWords(
      { ...options, onFailure: options.onFailure === 'hold' ? 'hold' : undefined },
      DECIDING,
    ),
    ...{ commit: source.commit, dirty: source.dirty, base: base ?? null },
    approval: { from: saved ? 'plan-file' : expected === undefined ? asked : expects, digest },
    exposure: { before: exposure.before, after: exposure.after, planned: exposure.after },
  } satisfies Partial<RunRecord>;
}

/** Machines read a single document: the report. */
async function show(shown: Shown<Plan>, options: ApplyOptions, io: Io): Promise<void> {
  const { output = 'text', verbose = false } = options;
  const machine = output !== 'text';
  // The plan of a question is always shown.
  if (machine && options.quiet === true && options.autoApprove === true) return;
  const color = machine ? io.color.stderr : io.color.stdout;
  const text = await presentedText(shown, options, io, { color, verbose });
  if (machine) io.stderr(text);
  else io.stdout(`${text}\n`);
}

/** With a wrong account, the plan looks like a first apply. Without a person to check it, the options must confirm it. */
function confirmFirst({ plan, loaded }: OpenPlan, options: ApplyOptions): void {
  const pinned = loaded.settings.account !== undefined || options.pinned !== undefined;
  if (!plan.diagnostics.some(({ code }) => code === 'first-apply') || pinned || options.firstApply === true)
    return;
  throw CommandFailure.of(
    4,
    'first-apply',
    `no task of project ${plan.project} is on the service yet; with the wrong account it would look the same`,
    `Pin the account in the project file (${pinPath(plan.environment)}), or pass --first-apply once.`,
  );
}

async function carryOut(
  { plan, live, session }: OpenPlan,
  { quiet = false, verbose = false, onFailure = 'restore' }: ApplyOptions,
  io: Io,
): Promise<ApplyResult> {
  // The plan has named what is adopted, and nothing else happens to it.
  const words = (change: Change) => (change.actions.join() === 'adopt' ? null : doneWords(change));
  const did = new Map(plan.changes.map((change) => [change.address, words(change)]));
  const progress = showProgress(io, {
    quiet,
    verbose,
    total: plan.changes.filter(({ operations }) => operations.length > 0).length,
    did: (address) => did.get(address),
    stopped: () => io.stop.soft.aborted,
  });
  const heard = noteStop(io.stop.soft, (text) => progress.note(text));
  try {
    return await applyPlan(plan, {
      api: session.api,
      clock: session.clock,
      progress,
      limiter: session.limiter,
      onFailure,
      stop: io.stop,
      toolVersion: VERSION,
      seesLabels: live.visible.has('label'),
      freezes: freezesOf(
        { project: plan.project, previousProject: plan.previous_project },
        live.tasks,
        plan.changes,
      ),
      knownIds: new Set([...live.tasks, ...live.templates, ...live.labels].map(({ id }) => id)),
      viewedAt: live.readAt,
    });
  } finally {
    heard();
    progress.close();
  }
}

/** Writes the report. Returns the exit code. `notes`: what it says first. */
async function conclude(
  made: ApplyReport,
  { plan, planAgain }: OpenPlan,
  notes: readonly PlanDiagnostic[],
  options: ApplyOptions,
  io: Io,
  journal: Journal | undefined,
): Promise<number> {
  // The connection may be broken. The report must be made all the same.
  const then = made.outcome === 'incomplete' ? await planAgain().catch(() => undefined) : undefined;
  const { exposure: planned } = plan;
  const isDone = made.outcome === 'done';
  const sum = isDone
    ? { ...planned, before: planned.after, running_before: planned.running_after }
    : then?.exposure;
  const sol = sum === undefined || uncountedIn(sum).length > 0 ? null : sum.before;
  const document = {
    ...made,
    ...given({
      left_digest: then?.digest,
      trading: sum && { running: sum.running_before, sol, outside: sum.outside },
    }),
    diagnostics: [...notes, ...made.diagnostics, ...stopNotes(made.outcome, io.stop.soft)],
  };
  await journal?.end(document, { plan });
  document.diagnostics.push(...(journal?.problems ?? []));
  // A file also contains the plan. A terminal showed it before.
  const text: Shown<ApplyReport>['text'] = async (medium, view, _document, { plan: before }) =>
    `${medium.file && before !== undefined ? `${viewText(planView(before), medium)}\n` : ''}${await view()}`;
  const exitCode = CODE_OF_OUTCOME[made.outcome];
  return present({ document, known: { plan }, text, command: 'apply', exitCode }, options, io);
}
