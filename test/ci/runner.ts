import { execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { matchesWildcard } from '../../src/core/model/wildcard.ts';
import { tradeform } from '../cmd/run.ts';
import { ROOT } from '../examples/program.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { type Contexts, evaluate, interpolate } from './expression.ts';
import { type Job, type WorkflowStep, workflow } from './files.ts';

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
  /** The job of this shard loses its machine before a step of ours has begun. */
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
  /** Of its steps. */
  readonly outputs: Readonly<Record<string, string>>;
  /** What `--report json` wrote. */
  readonly document?: { readonly digest?: string };
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
  const temp = temporaryFolder('runner');
  const steps: Record<string, { readonly outputs: Readonly<Record<string, string>> }> = {};
  const runner = { temp };
  const contexts: Contexts = { github: githubContext(env), secrets, vars, inputs, runner, steps, ...of };
  const nothing = { job, log: '', summary: '', outputs: {} };
  const meets = (condition = 'github.ref') => evaluate(condition.replace(/^\$\{\{|\}\}$/g, ''), contexts);
  if (content.if !== undefined && meets(content.if) !== true) return { ...nothing, code: undefined };
  const workspace = temporaryFolder('workspace');
  const files = { GITHUB_OUTPUT: join(temp, 'output'), GITHUB_STEP_SUMMARY: join(temp, 'summary.md') };
  writeFileSync(files.GITHUB_STEP_SUMMARY, '');
  let [code, log, outputs] = [0, '', {} as JobResult['outputs']];
  for (const step of content.steps) {
    if (code !== 0 && !/cancelled\(\)|always\(\)/.test(step.if ?? '')) continue;
    if (step.if !== undefined && meets(step.if) !== true) continue;
    const { uses = '' } = step;
    if (uses.startsWith('actions/checkout@')) checkout(step, trigger, workspace);
    else if (uses.startsWith('actions/upload-artifact@')) upload(step, workspace, contexts, artifacts);
    else if (uses.startsWith('actions/download-artifact@')) download(step, workspace, contexts, artifacts);
    else if (trigger.lost !== undefined && (of.matrix as { shard?: string }).shard === trigger.lost)
      return { ...nothing, code: 1 };
    else {
      writeFileSync(files.GITHUB_OUTPUT, '');
      const ended = await ownStep(step, content, trigger, { workspace, temp, files }, contexts);
      code ||= ended.code;
      log += stripVTControlCharacters(ended.log);
      const told = outputsOf(files.GITHUB_OUTPUT);
      outputs = { ...outputs, ...told };
      if (step.id !== undefined) steps[step.id] = { outputs: told };
    }
  }
  const [file = ''] = readdirSync(workspace).filter((name) =>
    /^tradeform-(?:plan|apply|drift)\.json$/.test(name),
  );
  const document = file === '' ? undefined : JSON.parse(readFileSync(join(workspace, file), 'utf8'));
  return { job, code, log, summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'), outputs, document };
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

/** What `npm ci` does here: the tradeform of this checkout is installed. */
const INSTALL = 'npm ci --ignore-scripts --no-audit --no-fund';

export function install(workspace: string): void {
  const bin = join(workspace, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(ROOT, join(workspace, 'node_modules/tradeform'));
  symlinkSync('../tradeform/dist/tradeform.cjs', join(bin, 'tradeform'));
}

/** One `run`, with the variables of its job and its own, and with a token of one side at most. */
async function ownStep(
  { run = '', env: own = {} }: WorkflowStep,
  { env: jobEnv = {} }: Job,
  { env }: Trigger,
  { workspace, temp, files }: { workspace: string; temp: string; files: Readonly<Record<string, string>> },
  contexts: Contexts,
): Promise<{ code: number; log: string }> {
  const { GITHUB_TOKEN: _hidden, ...ambient } = env;
  const given = Object.entries({ ...jobEnv, ...own }).map(([name, value]) => [
    name,
    interpolate(String(value), contexts),
  ]);
  const variables = {
    ...ambient,
    ...(Object.fromEntries(given) as Record<string, string>),
    ...{ PATH: process.env.PATH ?? '', HOME: temp, RUNNER_TEMP: temp, GITHUB_WORKSPACE: workspace },
    ...{ NO_COLOR: '1', COLUMNS: '999' },
    ...files,
  };
  const tokens = Object.keys(variables).filter((name) => /^(?:GITHUB|TRADEFORM)_TOKEN(?!_FILE)/.test(name));
  if (run === INSTALL) {
    expect(tokens).toEqual([]);
    install(workspace);
    return { code: 0, log: '' };
  }
  expect(new Set(tokens.map((name) => name.startsWith('GITHUB'))).size, run).toBeLessThan(2);
  const [, line, tolerant] = LINE.exec(run) ?? [];
  if (line === undefined) return shell(run, workspace, variables);
  const words = await shell(`printf '%s\\0' ${line}`, workspace, variables);
  const { code, stdout, stderr } = await tradeform(words.log.split('\0').slice(0, -1), {
    cwd: workspace,
    env: variables,
  });
  return { code: tolerant !== undefined && code === 2 ? 0 : (code ?? 1), log: stdout + stderr };
}

/** A script of one line that runs tradeform: a shell reads its words, and it runs in this process, which is faster. */
const LINE = /^(?:exec )?node_modules\/\.bin\/tradeform (.*?)( \|\| \[ \$\? -eq 2 \])?$/;

/** What a step wrote to GITHUB_OUTPUT, as far as these files do. */
function outputsOf(file: string): Record<string, string> {
  return Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, name = '', value = ''] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
        return name === '' ? [] : [[name, value]];
      }),
  );
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
