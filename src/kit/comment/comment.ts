import { requireMerged } from '../../core/command/event.ts';
import type { Io } from '../../core/command/io.ts';
import type { CommonOptions } from '../../core/command/options.ts';
import { presentAnswer } from '../../core/command/output/present.ts';
import { showDiagnostics } from '../../core/command/show-diagnostics.ts';
import { CommandFailure, usage, warning } from '../../core/diagnostics/diagnostic.ts';
import { isRestorable } from '../../core/documents/drift.ts';
import { isBefore, workedChanges } from '../../core/documents/plan-summary.ts';
import { isGood } from '../../core/model/exit-codes.ts';
import { DRIFT_FORMAT } from '../../core/model/generated/drift.ts';
import { FLEET_FORMAT } from '../../core/model/generated/fleet-report.ts';
import { type Change, PLAN_FORMAT } from '../../core/model/generated/plan.ts';
import { REPORT_FORMAT } from '../../core/model/generated/report.ts';
import { DIGEST_HINT } from '../../core/plan/guardrails/override.ts';
import { askGit } from '../../core/project/git.ts';
import { mergeBase } from '../../core/project/git-commands.ts';
import { fieldWords } from '../../core/render/differences.ts';
import { markdownCode, markdownText, percentEncoded } from '../../core/render/markdown/escape.ts';
import type { Forge, Issue, OwnText } from '../forge/forge.ts';
import { untilAnswered } from '../forge/rest.ts';
import {
  findReviewed,
  type JobDocument,
  type ReadReport,
  readReport,
  readReviewed,
  requireHead,
  unreviewedBefore,
} from './reviewed.ts';
import {
  type CommentAbout,
  type CommentRun,
  type CommentSubject,
  footOf,
  sameSubject,
  wayOn,
  withForge,
  withHeader,
} from './run.ts';

interface CommentOptions extends CommonOptions, CommentAbout {
  /** `reviewed`, `none` or a digest. */
  readonly expect?: string;
  /** The earlier commit to go back to. */
  readonly rollback?: string;
  /** The folder that `comment reviewed` wrote. */
  readonly reviewed?: string;
  readonly label?: string;
  /** How labels of the pull request begin. Empty: none. */
  readonly labels?: string;
}

const KINDS = { plan, reviewed, result, drift, newest } as const;

export type CommentKind = keyof typeof KINDS;

/**
 * `tradeform comment`: what a job of CI writes on a pull or merge request, on every host. Prints the URLs of what it wrote. Returns
 * 0; a comment about an apply that cannot be written is only a warning, because the apply is already done.
 */
export async function runComment(
  kind: CommentKind,
  name: string | undefined,
  options: CommentOptions,
  io: Io,
): Promise<number> {
  if ((name === undefined) !== (kind === 'newest'))
    throw usage(
      `comment ${kind} takes ${name === undefined ? 'the name of a report or a folder' : 'no name'}`,
      '`tradeform comment --help` lists them.',
    );
  const urls = await withForge(options, io, (run) => KINDS[kind](name ?? '', options, run));
  const answer = { command: 'comment', urls };
  return presentAnswer(answer, (shown) => shown.urls.map((url) => `${url}\n`).join(''), options, io);
}

/** Also after a failure: the comment must not show an earlier plan. What reviewers saw when they merged stays. */
async function plan(name: string, options: CommentOptions, run: CommentRun): Promise<readonly string[]> {
  const { event, forge, io } = run;
  const { request, run: job, labels } = { ...run.words, ...options };
  const { pull } = event;
  if (pull === undefined) throw usage(`this job is not of a ${request}`, 'Only its plan gets a comment.');
  if (labels.includes(',')) throw usage(`--labels ${labels} has a comma`, 'On GitLab it ends a label.');
  const reported = readReport(name, io);
  const { code, header, markdown, document } = reported;
  if (code === INTERRUPTED) return nothing('The plan was interrupted. The comment stays as it is.', run);
  const { open, head } = await forge.request(pull.number);
  if (!open || head !== pull.headSha) {
    const why = open ? `has a newer commit, ${head.slice(0, 12)}` : 'is merged or closed';
    const what = `the ${request} ${pull.number} ${why}; its comment stays as it is`;
    throw new CommandFailure(5, [warning('superseded', what, `A ${job} of its newest commit writes it.`)]);
  }
  const subject = subjectOf('plan', reported, run);
  // An apply relies on this digest. Also a plan that only the base's guardrails refuse has none, and a fleet without all its plans.
  const base = await baseOf(run);
  const pending = pendingIn(document);
  const unseen = base === undefined || pending.length === 0 ? [] : await unreviewedBefore(base, run);
  const good = base !== undefined && unseen.length === 0 && isGood(code);
  const digest = good ? header?.digest : undefined;
  const missing = `There is no plan of this ${request}: the job that makes it failed. Its log says why.\n`;
  const merging = digest === undefined ? '' : 'Merging applies only what this plan shows. ';
  const lacking = `this branch lacks commits of ${pull.baseRef}; its plan would take what they changed for edits on the service`;
  const report =
    base === undefined ? `## Plan\n\n**None**: ${markdownText(lacking)}\n` : (markdown ?? missing);
  const held = digest === undefined ? ['refused'] : labelsOf(document);
  const foot = `${footOf(run)}${labels && held.map((one) => hidden(`${labels}${one}`)).join('')}`;
  const body = `${withHeader(withUnseen(report, unseen, pending), subject, digest)}\n---\n${merging}${foot}`;
  const url = await keepComment(forge, pull.number, subject, () => body);
  const lost = `the labels of the ${request} could not be set`;
  await orWarn(lost, io, () => untilAnswered(() => keepLabels(forge, pull.number, body, labels)));
  if (base === undefined)
    throw CommandFailure.of(4, 'behind-base', lacking, `Merge ${pull.baseRef} into it, and push.`);
  if (unseen.length === 0) return [url];
  const hint = `Take it back, or approve it: ${run.words.byHand} with the digest that the refused apply names as \`${run.words.expect}\`. Then run this job again.`;
  const what = `${pull.baseRef} has what nobody reviewed, and its changes are not applied yet: ${unseen.join('; ')}`;
  throw CommandFailure.of(4, 'not-reviewed', what, hint);
}

const LABELS = ['starts', 'deletes', 'changes', 'nothing', 'refused'];

/** A label that a comment asks for, at its end. Its case does not count. */
const hidden = (label: string) => `\n<!-- tradeform:label ${percentEncoded(label.toLowerCase())} -->`;

/** Sets what all plans of the pull request ask for. Then once more, if another job wrote one meanwhile. */
async function keepLabels(forge: Forge, pull: number, own: string, prefix: string, before = '') {
  const all = LABELS.map((word) => `${prefix}${word}`);
  const bodies = [own, ...(await forge.comments(pull)).map(({ body }) => body)].join('');
  const asked = all.filter((label) => bodies.includes(hidden(label)));
  const held = asked.filter((label) => asked.length === 1 || label !== `${prefix}nothing`);
  if (held.join() === before) return;
  await forge.setLabels(pull, all, held);
  await keepLabels(forge, pull, own, prefix, held.join());
}

/** Those of the accounts of a fleet, or itself. */
const partsOf = (document: JobDocument | undefined) =>
  document?.format === FLEET_FORMAT ? document.units.map((unit) => unit.document) : [document];

/** What the pull request itself does, for a list of many. */
function labelsOf(document: JobDocument | undefined): readonly string[] {
  const changes = partsOf(document)
    .flatMap((one) => (one?.format === PLAN_FORMAT ? workedChanges(one) : []))
    .filter((change) => !isBefore(change));
  if (changes.length === 0) return ['nothing'];
  const deletes = changes.some(({ action }) => action === 'delete');
  const starts = changes.some(({ starts_trading }) => starts_trading);
  return [...(starts ? ['starts'] : []), ...(deletes ? ['deletes'] : []), 'changes'];
}

/** What is not worth a failure. */
async function orWarn(what: string, io: Io, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    showDiagnostics([warning('forge-error', `${what}: ${error.message}`, error.diagnostics[0]?.hint)], io);
  }
}

/** Changes that the base would make as well: they are not applied yet. */
function pendingIn(document: JobDocument | undefined): readonly Change[] {
  return partsOf(document)
    .flatMap((one) => (one?.format === PLAN_FORMAT ? one.changes : []))
    .filter(
      ({ provenance = 'this-change', operations }) => provenance !== 'this-change' && operations.length > 0,
    )
    .sort((a, b) => stakeOf(b) - stakeOf(a));
}

const stakeOf = ({ exposure: { before, after } }: Change) => Math.max(Number(before), Number(after));

/** More are counted: the report leaves little room. */
const MOST_PENDING = 8;

/** The report with what nobody reviewed in its title, and first. */
function withUnseen(report: string, unseen: readonly string[], pending: readonly Change[]): string {
  if (unseen.length === 0) return report;
  const rows = pending.slice(0, MOST_PENDING).map(({ address, fields }) => {
    const words = fieldWords(fields.filter(({ provenance }) => provenance === 'before'));
    return `- ${markdownCode(address)}${words === '' ? '' : `: ${markdownText(words)}`}`;
  });
  const more = pending.length - rows.length;
  const told = [
    '**Nobody reviewed this, and it is not applied yet, so this plan counts for nothing:**\n',
    ...unseen.slice(0, MOST_PENDING).map((one) => `- ${markdownText(one)}`),
    '\nIts changes:\n',
    ...rows,
    ...(more === 0 ? [] : [`- and ${more} more`]),
  ];
  return report.replace(
    /^## .*$/m,
    (title) => `${title} · ⚠ NOT REVIEWED (${unseen.length})\n\n${told.join('\n')}`,
  );
}

/** The newest commit of the base. Undefined if the checkout lacks it; that of a merge for trial does not. */
async function baseOf({ event: { pull, sha }, forge, io }: CommentRun): Promise<string | undefined> {
  if (pull?.headSha !== sha) return `${sha}^1`;
  const tip = await forge.head(pull.baseRef);
  return askGit(mergeBase(tip, sha), io.cwd, io.env) === tip ? tip : undefined;
}

async function reviewed(
  folder: string,
  options: CommentOptions,
  run: CommentRun,
): Promise<readonly string[]> {
  const { expect = 'reviewed' } = options;
  if (!/^(?:reviewed|none|[0-9a-f]{64})$/.test(expect))
    throw usage(`--expect ${expect} is not reviewed, none or a complete digest (64 hex digits)`, DIGEST_HINT);
  await findReviewed(folder, { ...options, expect }, run);
  return [];
}

/** Fails (5) if the branch has a newer commit: the manifests of this one no longer say how tasks are to trade. */
async function newest(_name: string, _options: CommentOptions, run: CommentRun): Promise<readonly string[]> {
  requireMerged('comment newest', run.event);
  await requireHead(run, `Start the ${run.words.run} once more.`);
  return [];
}

/** Says on each merged pull request what came of the apply and how to continue, and records what was applied whole. */
async function result(name: string, options: CommentOptions, run: CommentRun): Promise<readonly string[]> {
  const { event, forge, words, io } = run;
  requireMerged('comment result', event);
  const before = readReviewed(options.reviewed ?? '', io);
  const { code, document, markdown, header } = readReport(name, io);
  if (before?.due !== true || code === SUPERSEDED)
    return nothing('Nothing was done. No comment is written.', run);
  const { refused, base, tell, place, commit, rollback } = before;
  const missing = `There is no report of the apply: it was cut off, or did not begin. The log of the ${words.run} says which.\n`;
  const why = refused && `**Refused**: ${markdownText(refused)}\n`;
  const [report, ended, own] = why
    ? [`## Apply\n\n${why}`, REFUSED]
    : [markdown ?? missing, code ?? FAILED, header];
  const subject = subjectOf('apply', { header: own }, run);
  const way = wayOn(ended, own?.digest, base ?? undefined, run);
  const did = `\n<!-- tradeform:did ${event.sha} -->`;
  const mark = hasDone(document) ? did : '';
  // Of two at once, the idle one may end last.
  const body = (former: string) =>
    mark === '' && former.includes(did)
      ? `${former.split(LATER)[0]}${LATER}\n[Another ${words.run}](${event.runUrl}) ended later. ${why ?? (document ? 'It did nothing.\n' : missing)}${way}`
      : `${withHeader(report, subject, own?.digest)}${way}\n---\n${footOf(run)}${mark}`;
  const urls: string[] = [];
  await orWarn(`the ${words.request} could not get a comment about this apply`, io, async () => {
    for (const pull of tell) urls.push(await keepComment(forge, pull, subject, body));
  });
  const isNew = !words.deploys && (rollback !== undefined || base !== commit);
  if (ended === DONE && isNew)
    await untilAnswered(() => forge.recordApplied(event, rollback ?? commit, place));
  return urls;
}

/** Before what another run says, which did nothing for the same commit. */
const LATER = '\n<!-- tradeform:later -->';

/** Whether an apply may have written to the service. */
function hasDone(document: JobDocument | undefined): boolean {
  return partsOf(document)
    .flatMap((one) => (one?.format === REPORT_FORMAT ? one.summary : []))
    .some(({ done, failed, unknown }) => done + failed + unknown > 0);
}

/** Maintains the issue about drift. A report that could not be made leaves it unchanged. */
async function drift(
  name: string,
  { label = LABEL }: CommentOptions,
  run: CommentRun,
): Promise<readonly string[]> {
  const { event, forge, words, io } = run;
  const reported = readReport(name, io);
  const { code, markdown, document } = reported;
  // A fleet has a report even if an account could not be read. The issue says so.
  const isKnown = isGood(code) || (document?.format === FLEET_FORMAT && code !== INTERRUPTED);
  if (!isKnown || markdown === undefined)
    return nothing('There is no report. The issue stays as it is.', run);
  const subject = subjectOf('drift', reported, run);
  const { project, environment } = subject;
  const open = code !== DONE;
  const foot = `\n---\nLast checked by [this ${words.run}](${event.runUrl}).\n`;
  const url = await keepIssue(forge, subject, {
    title: `tradeform: ${environment === '-' ? project : `${project} (${environment})`} differs from git`,
    body: `${withHeader(markdown, subject, undefined)}${restoring(document, run)}${foot}`,
    label,
    open,
  });
  return url === undefined ? [] : [url];
}

/** How CI restores what git wants, with the digest of the plan that does it. Empty if no apply changes anything. */
function restoring(document: JobDocument | undefined, { words }: CommentRun): string {
  if (!partsOf(document).some((part) => part?.format === DRIFT_FORMAT && isRestorable(part))) return '';
  const how = `${words.byHand} with ${words.whole} and \`${words.expect}\` = \`${document?.digest}\``;
  return `\n**What to do next.** To restore the state in git everywhere, ${how}. To keep some of it, first export that into git: the next report has the digest of the rest.\n`;
}

const LABEL = 'tradeform-drift';
const [DONE, FAILED, REFUSED, SUPERSEDED, INTERRUPTED] = [0, 1, 4, 5, 130];

/** A command that failed early does not know the project. */
function subjectOf(command: string, { header }: Partial<ReadReport>, run: CommentRun): CommentSubject {
  const own = run.subject(command);
  return header === undefined || header.project === '-' ? own : { ...header, command: own.command };
}

function nothing(text: string, run: CommentRun): readonly string[] {
  run.say(text);
  return [];
}

/** Writes the only comment of this subject: over the existing one, or as a new one. Returns its URL. */
export function keepComment(
  forge: Forge,
  pull: number,
  subject: CommentSubject,
  bodyAfter: (former: string) => string,
): Promise<string> {
  return untilAnswered(async () => {
    const [first, ...others] = commentsAbout(await forge.comments(pull), subject);
    // Two simultaneous runs may each have written one.
    for (const { id } of others) await forge.deleteComment(pull, id);
    return forge.putComment(pull, bodyAfter(first?.body ?? ''), first?.id);
  });
}

/**
 * Those about this subject. If the project's name is unknown now or was unknown when the comment was written, the only comment of
 * the command is meant.
 */
function commentsAbout(own: readonly OwnText[], subject: CommentSubject): readonly OwnText[] {
  const exact = own.filter(({ header }) => sameSubject(header, subject));
  if (exact.length > 0) return exact;
  const same = own.filter(({ header }) => header.command === subject.command);
  const unknown = same.filter(({ header }) => header.project === '-' || subject.project === '-');
  return same.length === 1 ? unknown : [];
}

/** The only issue of this subject: opened or reopened on drift, else closed. Returns its URL; undefined if none is needed. */
function keepIssue(forge: Forge, subject: CommentSubject, issue: Issue): Promise<string | undefined> {
  const { label, open } = issue;
  return untilAnswered(async () => {
    const own = (await forge.issues(label)).filter(({ header }) => sameSubject(header, subject));
    const [first, ...others] = own.filter((one) => one.open);
    // Two simultaneous runs may each have opened one.
    for (const { id, body } of others) await forge.putIssue({ ...issue, body, open: false }, id);
    const kept = first ?? (open ? own[0] : undefined);
    if (kept === undefined && !open) return undefined;
    return forge.putIssue(issue, kept?.id);
  });
}
