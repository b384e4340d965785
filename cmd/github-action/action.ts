import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { VERSION } from '../../src/command/version.ts';
import { CommandFailure, usage } from '../../src/diagnostics/diagnostic.ts';
import { type JobDocument, type ReadReport, refuseSuperseded } from '../../src/features/comment/reviewed.ts';
import { readEvent, requireKnown, requireMerged } from '../../src/forge/event.ts';
import { usingForge } from '../../src/forge/open.ts';
import { FLEET_FORMAT } from '../../src/model/generated/fleet-report.ts';
import { PLAN_FORMAT } from '../../src/model/generated/plan.ts';
import { REPORT_FORMAT, type Report } from '../../src/model/generated/report.ts';
import { RESULT_FORMAT } from '../../src/model/generated/result.ts';
import { type Git, openGit } from '../../src/project/git.ts';
import { commitOf, mergeBase } from '../../src/project/git-commands.ts';
import { Masking } from '../../src/render/masking/masking.ts';
import { type Inputs, readInputs } from './inputs.ts';
import { type ActionRun, type Log, openLog, type StartTradeform } from './run.ts';

/** Checks for drift and maintains the issue. Returns the exit code: drift that an issue reports is no failure of the run. */
async function driftInAction(run: ActionRun): Promise<number> {
  const { inputs, log } = run;
  if (!isMerge(inputs)) requireNamedService(run, 'drift');
  const { code } = await runReporting(run, 'drift', []);
  log.output('exit-code', String(code));
  log.output('changed', String(code === DIFFERENCES));
  if (inputs.shard !== undefined) return code === DIFFERENCES ? 0 : code;
  if (!inputs.issue) return code;
  const failed = await commented(run, 'drift', ['--label', inputs.issueLabel], 'issue-url');
  return failed || (code === DIFFERENCES ? 0 : code);
}

interface Surroundings extends Pick<ActionRun, 'env' | 'start'> {
  write(text: string): void;
}

/** One step of a workflow, from its environment to its exit code. Never throws. */
export async function runAction({ env, start, write }: Surroundings): Promise<number> {
  const forgeToken = env.GITHUB_TOKEN?.trim() ?? '';
  const masking = new Masking();
  for (const one of [forgeToken, env.TRADEFORM_TOKEN?.trim() ?? '']) masking.learnToken(one);
  const log = openLog(write, env, masking);
  const folder = mkdtempSync(join(env.RUNNER_TEMP || tmpdir(), 'tradeform-'));
  try {
    const inputs = readInputs(env);
    for (const one of Object.values(inputs.tokens)) masking.learnToken(one);
    const event = readEvent(env);
    const cwd = resolve(env.GITHUB_WORKSPACE ?? '.', inputs.workingDirectory);
    const run = { inputs, event, env, log, start, cwd, folder, forgeToken, masking };
    return await carryOut(inputs.repository === undefined ? run : inOther(run, inputs.repository));
  } catch (error) {
    return fail(log, error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The run with the branch of another repository, which is checked out, in place of its own: whoever can write to that one reads no
 * secret of this one. What the host says of it is asked there.
 */
function inOther(run: ActionRun, named: string): ActionRun {
  requireMerged(run.inputs.command, run.event);
  const [, repository, branch] = /^([\w.-]+\/[\w.-]+)@([\w./-]+)$/.exec(named) ?? [];
  if (repository === undefined)
    throw usage(`repository is not OWNER/NAME@BRANCH: ${named}`, 'action.yml describes the inputs.');
  const opened = openGit(run.cwd, run.env);
  const head = 'git' in opened ? opened.git.ask(commitOf('HEAD')) : undefined;
  if (head?.ok !== true)
    throw usage(`there is no checkout of ${repository}`, 'Give actions/checkout the same `repository`.');
  const env = {
    ...{ ...run.env, GITHUB_RUN_REPOSITORY: run.env.GITHUB_REPOSITORY, GITHUB_REPOSITORY: repository },
    ...{ GITHUB_REF: `refs/heads/${branch}`, GITHUB_SHA: head.text.trim(), GITHUB_EVENT_PATH: undefined },
  };
  return { ...run, env, event: readEvent(env) };
}

/** The operator's switch. Its output is the log of the step. */
async function switchInAction(run: ActionRun): Promise<number> {
  const { command, chosen, fleet, arguments: more } = run.inputs;
  const file = join(run.folder, 'switch.json');
  const resumes = command === 'resume';
  if (resumes) await requireNewest(run);
  const save = resumes && fleet === undefined ? ['--save', file] : [];
  const line = [...chosen.options, ...save, ...more, ...chosen.names];
  const { code } = await runTradeform(run, command, line, { gets: 'service' });
  if (existsSync(file)) {
    const { digest } = JSON.parse(readFileSync(file, 'utf8')) as Report;
    run.log.output('digest', digest ?? '');
  }
  run.log.output('exit-code', String(code));
  return code;
}

/** Fails (5) if the branch has a newer commit: the manifests of this one no longer say how tasks are to trade. */
async function requireNewest({ event, env, forgeToken, masking }: ActionRun): Promise<void> {
  const { sha, branch } = event;
  if (branch === undefined) return;
  const own = { ...env, GITHUB_TOKEN: forgeToken };
  const head = await usingForge(own, VERSION, masking, (forge) => forge.head(branch));
  refuseSuperseded(sha, head, branch, 'Run the workflow once more.');
}

/** The commands that have more to do here than `validate`. */
const MODES = {
  plan: planInAction,
  apply: applyInAction,
  drift: driftInAction,
  pause: switchInAction,
  resume: switchInAction,
  matrix: matrixInAction,
} as const;

const UNPROTECTED =
  'the token that writes is a secret of this repository, and Gitea has no protected environments: whoever can push a branch can read it. Move it and this workflow to a repository of their own, and name this one with `repository` (docs/how-to/gitea.md)';

async function carryOut(run: ActionRun): Promise<number> {
  const { inputs, event, log } = run;
  const { command } = inputs;
  if (command === 'apply' || command === 'pause' || command === 'resume') {
    requireMerged(command, event);
    if (event.host === 'gitea' && inputs.repository === undefined) log.annotate('warning', UNPROTECTED);
  }
  if (command === 'plan' || command === 'drift') requireKnown(command, event);
  const unprivileged = event.pull?.unprivileged;
  if (command === 'drift' && unprivileged !== undefined)
    throw CommandFailure.of(4, 'event-refused', `drift does not run on this pull request: ${unprivileged}`);
  const instead = command === 'plan' && unprivileged !== undefined;
  if (command !== 'validate' && !instead) return MODES[command](run);
  if (instead)
    log.annotate(
      'notice',
      `This pull request is only validated, not planned: ${unprivileged}, and such a run gets no token of the service.`,
    );
  // The further arguments of another command are meant for that command.
  const more = command === 'validate' ? inputs.arguments : [];
  const { code } = await runTradeform(run, 'validate', more, { gets: 'nothing' });
  log.output('exit-code', String(code));
  return code;
}

function fail(log: Log, error: unknown): number {
  const failure =
    error instanceof CommandFailure
      ? error
      : CommandFailure.of(
          1,
          'internal',
          `an unexpected error: ${error instanceof Error ? error.message : String(error)}`,
        );
  for (const { message, hint } of failure.diagnostics)
    log.annotate('error', hint === undefined ? message : `${message}. ${hint}`);
  log.output('exit-code', String(failure.exitCode));
  return failure.exitCode;
}

const DONE = 0;
const DIFFERENCES = 2;
const REFUSED = 4;

/** Options that leave a part of the project out. */
const PARTLY = /^--(?:target|exclude|select|tag|shard)(?:=|$)/;

/**
 * Applies what was reviewed or what `expect` says, and reports the result on the pull request. Returns the exit code: 5 if the
 * branch has a newer commit, whose own run carries out what is left of this one.
 */
async function applyInAction(run: ActionRun): Promise<number> {
  const { event, log, inputs, folder } = run;
  const { branch, defaultBranch, name } = event;
  if (name !== 'merge_group' && defaultBranch !== undefined && branch !== defaultBranch)
    log.annotate(
      'warning',
      `this applies ${run.env.GITHUB_REF}, not the default branch ${defaultBranch}. If this is not intended, name the branch under \`on: push\``,
    );
  const only = inputs.only === 'all' ? [] : ['--only', inputs.only];
  const back = inputs.rollback === undefined ? [] : ['--rollback', inputs.rollback];
  const before = ['--expect', inputs.expect, ...back, ...only, ...(inputs.comment ? [] : ['--no-tell'])];
  const found = await runTradeform(run, 'comment', ['reviewed', folder, ...before], { gets: 'forge' });
  const { code, document } =
    found.code === DONE
      ? await runReporting(run, 'apply', [...only, '--auto-approve', '--reviewed', folder])
      : { ...found, document: undefined };
  const report = document?.format === REPORT_FORMAT ? document : undefined;
  const fleet = document?.format === FLEET_FORMAT ? document : undefined;
  const refused = document?.format === RESULT_FORMAT ? document : undefined;
  log.output('digest', report?.digest ?? fleet?.digest ?? refused?.digest ?? '');
  log.output('changed', String((report?.summary.done ?? fleet?.stakes.changes ?? 0) > 0));
  log.output('exit-code', String(code));
  if (found.code !== DONE && found.code !== REFUSED) return code;
  if (found.code === DONE && code === REFUSED && inputs.expect !== 'none')
    log.annotate(
      'notice',
      `Nothing was changed. To apply the plan above, run this workflow by hand with \`expect\`: ${refused?.digest ?? 'its digest'}`,
    );
  const partly = inputs.arguments.some((line) => PARTLY.test(line)) ? ['--no-record'] : [];
  const after = await commented(run, 'result', ['--reviewed', folder, ...only, ...partly], 'comment-url');
  return code || after;
}

/** Makes a plan. On a pull request it always updates the comment, also after a failure. Returns the exit code. */
async function planInAction(run: ActionRun): Promise<number> {
  const { inputs, event, log } = run;
  const base = isMerge(inputs) ? undefined : baseOf(run);
  if (base === undefined && !isMerge(inputs)) requireNamedService(run, 'plan');
  const args = [
    '--detailed-exitcode',
    ...(inputs.only === 'all' ? [] : ['--only', inputs.only]),
    ...(base === undefined ? [] : ['--base', base]),
  ];
  const { code, document } = await runReporting(run, 'plan', args);
  const fleet = document?.format === FLEET_FORMAT ? document : undefined;
  const made = document?.format === PLAN_FORMAT ? document : undefined;
  log.output('digest', made?.digest ?? fleet?.digest ?? '');
  log.output('changed', String((made?.operations.length ?? fleet?.stakes.changes ?? 0) > 0));
  log.output('exit-code', String(code));
  const html = inputs.arguments.some((line) => /^(?:--report=)?html=/.test(line));
  // actions/upload-artifact refuses an Enterprise Server, and the workflows skip it everywhere else.
  const page = html && run.env.GITHUB_SERVER_URL === 'https://github.com' ? ['--page'] : [];
  const failed =
    inputs.comment && event.pull !== undefined ? await commented(run, 'plan', page, 'comment-url') : 0;
  return failed || (code === DIFFERENCES ? 0 : code);
}
/** The value of `--base`: on a pull request, the commit with which GitHub merged the checked-out trial. */
function baseOf({ inputs, event, env, cwd, log }: ActionRun): string | undefined {
  if (inputs.base === 'none') return undefined;
  if (inputs.base !== 'auto') return inputs.base;
  if (event.pull === undefined) return undefined;
  const { headSha, baseSha, baseRef } = event.pull;
  const opened = openGit(cwd, env);
  if ('git' in opened) {
    const { git } = opened;
    const second = git.ask(commitOf('HEAD^2'));
    if (second.ok && second.text.trim() === headSha) return baseBranch(opened.git, baseRef);
    if (git.ask(mergeBase(baseSha, 'HEAD')).ok) return `${baseSha}...`;
  }
  log.annotate(
    'warning',
    'without earlier commits, differences from before this pull request and changed rules cannot be shown: give actions/checkout `fetch-depth: 0`',
  );
  return undefined;
}

/** The same commit by the name that people know, if the checkout has it. */
function baseBranch(git: Git, baseRef: string): string {
  const commit = (revision: string) => {
    const answer = git.ask(commitOf(revision));
    return answer.ok ? answer.text.trim() : undefined;
  };
  const named = `origin/${baseRef}`;
  return commit(named) === commit('HEAD^1') ? named : 'HEAD^1';
}

const SETTING = '`base-url: ${{ vars.TRADEFORM_BASE_URL }}`';

/** What helps a command without a base to compare the project file with, besides its own base URL. */
const OTHERWISE = {
  plan: 'or give actions/checkout `fetch-depth: 0` and leave `base` at `auto`',
  drift: 'or run drift on a schedule, where the checkout is not a proposal',
} as const;

/**
 * Fails (4) if only the checkout would decide which host gets the token: the event may bring an unmerged project file, nothing
 * outside the repository names the service, and the command has no base. An unset variable reaches the action as an empty text and
 * names nothing.
 */
function requireNamedService({ inputs, event, env }: ActionRun, command: keyof typeof OTHERWISE): void {
  // A fleet file names the hosts itself. Only the fleet file of a base shows what was reviewed.
  const named = inputs.fleet === undefined ? (inputs.baseUrl ?? env.TRADEFORM_BASE_URL?.trim() ?? '') : '';
  if (event.merged || named !== '') return;
  throw CommandFailure.of(
    4,
    'event-refused',
    'only this pull request would decide which host gets the token: base-url is missing or empty, and there is no base to compare with; nothing was sent',
    `Give ${SETTING}, a variable of the repository's settings, ${OTHERWISE[command]}.`,
  );
}

/** GitHub allows 65,536. The difference is for the header and the lines below. */
const MOST_BYTES = '64000';

/** Whether the documents of shards are merged instead of running the command. */
function isMerge({ shard, documents }: Inputs): boolean {
  return documents !== undefined && shard === undefined;
}

/** The reports of the command, without their endings. */
function reportOf({ folder }: ActionRun): string {
  return join(folder, 'report');
}

/**
 * Runs a command that talks to the service, or merges its documents of several jobs. The command itself writes annotations and the
 * step summary.
 */
async function runReporting(
  run: ActionRun,
  command: string,
  args: readonly string[],
): Promise<Pick<ReadReport, 'document'> & { readonly code: number }> {
  const name = reportOf(run);
  const { shard, documents = '', arguments: more } = run.inputs;
  const merging = isMerge(run.inputs);
  const given = merging ? [documents] : [...args, ...(shard === undefined ? [] : ['--shard', shard])];
  const reports = ['--report', `json=${name}.json`, '--report', `markdown=${name}.md`];
  const line = [...given, ...reports, '--max-bytes', MOST_BYTES, ...more];
  const { code } = await runTradeform(run, merging ? 'merge' : command, line, {
    gets: merging ? 'nothing' : 'service',
  });
  const json = existsSync(`${name}.json`) ? readFileSync(`${name}.json`, 'utf8') : undefined;
  const document = json === undefined ? undefined : (JSON.parse(json) as JobDocument);
  if (document?.format === FLEET_FORMAT) {
    if (document.command !== command)
      throw usage(
        `${documents} has documents of ${document.command}, not of ${command}`,
        'Merge those of it.',
      );
    if (shard !== undefined) {
      const folder = resolve(run.cwd, documents);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${shard.replace('/', '-of-')}.json`), json ?? '');
    }
  }
  return { code, document };
}

/** `tradeform comment` about the reports, and the URL of what it wrote as an output. Returns its exit code. */
async function commented(
  run: ActionRun,
  what: 'plan' | 'result' | 'drift',
  args: readonly string[],
  output: string,
): Promise<number> {
  const line = [what, reportOf(run), ...args];
  const { code, stdout } = await runTradeform(run, 'comment', line, { gets: 'forge', keep: true });
  const [url] = stdout.trim().split('\n').slice(-1);
  if (url) run.log.output(output, url);
  if (code !== 0) run.log.output('exit-code', String(code));
  return code;
}

/** Outputs the shards of the fleet, for a matrix of jobs. No token is needed. */
async function matrixInAction(run: ActionRun): Promise<number> {
  const line = ['--for', 'github', ...run.inputs.arguments];
  const { code, stdout } = await runTradeform(run, 'matrix', line, { gets: 'nothing', keep: true });
  if (code === 0) run.log.output('matrix', stdout.trim());
  run.log.output('exit-code', String(code));
  return code;
}

/** Which token the child gets: no command has both. */
type Gets = 'service' | 'forge' | 'nothing';

/** The program as a process in a group of its own. It writes to the streams of this one: the runner reads each by lines. */
export function processOf(program: string): StartTradeform {
  return (args, { cwd, env, keep }) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd,
      env,
      stdio: ['ignore', keep ? 'pipe' : 'inherit', 'inherit'],
      detached: process.platform !== 'win32',
    });
    const ended = new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 1));
    });
    const stdout = child.stdout === null ? Promise.resolve('') : text(child.stdout);
    return { stdout, ended, kill: (signal) => void child.kill(signal) };
  };
}

/**
 * Runs tradeform to its end. `keep`: stdout is returned and not shown. The runner’s signals are passed on one by one, so that the first ends an apply softly and the second
 * at once.
 */
async function runTradeform(
  run: ActionRun,
  command: string,
  args: readonly string[],
  { gets, keep = false }: { readonly gets: Gets; readonly keep?: boolean },
): Promise<{ readonly code: number; readonly stdout: string }> {
  const { cwd, start } = run;
  const child = start([...words(run, command), ...args], { cwd, env: childEnv(run, gets), keep });
  let signalled = 0;
  const pass = () => {
    signalled += 1;
    child.kill(signalled === 1 ? 'SIGINT' : 'SIGTERM');
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, pass);
  try {
    const [code, stdout] = await Promise.all([child.ended, child.stdout]);
    return { code, stdout };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw CommandFailure.of(1, 'internal', `tradeform could not be started in ${cwd}: ${code}`);
  } finally {
    for (const name of signals) process.off(name, pass);
  }
}

/** Variables of the runner, and those meant only for this program. */
const OURS = /^(?:INPUT_|ACTIONS_)|^GITHUB_(?:TOKEN|OUTPUT|ENV|PATH|STATE)$/;
const SERVICE_TOKEN = /^TRADEFORM_TOKEN(?:_\w+)?$/;

/**
 * The environment of tradeform: the token of the forge for what comments, and under no other name; the tokens of the service only for
 * commands that need them.
 */
function childEnv({ env, forgeToken, inputs }: ActionRun, gets: Gets): NodeJS.ProcessEnv {
  const service = gets === 'service';
  const passed = Object.entries(env).filter(
    ([name, value]) =>
      !OURS.test(name) &&
      (!SERVICE_TOKEN.test(name) || (service && value !== '')) &&
      (forgeToken === '' || value?.includes(forgeToken) !== true),
  );
  return {
    ...Object.fromEntries(passed),
    ...(service ? inputs.tokens : {}),
    ...(gets === 'forge' ? { GITHUB_TOKEN: forgeToken } : {}),
  };
}

/** The command with the options that it takes. */
function words({ inputs }: ActionRun, command: string): readonly string[] {
  const { fleet, project, environment, baseUrl } = inputs;
  const named = Object.entries({ fleet, project, environment, 'base-url': baseUrl });
  return [
    ...(fleet === undefined || command === 'comment' ? [command] : ['fleet', command]),
    ...named.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
  ];
}
