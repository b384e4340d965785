import type { Invocation } from '../../../cmd/options.ts';
import { buildProgram } from '../../../cmd/program.ts';
import type { Io } from '../../../src/core/command/io.ts';
import { showDiagnostics } from '../../../src/core/command/show-diagnostics.ts';
import { CommandFailure } from '../../../src/core/diagnostics/diagnostic.ts';
import { type Result, runInMemory } from '../in-memory.ts';

/** Runs a command line as somebody types it at a terminal who answers every question with yes. */
export function typed(line: string, where: Pick<Io, 'cwd' | 'env'>, over: Partial<Io>): Promise<Result> {
  const [program, ...args] = line.split(' ');
  if (program !== 'tradeform') throw new Error(`no command line: ${line}`);
  const person = { stdinIsTTY: true, stderrIsTTY: true, ask: () => Promise.resolve('yes'), ...over };
  return runInMemory(where, (io) => command(args, Object.assign(Object.create(io) as Io, person)));
}

/** The program as `cmd/main.ts` runs it, in this process. */
async function command(args: readonly string[], io: Io): Promise<number> {
  let chosen: Invocation | undefined;
  const program = buildProgram(io, (invocation) => {
    chosen = invocation;
  });
  await program.parseAsync([...args], { from: 'user' });
  if (chosen === undefined) throw new Error(`nothing runs: ${args.join(' ')}`);
  try {
    return await chosen.run(io);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    showDiagnostics(error.diagnostics, io, error.sources);
    return error.exitCode;
  }
}
