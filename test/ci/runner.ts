import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { runAction } from '../../cmd/github-action/action.ts';
import { matchesWildcard } from '../../src/model/wildcard.ts';
import { ROOT } from '../examples/program.ts';
import { startHere } from './child.ts';
import { type Contexts, evaluate, interpolate } from './expression.ts';
import { actionFile, type Job, type WorkflowStep, workflow } from './files.ts';
import { outputsOf } from './step.ts';

export interface Trigger {
  /** The repository that is checked out. */
  readonly origin: string;
  /** The built action runs as a process of its own and starts another one, as on a runner. Without it, both run in this process. */
  readonly builtAction?: boolean;
  /** The variables of the run; its payload is in `GITHUB_EVENT_PATH`. */
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Variables of the repository's settings. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Of a run by hand. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** The job of this shard loses its machine before our action has begun. */
  readonly lost?: string;
  /** What earlier attempts of this run left: jobs that went well are not run again. */
  readonly attempt?: { readonly jobs?: Map<string, JobResult>; readonly artifacts: Artifacts };
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

/** Runs the jobs of one workflow file as a runner would, as far as these files go. Without `if`, what needs a job that failed is left out. */
export async function runWorkflow(name: string, trigger: Trigger): Promise<readonly JobResult[]> {
  const results: JobResult[] = [];
  const attempt = { jobs: new Map<string, JobResult>(), artifacts: new Map(), ...trigger.attempt };
  const needs: Record<
    string,
    { readonly result: string; readonly outputs: Readonly<Record<string, string>> }
  > = {};
  for (const [job, content] of Object.entries(workflow(name).jobs)) {
    const needed = [content.needs ?? []].flat().map((other) => needs[other]?.result);
    const isBlocked =
      needed.some((result) => result !== 'success') && content.if?.includes('cancelled()') !== true;
    const ended: JobResult[] = [];
    for (const matrix of isBlocked ? [] : instances(content, { needs })) {
      const key = `${job} ${JSON.stringify(matrix)}`;
      // As "Re-run failed jobs" does: with all that need them.
      const former = needed.length > 1 ? undefined : attempt.jobs.get(key);
      const strategy = { 'job-index': ended.length };
      const given = { needs, matrix, strategy, artifacts: attempt.artifacts };
      const result = former?.code === 0 ? former : await runJob(job, content, trigger, given);
      attempt.jobs.set(key, result);
      ended.push(result);
    }
    results.push(...ended);
    const ran = ended.filter(({ code }) => code !== undefined);
    const result = ran.length === 0 ? 'skipped' : ran.every(({ code }) => code === 0) ? 'success' : 'failure';
    const outputs = ended.at(-1)?.outputs ?? {};
    const told = Object.keys(content.outputs ?? {}).map((output) => [output, outputs[output] ?? '']);
    needs[job] = { result, outputs: Object.fromEntries(told) as Record<string, string> };
  }
  return results;
}

/** A job for each value of its matrix. */
function instances({ strategy }: Job, contexts: Contexts): readonly Readonly<Record<string, string>>[] {
  if (strategy === undefined) return [{}];
  const lists = evaluate(strategy.matrix.replace(/^\$\{\{|\}\}$/g, ''), contexts) as Record<
    string,
    readonly string[]
  >;
  return Object.entries(lists).reduce<readonly Readonly<Record<string, string>>[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}

async function runJob(
  job: string,
  content: Job,
  trigger: Trigger,
  given: Contexts & { readonly artifacts: Artifacts },
): Promise<JobResult> {
  const { env, secrets, vars = {}, inputs = {} } = trigger;
  const { artifacts, ...of } = given;
  const runner = { temp: join(tmpdir(), `tradeform-runner-${randomUUID()}`) };
  const steps: Record<string, { readonly outputs: Readonly<Record<string, string>> }> = {};
  const contexts: Contexts = {
    github: githubContext(env),
    secrets,
    vars,
    inputs,
    env: {},
    runner,
    steps,
    ...of,
  };
  const nothing = { job, log: '', summary: '', outputs: {} };
  const meets = (condition = 'github.ref') => evaluate(condition.replace(/^\$\{\{|\}\}$/g, ''), contexts);
  if (content.if !== undefined && meets(content.if) !== true) return { ...nothing, code: undefined };
  const workspace = mkdtempSync(join(tmpdir(), 'tradeform-workspace-'));
  mkdirSync(runner.temp);
  let result: JobResult = { ...nothing, code: 0 };
  try {
    for (const step of content.steps) {
      if (result.code !== 0 && step.if?.includes('cancelled()') !== true) continue;
      if (step.if !== undefined && meets(step.if) !== true) continue;
      const { uses = '' } = step;
      if (uses.startsWith('actions/checkout@')) checkout(step, trigger, workspace);
      else if (uses.startsWith('actions/upload-artifact@')) upload(step, workspace, contexts, artifacts);
      else if (uses.startsWith('actions/download-artifact@')) download(step, workspace, contexts, artifacts);
      else if (trigger.lost !== undefined && (of.matrix as { shard?: string }).shard === trigger.lost)
        return { ...nothing, code: 1 };
      else result = { job, ...(await ourAction(step, trigger, workspace, contexts)) };
      if (step.id !== undefined) steps[step.id] = { outputs: result.outputs };
    }
    return result;
  } finally {
    rmSync(workspace, { recursive: true, force: true });
    rmSync(runner.temp, { recursive: true, force: true });
  }
}

/** Each as a folder of the machine: of several uploads of one name the latest stays, also over attempts. */
export type Artifacts = Map<string, string>;

/** A page is there; anything else is kept, and what is there already only replaced by who says so. */
function upload(
  { with: inputs = {} }: WorkflowStep,
  workspace: string,
  contexts: Contexts,
  artifacts: Artifacts,
): void {
  const path = resolve(workspace, interpolate(String(inputs.path), contexts));
  if (inputs.archive === false) {
    const isLeft = inputs['if-no-files-found'] === 'ignore' && !existsSync(path);
    if (!isLeft && !readFileSync(path, 'utf8').startsWith('<!doctype html>'))
      throw new Error(`${path} is not a page`);
    return;
  }
  if (!existsSync(path) && inputs['if-no-files-found'] === 'ignore') return;
  const name = interpolate(String(inputs.name), contexts);
  if (artifacts.has(name) && inputs.overwrite !== true)
    throw new Error(`the artifact ${name} is there already`);
  const kept = mkdtempSync(join(tmpdir(), 'tradeform-artifact-'));
  if (statSync(path).isDirectory()) cpSync(path, kept, { recursive: true });
  else copyFileSync(path, join(kept, basename(path)));
  artifacts.set(name, kept);
}

/** All whose names match, each in a folder of its own. */
function download(
  { with: inputs = {} }: WorkflowStep,
  workspace: string,
  contexts: Contexts,
  artifacts: Artifacts,
): void {
  for (const [name, kept] of artifacts)
    if (matchesWildcard(String(inputs.pattern), name))
      cpSync(kept, resolve(workspace, interpolate(String(inputs.path), contexts), name), { recursive: true });
}

/** As actions/checkout does: one commit, or with `fetch-depth: 0` all of the history. */
function checkout({ with: inputs }: WorkflowStep, { origin, env }: Trigger, workspace: string): void {
  checkOut(workspace, origin, env.GITHUB_SHA ?? '', inputs?.['fetch-depth'] === 0);
}

/** `whole`: with all branches and their history. */
export function checkOut(workspace: string, origin: string, commit: string, whole: boolean): void {
  const fetched = whole ? "origin '+refs/heads/*:refs/remotes/origin/*'" : '--depth=1 origin';
  gitSteps(
    workspace,
    `git init -q; git remote add origin "file://$1"; git fetch -q ${fetched} "$2"; git checkout -q --detach "$2"`,
    ...[origin, commit],
  );
}

/** What several commands of git print. They are started by one small process, because each start from the test process is dear. */
export function gitSteps(cwd: string, steps: string, ...args: readonly string[]): string {
  return execFileSync('sh', ['-ec', steps, 'sh', ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: '1', ...SETTINGS },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

const PUSH = `
  git show-ref -q --verify "refs/heads/$1" && git checkout -q "$1" || git checkout -q -b "$1"
  git add -A; git commit -qm "On $1" --allow-empty; git rev-parse HEAD main
  git checkout -q --detach main; git merge -q --no-ff -m Trial "$1"; git rev-parse HEAD
  git checkout -q main`;

/** Commits all that is written on a branch, as for a pull request, and merges it for trial. Leaves main checked out. */
export function trial(repository: string, branch: string): { headSha: string; baseSha: string; sha: string } {
  const [headSha = '', baseSha = '', sha = ''] = gitSteps(repository, PUSH, branch).split('\n');
  return { headSha, baseSha, sha };
}

/** A commit has an author, and nothing starts the upkeep that git starts by itself after a fetch. */
const SETTINGS = Object.assign(
  { GIT_CONFIG_COUNT: '3' },
  ...[
    ['user.name', 't'],
    ['user.email', 't@example.invalid'],
    ['maintenance.auto', 'false'],
  ].map(([key, value], index) => ({
    [`GIT_CONFIG_KEY_${index}`]: key,
    [`GIT_CONFIG_VALUE_${index}`]: value,
  })),
) as Readonly<Record<string, string>>;

/** Scripts of steps without an id that went well: what builds the action does nothing the second time. */
const built = new Set<string>();

/** The steps of action.yml, each by a shell of its own. */
async function ourAction(
  { with: given = {}, env: stepEnv = {} }: WorkflowStep,
  { env, builtAction = false }: Trigger,
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
    for (const { id, run = '', env: own = {} } of runs.steps) {
      if (built.has(run)) continue;
      const scope = { ...contexts, inputs: values };
      const variables = Object.entries(own).map(([name, value]) => [name, interpolate(String(value), scope)]);
      const { GITHUB_TOKEN: _hidden, ...ambient } = env;
      const around = {
        ...ambient,
        ...Object.fromEntries(
          Object.entries(stepEnv).map(([name, value]) => [name, interpolate(String(value), contexts)]),
        ),
        PATH: process.env.PATH ?? '',
        HOME: folder,
        RUNNER_TEMP: folder,
        GITHUB_WORKSPACE: workspace,
        GITHUB_ACTION_PATH: ROOT,
        ...files,
        ...(Object.fromEntries(variables) as Record<string, string>),
      };
      const ended = await (run === START && !builtAction
        ? actionHere(around)
        : shell(run, workspace, around));
      log += ended.log;
      code = ended.code;
      if (code !== 0) break;
      if (id === undefined) built.add(run);
    }
    const summary = readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8');
    const plain = stripVTControlCharacters(log);
    return { code, log: plain, summary, outputs: outputsOf(files.GITHUB_OUTPUT) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What action.yml starts. */
const START = 'exec node "$GITHUB_ACTION_PATH/dist/github-action.cjs"';

/** The action in this process, and with it the built tradeform. */
export async function actionHere(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; log: string }> {
  let log = '';
  const write = (text: string) => {
    log += text;
  };
  const code = await runAction({ env, start: startHere(write), write });
  return { code, log };
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
    event_name: env.GITHUB_EVENT_NAME,
    repository: env.GITHUB_REPOSITORY,
    actor: env.GITHUB_ACTOR,
    ref: env.GITHUB_REF,
    // Whatever the name of the fake host is.
    server_url: 'https://github.com',
    token: env.GITHUB_TOKEN,
  };
}
