import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ApplyOptions } from '../../src/commands/apply.ts';
import { runApply } from '../../src/commands/apply.ts';
import type { Io } from '../../src/commands/io.ts';
import { type PlanOptions, runPlan } from '../../src/commands/plan.ts';
import { CommandFailure, type Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { emptyState } from '../../src/sandbox/state.ts';
import { projectFiles } from '../cmd/run.ts';

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Of a command that could not go on. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface ProjectRun {
  readonly path: string;
  readonly baseUrl: string;
  write(name: string, text: string): void;
  plan(options?: PlanOptions): Promise<Result>;
  apply(planFile: string | undefined, options?: ApplyOptions): Promise<Result>;
  remove(): Promise<void>;
}

/** The project of a label and a sniper task, and a sandbox of its own; commands run in this process. */
export async function openProject(): Promise<ProjectRun> {
  const path = mkdtempSync(join(tmpdir(), 'tradeform-run-'));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  for (const [name, text] of Object.entries(projectFiles())) write(name, text);
  const sandbox = createSandbox({ state: emptyState() });
  const server = await startServer(sandbox);
  const env = {
    PATH: process.env.PATH,
    TRADEFORM_BASE_URL: server.baseUrl,
    TRADEFORM_TOKEN: sandbox.tokens()[0]?.token,
  };
  const run = async (command: (io: Io) => Promise<number>): Promise<Result> => {
    let stdout = '';
    let stderr = '';
    const never = new AbortController().signal;
    const io: Io = {
      stdout: (text) => {
        stdout += text;
      },
      stderr: (text) => {
        stderr += text;
      },
      stdoutIsTTY: false,
      stderrIsTTY: false,
      stdinIsTTY: false,
      columns: 100,
      color: { stdout: false, stderr: false },
      env,
      cwd: path,
      stop: { soft: never, hard: never },
      ask: () => Promise.resolve(''),
    };
    try {
      return { code: await command(io), stdout, stderr, diagnostics: [] };
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      return { code: error.exitCode, stdout, stderr, diagnostics: error.diagnostics };
    }
  };
  return {
    path,
    baseUrl: server.baseUrl,
    write,
    plan: (options = {}) => run((io) => runPlan(options, io)),
    apply: (planFile, options = {}) => run((io) => runApply(planFile, options, io)),
    async remove() {
      await server.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}
