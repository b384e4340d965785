import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../examples/program.ts';
import { type Contexts, evaluate, interpolate } from './expression.ts';
import { actionFile, type Job, type WorkflowStep, workflow } from './files.ts';
import { outputsOf } from './step.ts';

export interface Trigger {
  /** The repository that is checked out. */
  readonly origin: string;
  /** The variables of the run; its payload is in `GITHUB_EVENT_PATH`. */
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Variables of the repository's settings. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Of a run by hand. */
  readonly inputs?: Readonly<Record<string, string>>;
}

export interface JobResult {
  readonly job: string;
  /** Undefined where its `if` was not met. */
  readonly code: number | undefined;
  readonly log: string;
  readonly summary: string;
  /** Of the last step that is ours. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** Runs the jobs of one workflow file as a runner would, as far as these files go. Ends at the first job that fails. */
export async function runWorkflow(name: string, trigger: Trigger): Promise<readonly JobResult[]> {
  const results: JobResult[] = [];
  for (const [job, content] of Object.entries(workflow(name).jobs)) {
    const result = await runJob(job, content, trigger);
    results.push(result);
    if (result.code !== undefined && result.code !== 0) break;
  }
  return results;
}

async function runJob(job: string, content: Job, trigger: Trigger): Promise<JobResult> {
  const { env, secrets, vars = {}, inputs = {} } = trigger;
  const runner = { temp: join(tmpdir(), `tradeform-runner-${randomUUID()}`) };
  const contexts: Contexts = { github: githubContext(env), secrets, vars, inputs, env: {}, runner };
  const nothing = { job, log: '', summary: '', outputs: {} };
  if (content.if !== undefined && evaluate(content.if, contexts) !== true)
    return { ...nothing, code: undefined };
  const workspace = mkdtempSync(join(tmpdir(), 'tradeform-workspace-'));
  mkdirSync(runner.temp);
  let result: JobResult = { ...nothing, code: 0 };
  try {
    for (const step of content.steps) {
      if (result.code !== 0) break;
      if (step.uses?.startsWith('actions/checkout@') === true) checkout(step, trigger, workspace);
      else if (step.uses?.startsWith('actions/upload-artifact@') === true) upload(step, contexts);
      else result = { job, ...(await ourAction(step, trigger, workspace, contexts)) };
    }
    return result;
  } finally {
    rmSync(workspace, { recursive: true, force: true });
    rmSync(runner.temp, { recursive: true, force: true });
  }
}

/** The file is there, and is a page. */
function upload({ with: inputs = {} }: WorkflowStep, contexts: Contexts): void {
  const text = readFileSync(interpolate(String(inputs.path), contexts), 'utf8');
  if (!text.startsWith('<!doctype html>')) throw new Error(`${inputs.path} is not a page`);
}

/** As actions/checkout does: one commit, or with `fetch-depth: 0` all of the history. */
function checkout({ with: inputs }: WorkflowStep, { origin, env }: Trigger, workspace: string): void {
  const whole = inputs?.['fetch-depth'] === 0;
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, {
      cwd: workspace,
      env: { PATH: process.env.PATH, HOME: workspace, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const sha = env.GITHUB_SHA ?? '';
  git('init', '-q');
  git('remote', 'add', 'origin', `file://${origin}`);
  git(
    'fetch',
    '-q',
    ...(whole ? [] : ['--depth=1']),
    'origin',
    ...(whole ? ['+refs/heads/*:refs/remotes/origin/*'] : []),
    sha,
  );
  git('checkout', '-q', '--detach', sha);
}

/** The steps of action.yml, each by a shell of its own. */
async function ourAction(
  { with: given = {} }: WorkflowStep,
  { env }: Trigger,
  workspace: string,
  contexts: Contexts,
): Promise<Omit<JobResult, 'job'>> {
  const { inputs, runs } = actionFile();
  const values = Object.fromEntries(
    Object.entries(inputs).map(([name, { default: fallback = '' }]) => [
      name,
      interpolate(String(given[name] ?? fallback), contexts),
    ]),
  );
  const folder = mkdtempSync(join(tmpdir(), 'tradeform-runner-'));
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary.md') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  try {
    let log = '';
    let code = 0;
    for (const { run = '', env: own = {} } of runs.steps) {
      const scope = { ...contexts, inputs: values };
      const variables = Object.entries(own).map(([name, value]) => [name, interpolate(String(value), scope)]);
      const { GITHUB_TOKEN: _hidden, ...ambient } = env;
      const ended = await shell(run, workspace, {
        ...ambient,
        PATH: process.env.PATH ?? '',
        HOME: folder,
        RUNNER_TEMP: folder,
        GITHUB_WORKSPACE: workspace,
        GITHUB_ACTION_PATH: ROOT,
        ...files,
        ...(Object.fromEntries(variables) as Record<string, string>),
      });
      log += ended.log;
      code = ended.code;
      if (code !== 0) break;
    }
    const summary = readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8');
    return { code, log, summary, outputs: outputsOf(files.GITHUB_OUTPUT) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One `run`, by `shell: bash`. */
export function shell(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; log: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, log }));
  });
}

function githubContext(env: Readonly<Record<string, string>>) {
  return {
    event: JSON.parse(readFileSync(env.GITHUB_EVENT_PATH ?? '', 'utf8')) as unknown,
    repository: env.GITHUB_REPOSITORY,
    actor: env.GITHUB_ACTOR,
    ref: env.GITHUB_REF,
    token: env.GITHUB_TOKEN,
  };
}
