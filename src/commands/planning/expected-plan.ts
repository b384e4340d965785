import type { DesiredState } from '../../desired/state.ts';
import { CommandFailure, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Plan } from '../../model/generated/plan.ts';
import { isDigest, shortDigest } from '../../plan/guardrails/override.ts';
import { isEmptyPlan } from '../../plan/plan.ts';
import { comparePlans } from '../../plan/plan-difference.ts';
import { REDACTED, Redactor } from '../../render/masking/wallets.ts';
import { planDifferenceText } from '../../render/plan-difference-text.ts';
import { painter } from '../../render/style.ts';
import type { Io } from '../io.ts';
import { knowPlan, shown } from '../masking.ts';
import { readApprovedPlan } from './plan-file.ts';

/** `apply`: the plan that was approved elsewhere, by its digest or as a whole. */
export interface ExpectOptions {
  /** The plan's digest: all of it, or its first 12 digits at least. */
  readonly expectDigest?: string;
  /** A file with the plan: `plan --out`, or `plan -o json`. */
  readonly expectPlan?: string;
}

export interface ExpectedPlan {
  readonly digest: string;
  /** Undefined where only the digest is known. */
  readonly plan: Plan | undefined;
}

/** Undefined where nothing is expected. Fails (exit 3) where what is expected cannot be read; nothing was sent then. */
export async function readExpected(
  { expectDigest, expectPlan }: ExpectOptions,
  io: Pick<Io, 'cwd' | 'masking'>,
): Promise<ExpectedPlan | undefined> {
  if (expectPlan !== undefined) {
    if (expectDigest !== undefined) {
      throw unusable(
        '--expect-digest and --expect-plan name one plan each',
        'Leave one of them out; a plan file holds its digest.',
      );
    }
    const plan = await readApprovedPlan(expectPlan, io.cwd);
    knowPlan(plan, io);
    return { digest: plan.digest, plan };
  }
  if (expectDigest === undefined) return undefined;
  const digest = expectDigest.toLowerCase();
  if (isDigest(digest)) return { digest, plan: undefined };
  throw unusable(
    `--expect-digest ${JSON.stringify(expectDigest)} is not the digest of a plan`,
    'It is hexadecimal, in full or its first 12 digits at least, as `tradeform plan -o json` has it.',
  );
}

/**
 * Fails (exit 4) with `digest-differs` where the plan is not the one that was approved, and says what differs: on stderr,
 * with `-o json` in the document. `also`: what refuses the plan besides.
 */
export function requireExpected(
  plan: Plan,
  expected: ExpectedPlan,
  {
    io,
    wallets,
    json,
    also,
  }: {
    readonly io: Io;
    readonly wallets: DesiredState['wallets'];
    readonly json: boolean;
    readonly also: CommandFailure | undefined;
  },
): void {
  if (plan.digest.startsWith(expected.digest)) return;
  const approved = expected.plan;
  const difference =
    approved === undefined ? undefined : shown(comparePlans(approved, likened(plan, approved, wallets)), io);
  if (difference !== undefined && !json) {
    io.stderr(planDifferenceText(difference, { columns: io.columns, paint: painter(io.color.stderr) }));
  }
  throw new CommandFailure(4, [differs(plan, expected), ...(also?.diagnostics ?? [])], also?.sources, {
    expected_digest: expected.digest,
    digest: plan.digest,
    ...(difference === undefined ? {} : { difference }),
  });
}

/** A plan that was printed with --redact-wallets has names where this one has addresses. */
function likened(plan: Plan, approved: Plan, wallets: DesiredState['wallets']): Plan {
  if (approved.integrity !== REDACTED) return plan;
  const redactor = new Redactor();
  redactor.learn(wallets);
  return redactor.document(plan);
}

function differs(plan: Plan, expected: ExpectedPlan): Diagnostic {
  const digest = shortDigest(plan.digest);
  const approve = `If the plan of now is meant: --expect-digest ${digest}`;
  const see =
    'To see what differs, give the approved plan itself: --expect-plan FILE, from `tradeform plan -o json`.';
  const way = expected.plan === undefined ? `${see} ${approve}` : approve;
  return {
    severity: 'error',
    code: 'digest-differs',
    message: `the plan is not the approved one: its digest is ${digest}, and ${shortDigest(expected.digest)} was approved; nothing was changed`,
    hint: isEmptyPlan(plan) ? 'Nothing is left to do: what was approved may have been applied already.' : way,
  };
}

function unusable(message: string, hint: string): CommandFailure {
  return new CommandFailure(3, [{ severity: 'error', code: 'invalid-option', message, hint }]);
}
