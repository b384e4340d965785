import { applyPlan } from '../apply/execute.ts';
import { CommandFailure } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../model/generated/plan.ts';
import type { ApplyReport } from '../model/generated/report.ts';
import { isEmptyPlan, isRefused } from '../plan/plan.ts';
import { missingScopes } from '../plan/scopes.ts';
import { maskReport } from '../render/mask.ts';
import { planText } from '../render/plan-text.ts';
import { reportText } from '../render/report-text.ts';
import { jsonText } from '../render/result.ts';
import { doneWords } from '../render/words.ts';
import { type ApprovalOptions, approve } from './approval.ts';
import { pinPath } from './connection.ts';
import type { Io } from './io.ts';
import { type PlanningOptions, preparePlan } from './planning.ts';
import { showProgress } from './progress.ts';
import { type Approved, openSavedPlan } from './saved-plan.ts';
import { hiding, secretsOfPlan } from './secrets.ts';
import { refusalOf } from './show-diagnostics.ts';
import { VERSION } from './version.ts';

export interface ApplyOptions extends PlanningOptions, ApprovalOptions {
  readonly onFailure?: 'restore' | 'hold';
}

const EXIT_CODES = { done: 0, incomplete: 1, interrupted: 130 } as const satisfies Record<
  ApplyReport['outcome'],
  number
>;

/**
 * `tradeform apply [PLANFILE]`: shows a plan, has it approved and carries it out. Returns the exit code: 0 only where
 * everything is done and nothing is blocked, 1 where something is left, 4 where the plan is refused, 130 where it was
 * interrupted. Everything up to the approval sends GET requests only.
 */
export async function runApply(
  planFile: string | undefined,
  options: ApplyOptions,
  terminal: Io,
): Promise<number> {
  if (planFile !== undefined) refuseSelection(options);
  const ready =
    planFile === undefined
      ? await planAfresh(options, terminal)
      : await openSavedPlan(planFile, options, terminal);
  const io = hiding(terminal, secretsOfPlan(ready.plan));
  try {
    const { plan } = ready;
    showPlan(plan, options, io);
    if (isRefused(plan)) throw refusalOf(plan, ready.sources);
    const missing = missingScopes(plan, ready.live.account.scopes, 'error');
    if (missing.length > 0) throw new CommandFailure(4, missing);
    if (!isEmptyPlan(plan)) {
      const asks = planFile === undefined && options.autoApprove !== true;
      if (!asks) confirmFirst(ready, options);
      if (planFile === undefined) await approve(options, io);
    }
    return await carryOut(ready, options, io);
  } finally {
    await ready.session.close();
  }
}

/** What decides what is planned says nothing about a plan that is made already: it must not look as if it did. */
function refuseSelection({ target, exclude, resumeStopped, allowEmpty, override }: ApplyOptions): void {
  const given = [
    ['--target', target],
    ['--exclude', exclude],
    ['--resume-stopped', resumeStopped],
    ['--allow-empty', allowEmpty],
    ['--override', override],
  ] as const;
  const refused = given.filter(([, value]) => value !== undefined && value !== false);
  if (refused.length === 0) return;
  throw new CommandFailure(
    3,
    refused.map(([name]) => ({
      severity: 'error',
      code: 'invalid-option',
      message: `${name} cannot be combined with a plan file: a saved plan is carried out exactly as it was made`,
      hint: `Give ${name} to \`tradeform plan --out FILE\`, and apply that file.`,
    })),
  );
}

async function planAfresh(options: ApplyOptions, io: Io): Promise<Approved> {
  const { plan, live, loaded, session } = await preparePlan(options, io);
  const { pin, sources } = loaded;
  return { plan, live, session, sources, pinned: pin !== undefined, positions: undefined };
}

function showPlan(plan: Plan, options: ApplyOptions, io: Io): void {
  const json = options.output === 'json';
  const color = json ? io.color.stderr : io.color.stdout;
  const text = planText(plan, { columns: io.columns, color });
  if (json) io.stderr(text);
  else io.stdout(`${text}\n`);
}

/** The wrong account looks exactly like a first apply: without a person to look, it must have been said beforehand. */
function confirmFirst({ plan, pinned }: Approved, options: ApplyOptions): void {
  const first = plan.diagnostics.some(({ code }) => code === 'first-apply');
  if (!first || pinned || options.firstApply === true) return;
  throw new CommandFailure(4, [
    {
      severity: 'error',
      code: 'first-apply',
      message: `no task of project ${plan.project} is on the service yet, as it would be with the wrong account`,
      hint: `Pin the account in the project file (${pinPath(plan.environment)}), or pass --first-apply once.`,
    },
  ]);
}

async function carryOut(
  { plan, live, session, positions }: Approved,
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
      'Stopping: the tasks in hand are finished, nothing new is begun. Ctrl-C again stops at once.',
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
  if (options.output === 'json') io.stdout(jsonText(maskReport(report, plan)));
  else {
    const held = new Set(plan.changes.filter((change) => change.held).map(({ address }) => address));
    io.stdout(reportText(report, { columns: io.columns, color: io.color.stdout, held }));
  }
  return EXIT_CODES[report.outcome];
}
