import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Io } from '../../src/command/io.ts';
import type { CommonOptions } from '../../src/command/options.ts';
import type { ApplyOptions } from '../../src/features/apply.ts';
import { runApply } from '../../src/features/apply.ts';
import { type PlanCommandOptions, runPlan } from '../../src/features/plan.ts';
import { runValidate } from '../../src/features/validate.ts';
import type { Seed } from '../../src/model/generated/sandbox.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { projectFiles } from '../cmd/run.ts';
import { type Result, runInMemory } from './in-memory.ts';

export interface ProjectRun {
  readonly path: string;
  readonly baseUrl: string;
  /** The environment of its commands. */
  readonly env: Io['env'];
  readonly sandbox: Sandbox;
  write(name: string, text: string): void;
  validate(options?: CommonOptions): Promise<Result>;
  plan(options?: PlanCommandOptions): Promise<Result>;
  apply(planFile: string | undefined, options?: ApplyOptions): Promise<Result>;
  /** Any command in this project. */
  run(command: (io: Io) => Promise<number>): Promise<Result>;
  remove(): Promise<void>;
}

export interface ProjectSource {
  /** A folder to copy, instead of the project of a label and a sniper task. */
  readonly folder?: string | undefined;
  /** What the service holds; one empty account when absent. */
  readonly seed?: Seed | undefined;
  /** Further variables of the process environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A project in a temporary folder, and a sandbox of its own; commands run in this process. */
export async function openProject({ folder, seed, env: more }: ProjectSource = {}): Promise<ProjectRun> {
  const path = mkdtempSync(join(tmpdir(), 'tradeform-run-'));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  if (folder !== undefined) cpSync(folder, path, { recursive: true });
  else for (const [name, text] of Object.entries(projectFiles())) write(name, text);
  const sandbox = createSandbox(seed === undefined ? {} : { seed });
  const server = await startServer(sandbox);
  const env = {
    ...more,
    PATH: process.env.PATH,
    TRADEFORM_BASE_URL: server.baseUrl,
    TRADEFORM_TOKEN: sandbox.tokens()[0]?.token,
  };
  const run = (command: (io: Io) => Promise<number>) => runInMemory({ cwd: path, env }, command);
  return {
    path,
    baseUrl: server.baseUrl,
    env,
    sandbox,
    write,
    run,
    validate: (options = {}) => run((io) => runValidate(options, io)),
    plan: (options = {}) => run((io) => runPlan(options, io)),
    apply: (planFile, options = {}) => run((io) => runApply(planFile, options, io)),
    async remove() {
      await server.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}
