import { CommanderError } from 'commander';
import { insteadOf } from '../src/core/command/instead.ts';
import { stopped } from '../src/core/command/interruption.ts';
import type { Io } from '../src/core/command/io.ts';
import { CommandFailure, type Diagnostic, problem } from '../src/core/diagnostics/diagnostic.ts';
import { Masking } from '../src/core/render/masking/masking.ts';
import { type Asked, askedFor, askedOf } from './asked.ts';
import { unknownVariables } from './environment.ts';
import { buildProgram } from './program.ts';
import { type Host, openTerminal, type Terminal } from './terminal.ts';

const ASKS_VERSION = 'commander.version';

/** Runs one command line to its end and exits the process with the code of DESIGN 1. */
export async function main(args: readonly string[], host: Host = process): Promise<void> {
  const terminal = openTerminal(args, new Masking(), host);
  host.on('uncaughtException', (error) => void fail(terminal, args, error));
  host.on('unhandledRejection', (error) => void fail(terminal, args, error));
  try {
    await terminal.exit(await run(args, terminal));
  } catch (error) {
    await fail(terminal, args, error);
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0;
  const program = buildProgram(
    terminal.io,
    async ({ chdir, printsToken, stopsSoftly, run: begin }, command) => {
      const io = terminal.inDirectory(chdir);
      const asked = askedOf(command, command.args);
      if (needsOutputs(asked)) {
        const { requireOutputs } = await import('../src/core/command/output/present.ts');
        await requireOutputs(asked, io, asked.taken);
      }
      const unknown = unknownVariables(io.env);
      if (unknown.length > 0)
        (await import('../src/core/command/show-diagnostics.ts')).showDiagnostics(unknown, io);
      await delayOptimiser();
      const finished = begin(printsToken === true ? terminal.withTokens(io) : io);
      code = await Promise.race([finished, interrupted(io, stopsSoftly)]);
    },
  );
  program.on('option:version', () => {
    throw new CommanderError(0, ASKS_VERSION, '');
  });
  await program.parseAsync(args.length === 0 ? ['--help'] : [...args], { from: 'user' });
  return code;
}

/** If nothing is written, the code for report files is not loaded. */
function needsOutputs({ report = [], metrics, heartbeat, notify = [] }: Asked): boolean {
  return report.length > 0 || metrics !== undefined || heartbeat !== undefined || notify.length > 0;
}

/**
 * A short command ends before optimised code is worth its cost: on Node 20, compiling it took half of the CPU time of validating a
 * small project. This makes V8 start optimising later. Newer versions have a cheaper intermediate step.
 */
async function delayOptimiser(): Promise<void> {
  if (!process.versions.v8.startsWith('11.')) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--interrupt-budget=500000');
}

/** How long a command that handles signals itself may run after the second one. */
const GRACE_MS = 3_000;

/** Commands that only read end at the first signal. The others end at the second one, after they had time to report what is left. */
function interrupted({ stop }: Io, stopsSoftly: boolean): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (!stopsSoftly) stop.soft.addEventListener('abort', () => reject(stopped(stop.soft, '')));
    const end = () => reject(stopped(stop.soft, ''));
    stop.hard.addEventListener('abort', () => setTimeout(end, GRACE_MS).unref());
  });
}

async function fail(terminal: Terminal, args: readonly string[], error: unknown): Promise<void> {
  if (error instanceof CommanderError && error.exitCode === 0) {
    if (error.code === ASKS_VERSION) {
      const { versionText } = await import('../src/kit/version.ts');
      terminal.io.stdout(versionText(askedFor(args, terminal.io).output));
    }
    return terminal.exit(0);
  }
  const failure = describe(error);
  const { exitCode, diagnostics } = failure;
  if (terminal.io.env.TRADEFORM_DEBUG === '1' && error instanceof Error)
    terminal.io.stderr(`${terminal.io.masking.said(error.stack ?? error.message)}\n`);
  try {
    const { presentFailure } = await import('../src/core/command/failure.ts');
    const { chdir, ...options } = askedFor(args, terminal.io);
    const io = directory(terminal, chdir);
    const written = io === undefined ? { ...options, report: [] } : options;
    await presentFailure(failure, { ...written, printed: terminal.printed() }, io ?? terminal.io);
  } catch {
    // Reporting itself failed, so this is the shortest possible report.
    for (const { code, message } of diagnostics) terminal.io.stderr(`error[${code}]: ${message}\n`);
  }
  return terminal.exit(exitCode);
}

/** undefined if the directory itself is the problem, because the place of reports is unknown then. */
function directory({ inDirectory }: Terminal, chdir: string | undefined): Io | undefined {
  try {
    return inDirectory(chdir);
  } catch {
    return undefined;
  }
}

function describe(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (error instanceof CommanderError) return new CommandFailure(3, [usageDiagnostic(error)]);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return CommandFailure.of(
    1,
    'internal',
    `unexpected error in tradeform: ${text.replace(/\s+/g, ' ')}`,
    'Please report this with the command line you used; TRADEFORM_DEBUG=1 prints more.',
  );
}

/** What it does not know: a command, an option, or a value of an option. */
const UNKNOWN =
  /^(?:unknown (?:command|option)|too many arguments for|option) '([^']*?)(?: <\w+>' argument '([^']*))?'/;
const SUGGESTION = /\s*\(Did you mean (.+?)\?\)\s*$/s;

/** A usage error of the argument parser as a diagnostic with a hint. */
export function usageDiagnostic(error: CommanderError): Diagnostic {
  // The parser's sentences start with `error: ` and may end with a suggestion on its own line.
  const text = error.message.replace(/^error: /, '');
  const [, name = '', value] = UNKNOWN.exec(text) ?? [];
  const unknown = value === undefined ? name : `${name} ${value}`;
  const meant = SUGGESTION.exec(text)?.[1];
  const instead = unknown === 'show' && !text.startsWith('unknown') ? undefined : insteadOf(unknown);
  const message = text.replace(SUGGESTION, '').trim();
  return problem(
    'invalid-option',
    error.code === 'commander.help' ? 'no command was given' : message.replace(/\.$/, ''),
    instead ??
      (meant === undefined
        ? 'Run `tradeform --help`, or `tradeform COMMAND --help`.'
        : `Did you mean ${meant}?`),
  );
}
