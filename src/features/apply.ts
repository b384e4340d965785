import { applyPlan } from '../apply/apply-plan.ts';
import { type ApprovalOptions, approve, ROLLBACK } from '../command/approval.ts';
import { DEFAULT_CONCURRENCY, pinPath } from '../command/connection.ts';
import { CODE_OF_OUTCOME } from '../command/exit-codes.ts';
import type { Io } from '../command/io.ts';
import { shown, shownPlan } from '../command/masking.ts';
import { fittedMarkdown } from '../command/output/fitted-markdown.ts';
import { findingsFormats, type PresentOptions, present, type Renderings } from '../command/output/present.ts';
import { showProgress } from '../command/progress.ts';
import { refusalOf } from '../command/show-diagnostics.ts';
import { VERSION } from '../command/version.ts';
import { CommandFailure, problem } from '../diagnostics/diagnostic.ts';
import type { Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import type { ApplyReport } from '../model/generated/report.ts';
import { isEmptyPlan, isRefused } from '../plan/plan.ts';
import { missingScopes } from '../plan/scopes.ts';
import { dearestReport } from '../plan/stakes/cost.ts';
import { type ExpectOptions, readExpected, requireExpected } from '../planning/expected-plan.ts';
import { type PlanningOptions, preparePlan } from '../planning/planning.ts';
import { type Approved, openSavedPlan } from '../planning/saved-plan.ts';
import { maskReport } from '../render/masking/by-path.ts';
import { planView } from '../render/plan-view.ts';
import { reportView } from '../render/report-view.ts';
import { jsonText } from '../render/result.ts';
import { viewText } from '../render/text-layout.ts';
import type { View } from '../render/view.ts';
import { doneWords } from '../render/words.ts';
import { rehearsalFailures, rehearsalView } from './rehearse/view.ts';

export interface ApplyOptions extends PlanningOptions, ApprovalOptions, ExpectOptions, PresentOptions {
  readonly onFailure?: 'restore' | 'hold';
  /** Rehearse the plan first, and stop if the rehearsal fails. */
  readonly rehearse?: boolean;
  /** The digest of the plan file in an index of saved plans. */
  readonly listed?: string;
}

/**
 * `tradeform apply [PLANFILE]`: shows a plan, asks for approval and carries the plan out. Returns the exit code: 0 only if
 * everything is done and nothing is blocked, 1 if something is left, 4 if the plan is refused, 5 if a newer commit was applied, 130
 * after an interruption. Until
 * the approval it sends GET requests only.
 */
export async function runApply(planFile: string | undefined, options: ApplyOptions, io: Io): Promise<number> {
  if (planFile !== undefined) refuseSelection(options);
  const { listed: expectDigest } = options;
  const expected = await readExpected(expectDigest === undefined ? options : { expectDigest }, io);
  const ready =
    planFile === undefined
      ? await planAfresh(options, io, expected === undefined && options.autoApprove === true)
      : await openSavedPlan(planFile, options, io);
  const { plan } = ready;
  try {
    show(planView(shownPlan(plan, io), ready.wallets), options, io);
    if (plan.superseded_by !== undefined && isEmptyPlan(plan)) throw superseded(plan.superseded_by);
    const refusal = isRefused(plan) ? refusalOf(plan, ready.sources) : undefined;
    const json = options.output === 'json';
    const gone =
      expected === undefined
        ? []
        : requireExpected(plan, expected, { io, wallets: ready.wallets, json, also: refusal });
    if (refusal !== undefined) throw refusal;
    const missing = missingScopes(plan, ready.live.account.scopes, 'error');
    if (missing.length > 0) throw new CommandFailure(4, missing);
    if (!isEmptyPlan(plan)) {
      if (options.rehearse === true) await rehearseFirst(ready, options, io);
      // A saved plan is an approval, and so is the digest of a plan.
      const asks = planFile === undefined && expected === undefined && options.autoApprove !== true;
      if (asks) await approve(options, io, options.at === undefined ? undefined : ROLLBACK);
      else confirmFirst(ready, options);
    }
    return await carryOut(ready, gone, options, io);
  } catch (error) {
    // With this digest the user can approve the current plan.
    throw error instanceof CommandFailure ? error.with({ digest: plan.digest }) : error;
  } finally {
    await ready.session.close();
  }
}

/** Exit 5: neither done nor failed. An old job is run again, or a clone is behind. */
function superseded(number: number): CommandFailure {
  return CommandFailure.of(
    5,
    'superseded',
    `a newer commit was applied already (number ${number} of the branch); nothing was done`,
    'Nothing needs to be done: the newer commit has what is left of this one.',
  );
}

/** Options that decide what is planned have no effect on a finished plan, so they are refused. */
function refuseSelection(options: ApplyOptions): void {
  const { target, exclude, resumeStopped, allowEmpty, takeOver, override, only, base } = options;
  const { expectDigest, expectPlan, expectChanges } = options;
  const given = [
    ['--target', target],
    ['--exclude', exclude],
    ['--resume-stopped', resumeStopped],
    ['--allow-empty', allowEmpty],
    ['--take-over', takeOver],
    ['--override', override],
    ['--only', only],
    ['--base', base],
    ['--expect-digest', expectDigest],
    ['--expect-plan', expectPlan],
    ['--expect-changes', expectChanges],
  ] as const;
  const refused = given.filter(([, value]) => value !== undefined && value !== false);
  if (refused.length === 0) return;
  throw new CommandFailure(
    3,
    refused.map(([name]) =>
      problem(
        'invalid-option',
        `${name} cannot be combined with a plan file: a saved plan is applied exactly as it was made`,
        name.startsWith('--expect')
          ? `Remove ${name} or the file: the file is the approved plan.`
          : `Pass ${name} to \`tradeform plan --out FILE\`, and apply that file.`,
      ),
    ),
  );
}

/** `unattended`: nobody approves this plan, neither on a terminal nor by its digest. */
async function planAfresh(options: ApplyOptions, io: Io, unattended: boolean): Promise<Approved> {
  const { plan, live, loaded, session, replan, planAgain } = await preparePlan(options, io, {
    unsealed: true,
    unattended,
  });
  const { pin, sources, desired } = loaded;
  const { wallets } = desired;
  const first = plan.diagnostics.some(({ code }) => code === 'first-apply');
  const pinned = pin !== undefined || options.pinned !== undefined;
  const left = async () => (await planAgain()).digest;
  return { plan, live, session, sources, wallets, pinned, first, positions: undefined, replan, left };
}

/** Machines read a single document: the report. */
function show(view: View, { output, verbose = false }: ApplyOptions, io: Io): void {
  const textOf = (color: boolean) => viewText(view, { columns: io.columns, color, verbose });
  const machine = output !== undefined && output !== 'text';
  if (machine) io.stderr(textOf(io.color.stderr));
  else io.stdout(`${textOf(io.color.stdout)}\n`);
}

/** Fails (exit 4) with everything that the rehearsal could not do. Nothing was changed then. */
async function rehearseFirst(
  { plan, live, positions, replan }: Approved,
  options: ApplyOptions,
  io: Io,
): Promise<void> {
  // Loaded on demand, because the embedded service is most of tradeform's code.
  const { DEFAULT_LATENCY_MS, rehearsePlan } = await import('./rehearse/rehearsal.ts');
  const { concurrency, onFailure } = options;
  const { rehearsal } = await rehearsePlan({
    plan,
    live,
    positions,
    replan,
    latency: DEFAULT_LATENCY_MS,
    concurrency: concurrency ?? DEFAULT_CONCURRENCY,
    onFailure: onFailure ?? 'restore',
    toolVersion: VERSION,
  });
  show({ ...rehearsalView(rehearsal), parts: [] }, options, io);
  if (rehearsal.ok) return;
  throw new CommandFailure(4, rehearsalFailures(rehearsal));
}

/** With a wrong account, the plan looks like a first apply. Without a person to check it, the options must confirm it. */
function confirmFirst({ plan, pinned, first }: Approved, options: ApplyOptions): void {
  if (!first || pinned || options.firstApply === true) return;
  throw CommandFailure.of(
    4,
    'first-apply',
    `no task of project ${plan.project} is on the service yet; with the wrong account it would look the same`,
    `Pin the account in the project file (${pinPath(plan.environment)}), or pass --first-apply once.`,
  );
}

async function carryOut(
  { plan, live, session, positions, left }: Approved,
  notes: readonly PlanDiagnostic[],
  options: ApplyOptions,
  io: Io,
): Promise<number> {
  const did = new Map(plan.changes.map((change) => [change.address, doneWords(change)]));
  const progress = showProgress(io, {
    quiet: options.quiet === true,
    verbose: options.verbose === true,
    total: plan.changes.filter(({ operations }) => operations.length > 0).length,
    did: (address) => did.get(address),
    stopped: () => io.stop.soft.aborted,
  });
  const onSoftStop = () => {
    progress.note(
      'Stopping: tasks in progress are finished, nothing new is started. Ctrl-C again stops at once.',
    );
  };
  io.stop.soft.addEventListener('abort', onSoftStop);
  let report: ApplyReport;
  try {
    report = await applyPlan(plan, {
      api: session.api,
      clock: session.clock,
      progress,
      concurrency: session.limiter,
      onFailure: options.onFailure ?? 'restore',
      stop: io.stop,
      toolVersion: VERSION,
      knownIds: new Set([...live.tasks, ...live.templates, ...live.labels].map(({ id }) => id)),
      ...(live.readAt === undefined ? {} : { viewedAt: live.readAt }),
      ...(positions === undefined ? {} : { positions }),
    });
  } finally {
    io.stop.soft.removeEventListener('abort', onSoftStop);
    progress.close();
  }
  if (report.outcome === 'incomplete' && left !== undefined) {
    // The connection may be broken. The report must be made all the same.
    const digest = await left().catch(() => undefined);
    if (digest !== undefined) report = { ...report, left_digest: digest };
  }
  report = shown(
    maskReport(
      { ...report, diagnostics: [...notes.map((note) => ({ ...note })), ...report.diagnostics] },
      plan,
    ),
    io,
  );
  const exitCode = CODE_OF_OUTCOME[report.outcome];
  const ending = { command: 'apply', exitCode };
  return present(renderingsOf(report, shownPlan(plan, io), options, io), options, io, ending);
}

/** The result of an apply in every format. Plan and report are already masked. */
function renderingsOf(report: ApplyReport, plan: Plan, options: ApplyOptions, io: Io): Renderings {
  const held = new Set(plan.changes.filter((change) => change.held).map(({ address }) => address));
  const made = reportView(dearestReport(report, plan), held);
  const findings = async () =>
    (await import('../render/formats/apply-findings.ts')).applyFindings(
      report,
      plan,
      CODE_OF_OUTCOME[report.outcome],
    );
  return {
    ...findingsFormats(findings, options, io),
    // A file also contains the plan. A terminal showed it before.
    text: (view) => (view.file ? `${viewText(planView(plan), view)}\n` : '') + viewText(made, view),
    json: () => jsonText(report),
    html: async () => {
      const { reportPage } = await import('../render/html/report-page.ts');
      return (await import('../render/html/page.ts')).pageText(reportPage(report, plan, made));
    },
    // The changes are already made, so the report shrinks to the counts if nothing else fits.
    markdown: ({ maxBytes }) => fittedMarkdown(made, maxBytes),
  };
}
