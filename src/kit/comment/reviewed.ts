import { readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { requireMerged } from '../../core/command/event.ts';
import type { Io } from '../../core/command/io.ts';
import { showDiagnostics } from '../../core/command/show-diagnostics.ts';
import { writeProjectFile } from '../../core/command/unwritten.ts';
import { CommandFailure, note, usage, warning } from '../../core/diagnostics/diagnostic.ts';
import { CODE_OF_OUTCOME } from '../../core/model/exit-codes.ts';
import { DRIFT_FORMAT, type DriftReport } from '../../core/model/generated/drift.ts';
import type { FleetReport } from '../../core/model/generated/fleet-report.ts';
import { PLAN_FORMAT, type Plan } from '../../core/model/generated/plan.ts';
import { REPORT_FORMAT, type Report } from '../../core/model/generated/report.ts';
import type { ResultDocument } from '../../core/model/generated/result.ts';
import { isObject, parseJson } from '../../core/model/json.ts';
import { isRefusedAnew } from '../../core/plan/review/provenance.ts';
import { goalOf } from '../../core/project/door/straying.ts';
import { askGit, openGit } from '../../core/project/git.ts';
import { commits, firstParents, indexedFiles } from '../../core/project/git-commands.ts';
import { headerOf, type WrittenHeader } from '../../core/render/markdown/header.ts';
import { jsonText } from '../../core/render/result.ts';
import type { Merged } from '../forge/forge.ts';
import { byHandAnew, type CommentRun, type CommentSubject, sameSubject } from './run.ts';

/** What is known before an apply: `tradeform comment reviewed` writes it, `apply --reviewed` and `comment result` read it. */
export interface Reviewed {
  readonly commit: string;
  /** False if the commit was applied whole before, which used up its reviews. */
  readonly due: boolean;
  /** The last commit that was applied whole. Null before the first of them. */
  readonly base: string | null;
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

/** In the folder. */
const FILE = 'reviewed.json';

/** Undefined if nothing was found out. Fails (exit 4) for files of the repository. */
export function readReviewed(folder: string, io: Pick<Io, 'cwd' | 'env'>): Reviewed | undefined {
  requireWritten([folder], io);
  return documentIn<Reviewed>(join(folder, FILE), io);
}

/**
 * Finds out whether the apply of this commit is due, what it goes out from, and what the reviewers saw of the changes that were
 * merged since then. `expect`: `reviewed`, `none` or a digest. `rollback`: the earlier commit that is applied instead. Fails with 5 if
 * the branch has a newer commit, whose own run carries out what is left of this one, and with 4 if nobody reviewed a plan. The first
 * apply of all is one by hand, of everything.
 */
export async function findReviewed(
  folder: string,
  { expect, rollback: back }: { readonly expect: string; readonly rollback?: string },
  run: CommentRun,
): Promise<void> {
  const { event, io } = run;
  requireMerged('apply', event);
  const { sha } = event;
  await requireHead(run);
  const subject = run.subject('apply');
  const given = expect !== 'reviewed';
  const place = placeOf(subject, run);
  const line = firstParentsOf(sha, run);
  const rollback = back === undefined ? {} : { rollback: earlier(back, given, line, run) };
  // Only a whole apply is recorded: a run that is started again has the same base, and what a dropped one left is made up.
  const applied = await run.forge.lastApplied(line, place);
  const base = applied?.commit;
  const since = line.slice(0, applied?.index ?? 1);
  const due = given || since.length > 0;
  const found = { commit: sha, due, given, base: base ?? null, expect: [], place, tell: [], ...rollback };
  const write = async (name: string, text: string) =>
    writeProjectFile({ path: resolve(io.cwd, folder, name), text, name: join(folder, name) });
  const writeDown = (more: Partial<Reviewed>) => write(FILE, jsonText({ ...found, ...more }));
  if (!due) return writeDown({});
  // The approval of an earlier commit is used up.
  const made = since.length === 0 ? [sha] : since;
  const { pulls } = await broughtBy(made, run.event.branch, run, given ? 1 : LOOKS);
  const told = { tell: pulls.map(({ pull }) => pull) };
  try {
    if (base === undefined && (!given || run.only !== undefined))
      throw notReviewed('nothing was applied before, so nobody can tell what is left', base, run);
    if (given) return await writeDown({ ...told, expect: expect === 'none' ? [] : [expect] });
    const plans = await reviewedPlans(base, pulls, subject, run);
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
  const { sha, branch = '' } = event;
  refuseSuperseded(sha, await forge.head(branch), branch, hint);
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

/** The commits of the branch up to this one, the newest first; only that one if the checkout has no other. */
function firstParentsOf(sha: string, { io }: CommentRun): readonly string[] {
  return askGit(firstParents(sha, MOST_COMMITS), io.cwd, io.env)?.split('\n') ?? [sha];
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

/** A forge may need some seconds to know what was merged. */
const LOOKS = 4;
const BETWEEN_MS = 2_000;

/** The pull requests that brought these commits, the newest first, each once, and the commits that none brought. */
async function broughtBy(
  commits: readonly string[],
  branch = '',
  { forge, clock }: CommentRun,
  most = LOOKS,
) {
  for (let looks = 1; ; looks += 1) {
    const merged = await forge.merged(commits, branch);
    const alone = commits.filter((one) => !merged.some(({ commit }) => commit === one));
    const pulls = [...new Map(merged.map((one) => [one.pull, one])).values()];
    if (alone[0] !== commits[0] || looks >= most) return { pulls, alone };
    await clock.sleep(BETWEEN_MS);
  }
}

/**
 * What the reviewers of these pull requests saw, from our own comments there. Fails (4) if none of them has a comment with a plan, or if
 * one must not be trusted. A pull request without such a comment approves nothing, and this is reported.
 */
async function reviewedPlans(
  base: string | undefined,
  pulls: readonly Merged[],
  subject: CommentSubject,
  run: CommentRun,
) {
  const { request } = run.words;
  const { found, missing, wrong } = await plansOn(pulls, subject, run);
  if (wrong[0] !== undefined) throw notReviewed(wrong[0], base, run);
  const none = `no ${request} was merged as ${run.event.sha.slice(0, 12)}, so nobody reviewed its plan`;
  if (found.length === 0) throw notReviewed(missing[0] ?? none, base, run);
  for (const { pull, digest, url } of found)
    run.say(`The ${request} ${pull} was reviewed with plan ${digest}: ${url}`);
  const notes = missing.map((text) => note('not-reviewed', `${text}. It does not count as reviewed`));
  if (notes.length > 0) showDiagnostics(notes, run.io);
  return found;
}

/** The plans that these pull requests show, and why others do not count: some hold up an apply. */
async function plansOn(pulls: readonly Merged[], { command, ...of }: CommentSubject, run: CommentRun) {
  const found: { digest: string; pull: number; body: string; url: string }[] = [];
  const [missing, wrong]: [string[], string[]] = [[], []];
  const subject = { ...of, command: command.replace(/apply$/, 'plan') };
  for (const { pull, at } of pulls) {
    const about = `${run.words.request} ${pull}, project ${of.project}${of.environment === '-' ? '' : `, environment ${of.environment}`}`;
    const own = await run.forge.comments(pull);
    const [comment, ...others] = own.filter(({ header }) => sameSubject(header, subject));
    const digest = comment?.header.digest;
    const late = [comment, ...others].find((one) => one && !(Date.parse(one.updated) <= Date.parse(at)));
    if (late !== undefined)
      wrong.push(`the comment with the plan was written or edited after the merge: ${about}, ${late.url}`);
    else if (others.some(({ header }) => header.digest !== digest))
      wrong.push(`two comments disagree: ${about}`);
    else if (comment === undefined) missing.push(`no comment of this account shows a plan: ${about}`);
    else if (digest === undefined) missing.push(`the comment shows no plan that counts: ${about}`);
    else found.push({ digest, pull, body: comment.body, url: comment.url });
  }
  return { found, missing, wrong };
}

/** What came into the branch up to this commit since the last whole apply, if any, without a plan that reviewers saw. */
export async function unreviewedBefore(base: string, run: CommentRun): Promise<readonly string[]> {
  const { event, forge, io } = run;
  const subject = run.subject('apply');
  const line = firstParentsOf(base, run);
  const applied = await forge.lastApplied(line, placeOf(subject, run));
  const since = line.slice(0, applied?.index ?? 0);
  if (since.length === 0) return [];
  const { pulls, alone } = await broughtBy(since, event.pull?.baseRef, run);
  const { missing, wrong } = await plansOn(pulls, subject, run);
  const told = (commit: string) => {
    const how = commits(['--max-count=1', commit], undefined, '%an, “%s”');
    return askGit(how, io.cwd, io.env)?.replace(/^.*\n(?:\S+ ){3}/, '') ?? 'unknown';
  };
  return [...alone.map((one) => `commit ${one.slice(0, 12)} by ${told(one)}`), ...wrong, ...missing];
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
