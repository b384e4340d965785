import { readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { requireMerged } from '../../core/command/event.ts';
import { CODE_OF_OUTCOME } from '../../core/command/exit-codes.ts';
import type { Io } from '../../core/command/io.ts';
import { writeProjectFile } from '../../core/command/unwritten.ts';
import { CommandFailure, note, usage, warning } from '../../core/diagnostics/diagnostic.ts';
import { DRIFT_FORMAT, type DriftReport } from '../../core/model/generated/drift.ts';
import type { FleetReport } from '../../core/model/generated/fleet-report.ts';
import { PLAN_FORMAT, type Plan } from '../../core/model/generated/plan.ts';
import { REPORT_FORMAT, type Report } from '../../core/model/generated/report.ts';
import type { ResultDocument } from '../../core/model/generated/result.ts';
import { isObject, parseJson } from '../../core/model/json.ts';
import { isRefusedAnew } from '../../core/plan/review/provenance.ts';
import { goalOf } from '../../core/project/door/straying.ts';
import { openGit } from '../../core/project/git.ts';
import { firstParents, indexedFiles } from '../../core/project/git-commands.ts';
import { headerOf, type WrittenHeader } from '../../core/render/markdown/header.ts';
import { jsonText } from '../../core/render/result.ts';
import { byHandAnew, type CommentRun, type CommentSubject, sameSubject } from './run.ts';

/** What is known before an apply: `tradeform comment reviewed` writes it, `apply --reviewed` and `comment result` read it. */
export interface Reviewed {
  readonly commit: string;
  /** False if the commit was applied whole before, which used up its reviews. */
  readonly due: boolean;
  /** The last commit that was applied whole; before the first of them, the branch before the push. Null if neither is known. */
  readonly base: string | null;
  /** Nothing was recorded before. */
  readonly first: boolean;
  /** Somebody said what to expect, whatever was reviewed. */
  readonly given: boolean;
  /** Digests of approved plans, or names of files with them. Empty if somebody said that none is expected. */
  readonly expect: readonly string[];
  /** Where the forge records what was applied. */
  readonly place: string;
  /** The pull requests that are told what came of the apply. */
  readonly tell: readonly number[];
  /** The earlier commit that is applied instead. */
  readonly rollback?: string;
  /** Why nothing was approved. */
  readonly refused?: string;
}

interface ReviewedOptions {
  readonly expect: string;
  readonly tell: boolean;
  readonly rollback?: string | undefined;
}

/** In the folder. */
const FILE = 'reviewed.json';

/** Undefined if nothing was found out. Fails (exit 4) for files of the repository. */
export function readReviewed(folder: string, io: Pick<Io, 'cwd' | 'env'>): Reviewed | undefined {
  requireWritten([folder], io);
  return documentIn<Reviewed>(join(folder, FILE), io);
}

/**
 * Finds out whether the apply of this commit is due, what it goes out from, and what the reviewers saw of the changes that were
 * merged since then. `expect`: `reviewed`, `none` or a digest. `tell`: whether people are told what comes of it. `rollback`: the
 * earlier commit that is applied instead. Fails with 5 if the branch has a newer commit, whose own run carries out what is left of
 * this one, and with 4 if nobody reviewed a plan.
 */
export async function findReviewed(
  folder: string,
  { expect, tell, rollback: back }: ReviewedOptions,
  run: CommentRun,
): Promise<void> {
  const { event, io } = run;
  requireMerged('apply', event);
  const { sha } = event;
  await requireHead(run);
  const subject = run.subject('apply');
  const given = expect !== 'reviewed';
  const place = placeOf(subject, run);
  const line = firstParentsOf(run);
  const rollback = back === undefined ? {} : { rollback: earlier(back, given, line, run) };
  const from = await applyBase(line, place, given && expect !== 'none', run);
  const due = given || from.since.length > 0;
  const found = {
    ...{ commit: sha, due, given, base: from.base ?? null, first: from.first, expect: [], place, tell: [] },
    ...rollback,
  };
  const write = async (name: string, text: string) =>
    writeProjectFile({ path: resolve(io.cwd, folder, name), text, name: join(folder, name) });
  const writeDown = (more: Partial<Reviewed>) => write(FILE, jsonText({ ...found, ...more }));
  if (!due) return writeDown({});
  const pulls = await pullsOf(given, tell, from, run);
  const told = { tell: tell ? pulls : [] };
  if (given) return writeDown({ ...told, expect: expect === 'none' ? [] : [expect] });
  try {
    const plans = await reviewedPlans(from, pulls, subject, run);
    // The plan of a fleet is approved as one: what the newest pull request showed.
    if (run.fleet !== undefined)
      return await writeDown({ ...told, expect: plans.map(({ digest }) => digest) });
    for (const { pull, body } of plans) await write(`${pull}.md`, body);
    await writeDown({ ...told, expect: plans.map(({ pull }) => `${pull}.md`) });
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === 4)
      await writeDown({ ...told, refused: error.message });
    throw error;
  }
}

/** The context of a commit status. On GitLab, the environment of the job that applies. */
function placeOf({ command, project, environment }: CommentSubject, { words }: CommentRun): string {
  if (words.deploys) return environment === '-' ? 'production' : environment;
  return `tradeform/${command}/${project}/${environment}`;
}

/** Fails (5) if the branch of this job has a newer commit. */
export async function requireHead({ event, forge }: CommentRun, hint?: string): Promise<void> {
  const { sha, branch } = event;
  if (branch !== undefined) refuseSuperseded(sha, await forge.head(branch), branch, hint);
}

/** A checkout is as old as its job. The forge says what is on the branch now. */
export function refuseSuperseded(
  sha: string,
  head: string,
  branch: string,
  hint = 'The run of the newer commit carries out what is left of this one.',
): void {
  if (head === sha) return;
  const message = `${sha.slice(0, 12)} is superseded by ${head.slice(0, 12)}, the head of ${branch}; nothing was done`;
  throw new CommandFailure(5, [warning('superseded', message, hint)]);
}

/** What an apply goes out from, as the forge recorded it. */
interface ApplyBase {
  readonly base: string | undefined;
  /** Nothing was recorded: the base is the branch before the push, or unknown. */
  readonly first: boolean;
  /** The commits since then on the first-parent line, the newest first. Empty if the newest one was applied whole. */
  readonly since: readonly string[];
}

/** The commits of the branch, the newest first; only that one if the checkout has no other. */
function firstParentsOf({ event: { sha }, io }: CommentRun): readonly string[] {
  const opened = openGit(io.cwd, io.env);
  const asked = 'git' in opened ? opened.git.ask(firstParents(sha, MOST_COMMITS)) : undefined;
  return asked?.ok === true ? asked.stdout.toString('latin1').trim().split('\n') : [sha];
}

/** The whole hash of an earlier commit of the branch. Nobody reviewed that it is applied again, so it needs a digest, or `none`. */
function earlier(commit: string, given: boolean, line: readonly string[], run: CommentRun): string {
  if (run.fleet !== undefined)
    throw usage('--rollback cannot be combined with --fleet', 'Roll back one account: `tradeform rollback`.');
  const [found, ...others] = line.slice(1).filter((one) => one.startsWith(commit));
  if (found === undefined || others.length > 0 || commit.length < 7)
    throw usage(`--rollback ${commit} is not an earlier commit of the branch`, 'Write the hash of one.');
  if (given) return found;
  const hint = `Set \`${run.words.expect}\` to the digest that \`tradeform rollback ${commit}\` shows, or to \`none\`.`;
  throw usage('nobody reviewed a rollback', hint);
}

/** How many commits are looked at. Every push leaves a record on its last commit. */
const MOST_COMMITS = 100;

/**
 * The base of an apply. A run that is started again has the same one as the first, because only a whole apply is recorded. What a
 * failed, cancelled or dropped run left is since the base, and made up.
 */
async function applyBase(
  line: readonly string[],
  place: string,
  hasDigest: boolean,
  { event, forge }: CommentRun,
): Promise<ApplyBase> {
  const applied = await forge.lastApplied(line, place);
  if (applied !== undefined)
    return { base: applied.commit, first: false, since: line.slice(0, applied.index) };
  // Nothing was recorded yet. Whoever approves a digest by hand means the newest commit.
  const base = event.before ?? (event.byHand && hasDigest ? line[1] : undefined);
  const end = base === undefined ? -1 : line.indexOf(base);
  return { base, first: true, since: line.slice(0, end < 1 ? 1 : end) };
}

/** A forge may need some seconds to know what was merged. */
const LOOKS = 4;
const BETWEEN_MS = 2_000;

/**
 * The pull requests that were merged since the base, the one of the last commit first. An approval is used up once its merge was
 * applied whole, so earlier ones do not count. Fails (4) if more than one was merged as the last commit. If they only get a comment,
 * nothing fails without them.
 */
async function pullsOf(
  given: boolean,
  tell: boolean,
  { base, since }: ApplyBase,
  run: CommentRun,
): Promise<readonly number[]> {
  const { event, forge, clock, words } = run;
  const { sha, branch } = event;
  if (given && !tell) return [];
  try {
    const look = () => forge.merged([sha, ...since.filter((commit) => commit !== sha)], branch);
    let merged = await look();
    for (let looks = 1; merged.length === 0 && !given && looks < LOOKS; looks += 1) {
      await clock.sleep(BETWEEN_MS);
      merged = await look();
    }
    const last = merged.filter(({ commit }) => commit === sha).map(({ pull }) => pull);
    if (last.length < 2) return merged.map(({ pull }) => pull);
    const said = `several ${words.request}s were merged as ${sha.slice(0, 12)}: ${last.join(', ')}`;
    throw notReviewed(said, base, run);
  } catch (error) {
    if (!given || !(error instanceof CommandFailure)) throw error;
    run.tell(note('forge-error', `no ${words.request} gets a comment about this apply: ${error.message}`));
    return [];
  }
}

interface ReviewedPlan {
  readonly digest: string;
  readonly pull: number;
  /** The comment. Its hidden lines say what was approved. */
  readonly body: string;
}

/**
 * What the reviewers of the merged pull requests saw, from our own comments there. Fails with 4 if there is no such pull request, if
 * none of them has a comment with a plan, or if comments on one of them disagree. A pull request without such a comment approves
 * nothing, and this is reported.
 */
async function reviewedPlans(
  { base }: ApplyBase,
  pulls: readonly number[],
  { command, ...of }: CommentSubject,
  run: CommentRun,
): Promise<readonly ReviewedPlan[]> {
  const { event, forge } = run;
  const { request } = run.words;
  const found: ReviewedPlan[] = [];
  const missing: string[] = [];
  for (const pull of pulls) {
    const about = `${request} ${pull}, project ${of.project}${of.environment === '-' ? '' : `, environment ${of.environment}`}`;
    const subject = { ...of, command: command.replace(/apply$/, 'plan') };
    const [comment, ...others] = (await forge.comments(pull)).filter(({ header }) =>
      sameSubject(header, subject),
    );
    const digest = comment?.header.digest;
    if (others.some(({ header }) => header.digest !== digest))
      throw notReviewed(`two comments disagree: ${about}`, base, run);
    if (comment === undefined) missing.push(`no comment of this account shows a plan: ${about}`);
    else if (digest === undefined)
      missing.push(`the comment contains no plan, because planning failed: ${about}`);
    else {
      run.say(`The ${request} ${pull} was reviewed with plan ${digest}: ${comment.url}`);
      found.push({ digest, pull, body: comment.body });
    }
  }
  const [first = `no ${request} was merged as ${event.sha.slice(0, 12)}, so nobody reviewed its plan`] =
    missing;
  if (found.length === 0) throw notReviewed(first, base, run);
  for (const text of missing) run.tell(note('not-reviewed', `${text}. It does not count as reviewed`));
  return found;
}

function notReviewed(message: string, base: string | undefined, run: CommentRun): CommandFailure {
  const hint = `To apply it, ${byHandAnew(run, base)}; \`none\` applies without a review.`;
  return CommandFailure.of(4, 'not-reviewed', message, hint);
}

/** What a command wrote with `--report json=NAME.json --report markdown=NAME.md`. */
export interface ReadReport {
  /** The exit code of the command. Undefined if it could not even write a report. */
  readonly code: number | undefined;
  readonly document: JobDocument | undefined;
  readonly markdown: string | undefined;
  readonly header: WrittenHeader | undefined;
}

/** Reads the reports of an earlier step or job. Fails (exit 4) for files of the repository: no job wrote them. */
export function readReport(name: string, io: Pick<Io, 'cwd' | 'env'>): ReadReport {
  requireWritten([`${name}.json`, `${name}.md`], io);
  const markdown = fileText(resolve(io.cwd, `${name}.md`));
  const document = documentIn<JobDocument>(`${name}.json`, io);
  return {
    code: document === undefined ? undefined : codeOf(document),
    document,
    markdown,
    header: markdown === undefined ? undefined : headerOf(markdown),
  };
}

/** With the digest of a refused plan, if the command failed. */
export type JobDocument =
  | Plan
  | Report
  | DriftReport
  | FleetReport
  | (ResultDocument & { readonly digest?: string });

function codeOf(document: JobDocument): number {
  switch (document.format) {
    case PLAN_FORMAT:
      return isRefusedAnew(document) ? 4 : 0;
    case REPORT_FORMAT:
      return CODE_OF_OUTCOME[document.outcome];
    case DRIFT_FORMAT:
      return !document.complete ? 4 : document.drift ? 2 : 0;
    default:
      return document.exit_code;
  }
}

/** Fails (exit 4) if git has one of these files: a commit could bring what only a job may write. */
function requireWritten(files: readonly string[], { cwd, env }: Pick<Io, 'cwd' | 'env'>): void {
  const opened = openGit(cwd, env);
  if (!('git' in opened)) return;
  const { git } = opened;
  for (const file of files) {
    const path = relative(git.place.top, resolve(git.place.top, git.place.inside, file)).replaceAll(sep, '/');
    if (path.startsWith('..')) continue;
    const answer = git.ask(indexedFiles(path));
    if (answer.ok && answer.stdout.length === 0) continue;
    const message = `${file} is a file of the repository: what a job approves or reports comes from a job alone`;
    throw CommandFailure.of(4, 'not-reviewed', message, 'Remove the file from the repository.');
  }
}

/** A JSON object that an earlier step or job wrote. Undefined if there is no such file. Fails (exit 3) for anything else. */
function documentIn<Written extends object>(name: string, { cwd }: Pick<Io, 'cwd'>): Written | undefined {
  const text = fileText(resolve(cwd, name));
  if (text === undefined) return undefined;
  const document = parseJson(text);
  if (isObject(document)) return document as unknown as Written;
  throw CommandFailure.of(3, 'document-invalid', `${name} is not what tradeform wrote`, 'Run the job again.');
}

/** Undefined if there is no such file. */
export function fileText(path: string): string | undefined {
  try {
    return readFileSync(goalOf(path), 'utf8');
  } catch {
    return undefined;
  }
}
