import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { presentFailure } from '../../src/core/command/failure.ts';
import type { Io } from '../../src/core/command/io.ts';
import type { CommonOptions } from '../../src/core/command/options.ts';
import { CommandFailure } from '../../src/core/diagnostics/diagnostic.ts';
import type { ApplyOptions } from '../../src/core/features/apply.ts';
import { runApply } from '../../src/core/features/apply.ts';
import { type PlanCommandOptions, runPlan } from '../../src/core/features/plan.ts';
import { runValidate } from '../../src/core/features/validate.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { Seed } from '../../src/core/model/generated/sandbox.ts';
import type { Change, StoredTask } from '../../src/sandbox/records.ts';
import { createSandbox, type Sandbox, type StoredEdit } from '../../src/sandbox/sandbox.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { changesOf, commit, emptyState } from '../../src/sandbox/state.ts';
import { projectFiles } from '../cmd/run.ts';
import { PROJECT, type SniperOptions, sniper, WALLETS } from '../manifest/samples.ts';
import { afterwards, temporaryFolder } from '../support/cleanup.ts';
import { commitAll, initRepository, SETTINGS } from '../support/repository.ts';
import { type Result, runInMemory } from './in-memory.ts';

/** The account of a sandbox without a seed. */
const PIN = 'account: { token_prefix: svc_live_5a4d0b0c }';

/** A project on disk, and the service that it is for. */
export interface ProjectRun {
  readonly path: string;
  readonly baseUrl: string;
  /** The environment of its commands. */
  readonly env: Io['env'];
  readonly sandbox: Sandbox;

  // The project

  write(name: string, text: string): void;
  read(name: string): string;
  erase(name: string): void;
  /** The project file: pinned to the account, with further fields of `spec` in flow style, and perhaps of `metadata`. */
  settings(spec?: string, metadata?: string): void;
  /** `manifests/<name>.yaml`: a sniper task that runs. Each of three names in a row has a wallet of its own. */
  task(name: string, text?: SniperOptions): void;
  /** git in the folder, which becomes a repository with the first call. */
  git(...args: readonly string[]): string;
  /** Commits all that is there, and returns the hash: at the service's time with `clock`, else on 2026-01-01 and a day later each. */
  commit(subject?: string): string;

  // The service

  /** The task with this name in its marker; fails without one. */
  live(name: string): StoredTask;
  tasks(): readonly StoredTask[];
  /** What somebody does to it on the service. */
  edit(name: string, edit: StoredEdit): void;
  /** The requests other than GET since the log was cleared, by their methods. */
  written(): readonly string[];

  // Its commands

  validate(options?: CommonOptions): Promise<Result>;
  plan(options?: PlanCommandOptions): Promise<Result>;
  /** The plan as data, whatever its exit code. */
  planned(options?: PlanCommandOptions): Promise<Plan>;
  apply(planFile: string | undefined, options?: ApplyOptions): Promise<Result>;
  /** Clears the log before; `sent` are the requests that write. */
  applying(options?: ApplyOptions, planFile?: string): Promise<Result & { readonly sent: readonly string[] }>;
  /** Applies all there is; fails where that does. */
  applied(options?: ApplyOptions): Promise<void>;
  /** Any command in this project. */
  run(command: (io: Io) => Promise<number>, over?: Partial<Io>): Promise<Result>;
}

export interface ProjectSource {
  /** A folder to copy, instead of the project of a label and a sniper task. */
  readonly folder?: string | undefined;
  /** Files instead of those. */
  readonly files?: Readonly<Record<string, string>>;
  /** Names of tasks instead of those: the project is pinned, committed and applied. */
  readonly tasks?: readonly string[];
  /** What the service holds; one empty account when absent. */
  readonly seed?: Seed | undefined;
  /** Further variables of the process environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Git's dates are the time of the service, which `sandbox.advance` moves. */
  readonly clock?: boolean;
}

/** Projects that were applied, by their tasks and environments: the folder, and what the service holds then. */
const applied = new Map<string, { readonly folder: string; readonly held: readonly Change[] }>();

/** A project in a temporary folder, and a sandbox of its own; commands run in this process. */
export async function openProject(source: ProjectSource = {}): Promise<ProjectRun> {
  const { tasks, seed, env: more, clock = false } = source;
  const key = tasks === undefined || seed !== undefined || clock ? '' : JSON.stringify([tasks, more]);
  const known = applied.get(key);
  const { folder = known?.folder } = source;
  const { files = tasks === undefined && folder === undefined ? projectFiles() : {} } = source;
  const path = temporaryFolder('run');
  if (folder !== undefined) cpSync(folder, path, { recursive: true, preserveTimestamps: true });
  const state = emptyState();
  commit(state, known?.held ?? []);
  const sandbox = createSandbox({ state, ...(seed === undefined ? {} : { seed }) });
  const server = await startServer(sandbox);
  afterwards(() => server.close());
  const env = {
    ...more,
    PATH: process.env.PATH,
    TRADEFORM_BASE_URL: server.baseUrl,
    TRADEFORM_TOKEN: sandbox.tokens()[0]?.token,
  };
  const wallets = new Map<string, string>();
  let day = known === undefined ? 0 : 1;
  const project: ProjectRun = {
    path,
    baseUrl: server.baseUrl,
    env,
    sandbox,
    write(name, text) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), text);
    },
    read: (name) => readFileSync(join(path, name), 'utf8'),
    erase: (name) => rmSync(join(path, name)),
    settings(spec = '', metadata = 'name: core') {
      const head = PROJECT.replace('name: core', metadata);
      project.write('tradeform.yaml', `${head}spec: { ${[PIN, spec].filter(Boolean).join(', ')} }\n`);
    },
    task(name, text = {}) {
      const wallet = wallets.get(name) ?? WALLETS[wallets.size % WALLETS.length] ?? WALLETS[0];
      wallets.set(name, wallet);
      project.write(`manifests/${name}.yaml`, sniper({ name, wallet, ...text }));
    },
    git(...args) {
      if (!existsSync(join(path, '.git'))) initRepository(path);
      const date = new Date(clock ? sandbox.now() : Date.UTC(2026, 0, 1 + day, 12)).toISOString();
      const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
      return execFileSync('git', [...SETTINGS, ...args], {
        cwd: path,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', HOME: path, ...dates },
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim();
    },
    commit(subject = 'one') {
      if (!existsSync(join(path, '.git'))) initRepository(path);
      const hash = commitAll(project.git, subject);
      day += 1;
      return hash;
    },
    live(name) {
      const found = project.tasks().find(({ remark }) => new RegExp(`/${name}[@.#~\\]]`).test(remark));
      if (found === undefined) throw new Error(`no task carries the marker of ${name}`);
      return found;
    },
    tasks: () => [...sandbox.state.tasks.values()],
    edit: (name, edit) => sandbox.editStored(project.live(name).id, edit),
    written: () => sandbox.log.flatMap(({ method }) => (method === 'GET' ? [] : [method])),
    run: (command, over = {}) =>
      runInMemory({ cwd: path, env, ...over }, (io) => command({ ...io, ...over })),
    validate: (options = {}) => project.run((io) => runValidate(options, io)),
    plan: (options = {}) => project.run((io) => runPlan(options, io)),
    async planned(options = {}) {
      const { stdout, diagnostics, code } = await project.plan({ ...options, output: 'json' });
      if (stdout === '') throw new Error(`plan ended with ${code}: ${JSON.stringify(diagnostics)}`);
      return JSON.parse(stdout) as Plan;
    },
    apply: (planFile, options = {}) => project.run((io) => runApply(planFile, options, io)),
    async applying(options = {}, planFile = undefined) {
      sandbox.clearLog();
      const result = await project.run((io) => reported(runApply(planFile, options, io), options, io));
      return { ...result, sent: project.written() };
    },
    async applied(options = {}) {
      const all = { autoApprove: true, firstApply: true, ...options };
      const { code, stderr, diagnostics } = await project.apply(undefined, all);
      if (code !== 0) throw new Error(`apply ended with ${code}: ${stderr}${JSON.stringify(diagnostics)}`);
    },
  };
  for (const [name, text] of Object.entries(files)) project.write(name, text);
  if (tasks === undefined) return project;
  // The wallets of the tasks are known then.
  for (const name of tasks) project.task(name);
  if (known !== undefined) return project;
  project.settings();
  project.commit();
  await project.applied();
  if (key === '') return project;
  const kept = mkdtempSync(join(tmpdir(), 'tradeform-applied-'));
  cpSync(path, kept, { recursive: true, preserveTimestamps: true });
  applied.set(key, { folder: kept, held: [...changesOf(sandbox.state)] });
  return project;
}

/** As the program runs it: a failure is reported on stderr. */
async function reported(run: Promise<number>, { output }: ApplyOptions, io: Io): Promise<number> {
  try {
    return await run;
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    await presentFailure(error, { command: 'apply', output, printed: true, taken: [] }, io);
    throw error;
  }
}
