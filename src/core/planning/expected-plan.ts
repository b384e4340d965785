import { insteadOf } from '../command/instead.ts';
import type { Io } from '../command/io.ts';
import { CommandFailure, type Diagnostic, problem, usage, warning } from '../diagnostics/diagnostic.ts';
import type { Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import type { LiveState } from '../model/resource.ts';
import { DIGEST_HINT, isDigest, shortDigest } from '../plan/guardrails/override.ts';
import { isEmptyPlan } from '../plan/plan.ts';
import { type Judgement, judgeApproval } from '../plan/review/approval.ts';
import type { ListedChange } from '../plan/review/digest.ts';
import { comparePlans } from '../plan/review/plan-difference.ts';
import { dearestFirst } from '../plan/stakes/cost.ts';
import { currentText, leftText, movedText } from '../render/words.ts';
import { type ApprovedPlan, readApproval } from './plan-file.ts';

export interface ExpectOptions {
  /** Digests of plans that were approved elsewhere (all 64 digits). Each stands for the whole plan. */
  readonly expect?: readonly string[] | undefined;
  /** Files of plans that were approved elsewhere: `apply` carries out what is left of their changes. */
  readonly approvals?: readonly string[] | undefined;
  /** The approval is what `tradeform comment reviewed` found: git has it, or took it back. */
  readonly reviewed?: string | undefined;
}

export interface Expected {
  readonly approved: readonly string[];
  /** A digest was given: no approved change may be missing. */
  readonly whole: boolean;
  readonly documents: readonly ApprovedPlan[];
  readonly merged: boolean;
}

const ONLY_DIGITS = /^[0-9a-f]*$/i;

/**
 * Undefined if nothing is expected. `file`: the plan file of the command; beside a digest it only shows what differs. Fails (exit 3)
 * before anything is sent, if the approval cannot be read.
 */
export async function readExpected(
  { expect = [], approvals = [], reviewed }: ExpectOptions,
  file: ApprovedPlan | undefined,
  io: Pick<Io, 'cwd' | 'stop'>,
): Promise<Expected | undefined> {
  const digests = expect.map((word) => readDigest(word));
  const read = await Promise.all(approvals.map((one) => readApproval(one, io)));
  const documents = file === undefined ? read : [file, ...read];
  if (digests.length + documents.length === 0) return undefined;
  const whole = digests.length > 0;
  return {
    approved: whole ? digests : documents.map(({ digest }) => digest),
    whole,
    documents,
    merged: reviewed !== undefined,
  };
}

/** Addresses that an approved plan names, and patterns of them. */
export function namedBy({ plan, changes = [] }: ApprovedPlan): readonly string[] {
  const resumed = plan?.options?.resume_stopped;
  const { targets = [], excludes = [] } = plan?.selection ?? {};
  const asked = Array.isArray(resumed) ? (resumed as readonly string[]) : [];
  return [...targets, ...excludes, ...asked, ...changes.map(({ address }) => address)];
}

/** The value of `--expect` where only a digest is possible, which a command shows. Fails (exit 3) for the beginning of one. */
export function readDigest(word: string, command = 'plan'): string {
  const digest = word.toLowerCase();
  if (isDigest(digest)) return digest;
  throw usage(
    `--expect ${JSON.stringify(word)} is not a complete digest`,
    ONLY_DIGITS.test(word)
      ? `${DIGEST_HINT} \`tradeform ${command}\` ends with the digest.`
      : insteadOf('--expect FILE'),
  );
}

/** Something else would be done than was approved. `since`: what is known of the difference. */
export function notApproved(
  what: string,
  digest: string,
  approved: readonly string[],
  hint: string,
  since = '',
): Diagnostic {
  const short = approved.map(shortDigest).join(', ');
  return problem(
    'digest-differs',
    `the ${what} is not the approved one: its digest is ${shortDigest(digest)}, but ${short} was approved; nothing was changed${since}`,
    hint,
  );
}

/**
 * Fails (exit 4) with `digest-differs` if the plan has changes that were not approved, or lacks approved ones that are not done. The
 * failure names what moved. If the approved plan is available, it has the differences, too. Otherwise the result has a note about the
 * approved changes that are done already.
 */
export function requireExpected(
  plan: Plan,
  expected: Expected,
  live: LiveState,
  also: CommandFailure | undefined,
): readonly PlanDiagnostic[] {
  const { approved, whole, documents, merged } = expected;
  refuseLater(plan, documents, merged);
  const judgement = judgeApproval(dearestFirst(plan), documents, live, merged);
  const named = isNamed(documents, judgement);
  // Either the digest is that of the approved plan, or each change is in a list that its digest proves complete. A document of which
  // the list is another one was edited: it approves nothing. The digest of one document says nothing of what another one approved.
  const edited = judgement.strange.some(({ digest }) => digest === plan.digest);
  const isPlan = approved.includes(plan.digest) && (whole || !edited);
  const open = judgement.moved.filter(({ now }) => now === undefined || !isPlan);
  if (whole ? isPlan : open.length === 0 && (named || isPlan))
    return whole || judgement.gone.length === 0 ? [] : [gone(judgement.gone)];
  const shownPlan = documents.length === 1 ? documents[0]?.plan : undefined;
  const difference = shownPlan === undefined ? undefined : comparePlans(shownPlan, plan);
  const moved = named ? judgement.moved : [];
  throw new CommandFailure(
    4,
    [differs(plan, expected, judgement, live), ...(also?.diagnostics ?? [])],
    also?.sources,
    {
      expected_digest: approved[0] ?? '',
      digest: plan.digest,
      ...(difference === undefined ? {} : { difference }),
      ...(moved.length === 0 ? {} : { moved: moved.map(movedText) }),
    },
  );
}

/** The digest does not cover what was applied since. A plan file says whether its plan took anything back, and Markdown does not. */
function refuseLater({ diagnostics }: Plan, documents: readonly ApprovedPlan[], merged: boolean): void {
  const isBack = ({ code }: PlanDiagnostic) => code === 'takes-back';
  const found = diagnostics.find(isBack);
  if (found === undefined || documents.every(({ plan }) => plan?.diagnostics.some(isBack) ?? merged)) return;
  const message = `${found.message}. The approved plan does not say so; nothing was changed`;
  throw CommandFailure.of(4, 'takes-back', message, found.hint);
}

function gone(changes: readonly ListedChange[]): PlanDiagnostic {
  const names = changes.map(({ address, does }) => `${address} (${does.split('+').join(', ')})`).join(', ');
  const [only, ...more] = changes;
  const place = only === undefined || more.length > 0 ? {} : { address: only.address };
  return warning('approved-change-gone', `Already done, or no longer needed: ${names}.`, undefined, place);
}

const MOST_NAMED = 12;

/** At least one document has a list of changes that its digest proves. */
function isNamed(documents: readonly ApprovedPlan[], { strange }: Judgement): boolean {
  return documents.filter(({ changes }) => changes !== undefined).length > strange.length;
}

function differs(
  plan: Plan,
  { approved, whole, documents }: Expected,
  judgement: Judgement,
  live: LiveState,
): Diagnostic {
  const { moved, gone, strange } = judgement;
  const known = isNamed(documents, judgement);
  const unlisted = documents.every(({ changes }) => changes === undefined);
  const told = [
    ...(strange.length > 0 ? [STRANGE] : []),
    ...(known ? moved.map(movedText) : unlisted ? nowTexts(plan, live) : []),
    ...(known && whole ? gone.map(({ address }) => `nothing is left to do to ${address}`) : []),
  ];
  const cut = told.length > MOST_NAMED ? [`${told.length - MOST_NAMED} more`] : [];
  const what = [...told.slice(0, MOST_NAMED), ...cut].join('; ');
  const stays = known ? moved.some(({ open }) => open !== undefined) : (plan.left ?? []).length > 0;
  const git = plan.only === undefined ? '' : ' To write what git wants there, plan and apply without --only.';
  const approve = `To approve the current plan: --expect ${plan.digest}${stays ? `, which leaves what is there.${git}` : ''}`;
  const see =
    'To see the differences, name the approved plan itself: `tradeform apply FILE`, from `tradeform plan --out FILE`.';
  const empty =
    isEmptyPlan(plan) && !stays
      ? 'Nothing is left to do: the approved plan may have been applied already.'
      : undefined;
  const since = what === '' ? '' : `. ${known ? 'Since then' : 'Current plan'}: ${what}`;
  return notApproved('plan', plan.digest, approved, empty ?? (known ? approve : `${see} ${approve}`), since);
}

const STRANGE =
  'the list of changes does not match its digest: it was made for another project, environment, service or account, by another version of tradeform, or was edited';

/** All that can be said if only a digest is known: what the current plan would do, what is held, and what is left. */
function nowTexts(plan: Plan, live: LiveState): readonly string[] {
  const current = judgeApproval(dearestFirst(plan), [], live).moved.map(currentText);
  const held = plan.changes.flatMap(({ held: isHeld, address }) => (isHeld ? [`${address} is held`] : []));
  return [...current, ...held, ...(plan.left ?? []).map(leftText)];
}
