import type { Io } from '../../src/core/command/io.ts';
import { CommandFailure, type Diagnostic } from '../../src/core/diagnostics/diagnostic.ts';
import { Masking } from '../../src/core/render/masking/masking.ts';
import { OUTLETS } from '../../src/kit/outlets.ts';

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Of a command that could not go on. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Runs a command in this process, with streams of its own and nobody at the keyboard. */
export async function runInMemory(
  { cwd, env, columns = 100 }: Pick<Io, 'cwd' | 'env'> & Partial<Pick<Io, 'columns'>>,
  command: (io: Io) => Promise<number>,
): Promise<Result> {
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
    stderrIsTTY: false,
    stdinIsTTY: false,
    columns,
    color: { stdout: false, stderr: false },
    env,
    cwd,
    masking: new Masking(),
    stop: { soft: never, hard: never },
    outlets: OUTLETS,
    ask: () => Promise.resolve(''),
  };
  try {
    return { code: await command(io), stdout, stderr, diagnostics: [] };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { code: error.exitCode, stdout, stderr, diagnostics: error.diagnostics };
  }
}
