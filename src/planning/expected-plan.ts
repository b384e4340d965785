import type { Io } from '../command/io.ts';
import { knowPlan, shown } from '../command/masking.ts';
import type { DesiredState } from '../desired/state.ts';
import { CommandFailure, type Diagnostic, problem, usage } from '../diagnostics/diagnostic.ts';
import type { Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import { DIGEST_HINT, isDigest, shortDigest } from '../plan/guardrails/override.ts';
import { isEmptyPlan } from '../plan/plan.ts';
import { type Approval, type Judgement, judgeApproval } from '../plan/review/approval.ts';
import { type ListedChange, listedIn, orderOf } from '../plan/review/digest.ts';
import { comparePlans } from '../plan/review/plan-difference.ts';
import { dearestFirst } from '../plan/stakes/cost.ts';
import { REDACTED, Redactor } from '../render/masking/wallets.ts';
import { currentText, movedText } from '../render/moved-text.ts';
import { planDifferenceView } from '../render/plan-difference-view.ts';
import { viewText } from '../render/text-layout.ts';
import { readApproval, readApprovedPlan } from './plan-file.ts';

/** `apply`: the plan that was approved elsewhere. Approved by its digest, as a whole, or change by change. */
export interface ExpectOptions {
  /** The digest of the plan: all 64 digits. */
  readonly expectDigest?: string;
  /** A file with the plan, from `plan --out` or `plan -o json`. */
  readonly expectPlan?: string;
  /** Files with approved plans, also Markdown. `apply` carries out what is left of their changes. */
  readonly expectChanges?: readonly string[];
}

interface ExpectedPlan extends Approval {
  /** Undefined if only the digest, or only the list of changes, is known. */
  readonly plan: Plan | undefined;
}

/** What was approved. `whole`: no change may be missing. */
interface Expected {
  readonly plans: readonly ExpectedPlan[];
  readonly whole: boolean;
}

/** Undefined if nothing is expected. Fails (exit 3) before anything is sent, if the approval cannot be read. */
export async function readExpected(
  { expectDigest, expectPlan, expectChanges = [] }: ExpectOptions,
  io: Pick<Io, 'cwd' | 'masking'>,
): Promise<Expected | undefined> {
  const given = [
    ...(expectDigest === undefined ? [] : ['--expect-digest']),
    ...(expectPlan === undefined ? [] : ['--expect-plan']),
    ...(expectChanges.length === 0 ? [] : ['--expect-changes']),
  ];
  if (given.length > 1) {
    throw usage(
      `each of ${given.join(' and ')} names a plan`,
      'Use only one of them; a plan file contains its digest.',
    );
  }
  const files = expectPlan === undefined ? expectChanges : [expectPlan];
  if (files.length > 0) {
    const whole = expectPlan !== undefined;
    const plans = await Promise.all(
      files.map((file) => (whole ? wholePlan(file, io.cwd) : readApproval(file, io.cwd))),
    );
    for (const { plan } of plans) if (plan !== undefined) knowPlan(plan, io);
    return { plans, whole };
  }
  if (expectDigest === undefined) return undefined;
  const digest = expectDigest.toLowerCase();
  if (isDigest(digest)) return { plans: [{ digest, changes: undefined, plan: undefined }], whole: true };
  throw usage(
    `--expect-digest ${JSON.stringify(expectDigest)} is not a complete digest`,
    `${DIGEST_HINT} \`tradeform plan\` ends with the digest.`,
  );
}

async function wholePlan(file: string, cwd: string): Promise<ExpectedPlan> {
  const plan = await readApprovedPlan(file, cwd);
  return { digest: plan.digest, changes: listedIn(plan), order: orderOf(plan), plan };
}

interface Requiring {
  readonly io: Io;
  readonly wallets: DesiredState['wallets'];
  readonly json: boolean;
  /** Another reason to refuse the plan. */
  readonly also: CommandFailure | undefined;
}

/**
 * Fails (exit 4) with `digest-differs` if the plan has changes that were not approved, or if changes are missing that must not
 * be. The failure names what moved. If the approved plan is available, it shows the differences: on stderr, and with `-o json`
 * in the document. Otherwise the result has a note for each approved change that is no longer needed.
 */
export function requireExpected(
  plan: Plan,
  expected: Expected,
  { io, wallets, json, also }: Requiring,
): readonly PlanDiagnostic[] {
  const { plans, whole } = expected;
  const judgement = judgeApproval(dearestFirst(plan), plans);
  const exact = plans.some(({ digest }) => plan.digest === digest);
  const lists = plans.filter(({ changes }) => changes !== undefined).length;
  const named = lists > judgement.strange.length;
  // Either the digest is that of the approved plan, or each change is in a list that its digest proves complete.
  if (exact || (!whole && named && judgement.moved.length === 0))
    return whole ? [] : judgement.gone.map(gone);
  const [only] = plans;
  const approved = plans.length === 1 ? only?.plan : undefined;
  const difference =
    approved === undefined ? undefined : shown(comparePlans(approved, likened(plan, approved, wallets)), io);
  if (difference !== undefined && !json) {
    io.stderr(viewText(planDifferenceView(difference), { columns: io.columns, color: io.color.stderr }));
  }
  const moved = named ? judgement.moved : [];
  throw new CommandFailure(
    4,
    [differs(plan, expected, judgement), ...(also?.diagnostics ?? [])],
    also?.sources,
    {
      expected_digest: only?.digest ?? '',
      digest: plan.digest,
      ...(difference === undefined ? {} : { difference }),
      ...(moved.length === 0 ? {} : { moved: shown(moved.map(movedText), io) }),
    },
  );
}

function gone({ address, does }: ListedChange): PlanDiagnostic {
  return {
    severity: 'info',
    code: 'approved-change-gone',
    address,
    message: `${address}: ${does.split('+').join(', ')} was approved, but nothing is left to do there: somebody did it already, the task is gone, or this run leaves it out.`,
  };
}

/** A plan that was printed with --redact-wallets has names in place of addresses. Here the new plan gets the same names. */
function likened(plan: Plan, approved: Plan, wallets: DesiredState['wallets']): Plan {
  if (approved.integrity !== REDACTED) return plan;
  const redactor = new Redactor();
  redactor.learn(wallets);
  return redactor.document(plan);
}

const MOST_NAMED = 12;

function differs(plan: Plan, { plans, whole }: Expected, { moved, gone, strange }: Judgement): Diagnostic {
  const digest = shortDigest(plan.digest);
  const lists = plans.filter(({ changes }) => changes !== undefined).length;
  const known = lists > strange.length;
  const told = [
    ...(strange.length > 0 ? [STRANGE] : []),
    ...(known ? moved.map(movedText) : lists === 0 ? nowTexts(plan) : []),
    ...(known && whole ? gone.map(({ address }) => `nothing is left to do to ${address}`) : []),
  ];
  const cut = told.length > MOST_NAMED ? [`${told.length - MOST_NAMED} more`] : [];
  const what = [...told.slice(0, MOST_NAMED), ...cut].join('; ');
  const short = plans.map((one) => shortDigest(one.digest)).join(', ');
  const approve = `To approve the current plan: --expect-digest ${plan.digest}`;
  const see =
    'To see the differences, pass the approved plan itself: --expect-plan FILE, from `tradeform plan -o json`.';
  const empty = isEmptyPlan(plan)
    ? 'Nothing is left to do: the approved plan may have been applied already.'
    : undefined;
  return problem(
    'digest-differs',
    `the plan is not the approved one: its digest is ${digest}, but ${short} was approved; nothing was changed${what === '' ? '' : `. ${known ? 'Since then' : 'Current plan'}: ${what}`}`,
    empty ?? (known ? approve : `${see} ${approve}`),
  );
}

const STRANGE =
  'the list of changes does not match its digest: it was made for another project, environment, service or account, by another version of tradeform, or was edited';

/** All that can be said if only a digest is known: what the current plan would do, and which tasks are held. */
function nowTexts(plan: Plan): readonly string[] {
  const current = judgeApproval(dearestFirst(plan), []).moved.map(currentText);
  const held = plan.changes.flatMap(({ held: isHeld, address }) => (isHeld ? [`${address} is held`] : []));
  return [...current, ...held];
}
