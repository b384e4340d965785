import { requireMerged } from '../../core/command/event.ts';
import type { Io } from '../../core/command/io.ts';
import type { CommonOptions } from '../../core/command/options.ts';
import { presentAnswer } from '../../core/command/output/present.ts';
import { CommandFailure, usage, warning } from '../../core/diagnostics/diagnostic.ts';
import { isRestorable } from '../../core/documents/drift.ts';
import { DRIFT_FORMAT } from '../../core/model/generated/drift.ts';
import { FLEET_FORMAT } from '../../core/model/generated/fleet-report.ts';
import { REPORT_FORMAT } from '../../core/model/generated/report.ts';
import { DIGEST_HINT } from '../../core/plan/guardrails/override.ts';
import { openGit } from '../../core/project/git.ts';
import { mergeBase } from '../../core/project/git-commands.ts';
import { markdownText } from '../../core/render/markdown/escape.ts';
import { minuteOf } from '../../core/render/words.ts';
import type { Forge, Issue, OwnText } from '../forge/forge.ts';
import { untilAnswered } from '../forge/rest.ts';
import {
  findReviewed,
  type JobDocument,
  type ReadReport,
  readReport,
  readReviewed,
  requireHead,
} from './reviewed.ts';
import {
  type CommentAbout,
  type CommentRun,
  type CommentSubject,
  footOf,
  MERGING,
  sameSubject,
  sinceOf,
  wayOn,
  withForge,
  withHeader,
  withSince,
} from './run.ts';

export interface CommentOptions extends CommonOptions, CommentAbout {
  /** `reviewed`, `none` or a digest. */
  readonly expect?: string;
  /** The earlier commit to go back to. */
  readonly rollback?: string;
  /** The folder that `comment reviewed` wrote. */
  readonly reviewed?: string;
  /** Whether a comment says what came of an apply. */
  readonly tell: boolean;
  /** The run keeps a page among its artifacts. */
  readonly page?: boolean;
  readonly label?: string;
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

/** Also after a failure: the comment must not show an earlier plan. */
async function plan(name: string, { page }: CommentOptions, run: CommentRun): Promise<readonly string[]> {
  const { event, forge, io } = run;
  const { request } = run.words;
  if (event.pull === undefined)
    throw usage(`this job is not of a ${request}`, 'Only its plan gets a comment.');
  const reported = readReport(name, io);
  const { code, header, markdown } = reported;
  if (code === INTERRUPTED) return nothing('The plan was interrupted. The comment stays as it is.', run);
  const subject = subjectOf('plan', reported, run);
  // `expect: reviewed` relies on this digest. A refused plan must not be applied, even if only the base's guardrails refuse it. In
  // a fleet, all accounts must have a plan, because otherwise nobody saw the missing changes.
  const behind = await isBehind(run);
  const digest = !behind && (code === DONE || code === DIFFERENCES) ? header?.digest : undefined;
  const missing = `There is no plan of this ${request}: the job that makes it failed. Its log says why.\n`;
  const merging = digest === undefined ? '' : `${MERGING} `;
  const base = event.pull.baseRef;
  const report = behind ? `## Plan\n\n**None**: ${markdownText(lacking(base))}\n` : (markdown ?? missing);
  const body = `${withHeader(report, subject, digest)}\n---\n${merging}${footOf(run, page)}`;
  const url = await keepComment(forge, event.pull.number, subject, body);
  if (!behind) return [url];
  throw CommandFailure.of(4, 'behind-base', lacking(base), `Merge ${base} into it, and push.`);
}

function lacking(base: string): string {
  return `this branch lacks commits of ${base}; its plan would take what they changed for edits on the service`;
}

/** Whether the branch lacks commits of its base. On a host that merges for trial, the job runs on that merge and lacks none. */
async function isBehind({ event: { pull, sha }, forge, io }: CommentRun): Promise<boolean> {
  if (pull?.headSha !== sha) return false;
  const tip = await forge.head(pull.baseRef);
  const opened = openGit(io.cwd, io.env);
  const shared = 'git' in opened ? opened.git.ask(mergeBase(tip, sha)) : undefined;
  return shared?.ok !== true || shared.text.trim() !== tip;
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
  const { code, markdown, header, document } = readReport(name, io);
  if (before?.due !== true || code === SUPERSEDED)
    return nothing('Nothing was done. No comment is written.', run);
  const { refused, base, tell, place, commit, rollback } = before;
  const missing = `There is no report of the apply: it was cut off, or did not begin. The log of the ${words.run} says which.\n`;
  const [report, ended, digest] =
    refused === undefined
      ? [markdown ?? missing, code ?? FAILED, header?.digest]
      : [`## Apply\n\n**Refused**: ${markdownText(refused)}\n`, REFUSED, undefined];
  const subject = subjectOf('apply', refused === undefined ? { header } : {}, run);
  const way = wayOn(ended, digest, base ?? undefined, run);
  const body = `${withHeader(report, subject, digest)}${way}\n---\n${footOf(run)}`;
  const urls: string[] = [];
  try {
    for (const pull of tell) urls.push(await keepComment(forge, pull, subject, body));
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const what = `the ${words.request} could not get a comment about this apply: ${error.message}`;
    run.tell(warning('forge-error', what, error.diagnostics[0]?.hint));
  }
  const isNew = !words.deploys && (rollback !== undefined || base !== commit);
  if (ended === DONE && isNew && !(before.first && leavesSomething(document)))
    await untilAnswered(() => forge.recordApplied(event, rollback ?? commit, place));
  return urls;
}

/**
 * Whether `--only` left something as it is on the service. Without a record of an earlier apply nobody knows whether people wanted it
 * so, or whether it was never applied.
 */
function leavesSomething(document: JobDocument | null | undefined): boolean {
  if (document?.format === FLEET_FORMAT)
    return document.units.some((unit) => leavesSomething(unit.document as JobDocument));
  return document?.format === REPORT_FORMAT && 'left' in document && (document.left ?? []).length > 0;
}

/** Maintains the issue about drift. A report that could not be made leaves it unchanged. */
async function drift(name: string, { label }: CommentOptions, run: CommentRun): Promise<readonly string[]> {
  const { event, forge, words, clock, io } = run;
  const reported = readReport(name, io);
  const { code, markdown, document } = reported;
  // A fleet has a report even if an account could not be read. The issue says so.
  const isKnown =
    code === DONE || code === DIFFERENCES || (document?.format === FLEET_FORMAT && code !== INTERRUPTED);
  if (!isKnown || markdown === undefined)
    return nothing('There is no report. The issue stays as it is.', run);
  const subject = subjectOf('drift', reported, run);
  const { project, environment } = subject;
  const open = code !== DONE;
  const now = new Date(clock.now()).toISOString();
  const url = await keepIssue(forge, subject, (since = now) => {
    // The issue records when it first reported this drift. The present drift may be the same or another one.
    const seen = open ? `First seen ${minuteOf(since)}; l` : 'L';
    const foot = `\n---\n${seen}ast checked by [this ${words.run}](${event.runUrl}).\n`;
    const body = `${withHeader(markdown, subject, undefined)}${restoring(document, run)}${foot}`;
    return {
      title: `tradeform: ${environment === '-' ? project : `${project} (${environment})`} differs from git`,
      body: open ? withSince(body, since) : body,
      label: label ?? LABEL,
      open,
    };
  });
  return url === undefined ? [] : [url];
}

/** How CI restores what git wants, with the digest of the plan that does it. Empty if no apply changes anything. */
function restoring(document: JobDocument | undefined, { event }: CommentRun): string {
  if (document?.format !== DRIFT_FORMAT && document?.format !== FLEET_FORMAT) return '';
  const parts = document.format === DRIFT_FORMAT ? [document] : document.units.map((unit) => unit.document);
  if (!parts.some((part) => part?.format === DRIFT_FORMAT && isRestorable(part))) return '';
  const how = `${RESTORE[event.host]} = \`${document.digest}\``;
  return `\n**What to do next.** To restore the state in git everywhere, ${how}. To keep some of it, first export that into git: the next report has the digest of the rest.\n`;
}

const BY_HAND = 'run the apply workflow by hand with `only` = `all` and `expect`';
const RESTORE = {
  github: BY_HAND,
  gitea: BY_HAND,
  gitlab: 'run the pipeline of the default branch by hand with an empty `TRADEFORM_ONLY` and `EXPECT`',
} as const;
const LABEL = 'tradeform-drift';
const [DONE, FAILED, DIFFERENCES, REFUSED, SUPERSEDED, INTERRUPTED] = [0, 1, 2, 4, 5, 130];

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
  body: string,
): Promise<string> {
  return untilAnswered(async () => {
    const [first, ...others] = commentsAbout(await forge.comments(pull), subject);
    // Two simultaneous runs may each have written one.
    for (const { id } of others) await forge.deleteComment(pull, id);
    return forge.putComment(pull, body, first?.id);
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

/**
 * Maintains the only issue of this subject: opens or reopens it on drift, updates it while the drift lasts, and closes it
 * afterwards. `issue`: its text, with the time since when the drift has been reported. Returns its URL; undefined if there is none
 * and none is needed.
 */
function keepIssue(
  forge: Forge,
  subject: CommentSubject,
  issue: (since: string | undefined) => Issue,
): Promise<string | undefined> {
  const { label, open } = issue(undefined);
  return untilAnswered(async () => {
    const own = (await forge.issues(label)).filter(({ header }) => sameSubject(header, subject));
    const [first, ...others] = own.filter((one) => one.open);
    // Two simultaneous runs may each have opened one.
    for (const { id, body } of others) await forge.putIssue({ ...issue(undefined), body, open: false }, id);
    const kept = first ?? (open ? own[0] : undefined);
    if (kept === undefined && !open) return undefined;
    return forge.putIssue(issue(first === undefined ? undefined : sinceOf(first.body)), kept?.id);
  });
}
