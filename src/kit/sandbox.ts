import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Io } from '../core/command/io.ts';
import { notWritten } from '../core/command/unwritten.ts';
import { CommandFailure, problem } from '../core/diagnostics/diagnostic.ts';
import { systemWords } from '../core/diagnostics/system-words.ts';
import type { Seed } from '../core/model/generated/sandbox.ts';
import { given } from '../core/model/given.ts';
import { goalOf, StrayingLink } from '../core/project/door/straying.ts';
import { type Choices, parseChoice } from '../sandbox/choices.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { readSeed } from '../sandbox/seed-file.ts';
import { type RunningServer, startServer } from '../sandbox/server.ts';
import { emptyState } from '../sandbox/state.ts';
import { DataFileError, openFileStore } from '../sandbox/store-file.ts';

export interface SandboxCommandOptions {
  readonly output?: string;
  readonly quiet?: boolean;
  /** Default 0: any free port. */
  readonly port?: number;
  /** YAML or JSON, see schemas/sandbox.schema.json. Used only if the data file is still empty. */
  readonly seed?: string;
  readonly data?: string;
  /** Milliseconds. */
  readonly latency?: number;
  /** `NAME=VALUE`. Overrides the choices of the seed. */
  readonly choice?: readonly string[];
}

/**
 * `tradeform sandbox`: runs until it is stopped. Prints base URL and token on stdout as soon as it answers, as lines for a shell
 * or as one JSON line. Ends with 130, because only a stop signal ends it and DESIGN 1 gives interrupted commands that code. Throws
 * a CommandFailure: 3 for a bad seed, data file or choice, 1 for a port in use.
 */
export async function runSandbox(
  options: SandboxCommandOptions,
  io: Pick<Io, 'stdout' | 'stderr' | 'stop' | 'cwd'>,
): Promise<number> {
  const choices = readChoices(options.choice ?? []);
  const seed = options.seed === undefined ? DEFAULT_SEED : await loadSeed(options.seed, io.cwd);
  const sandbox = openSandbox(options, choices, seed, io.cwd);
  io.stop.hear?.();
  const server = await listen(sandbox, options.port ?? 0, io);
  await sandbox.flushed();
  io.stdout(options.output === 'json' ? jsonLine(sandbox, server) : lines(sandbox, server));
  if (options.quiet !== true) io.stderr('The sandbox runs until you interrupt it (Ctrl-C).\n');
  if (!io.stop.soft.aborted) await once(io.stop.soft, 'abort');
  await server.close();
  return 130;
}

/** The account has a name, so that users can try an account pin. */
const DEFAULT_SEED: Seed = { accounts: [{ login_username: 'sandbox' }] };

function readChoices(texts: readonly string[]): Partial<Choices> {
  const read = texts.map((text) => {
    const [name = '', ...value] = text.split('=');
    return parseChoice(name, value.join('='));
  });
  const wrong = read.filter((choice) => typeof choice === 'string');
  const problems = wrong.map((message) => problem('invalid-option', `--choice: ${message}.`));
  if (problems.length > 0) throw new CommandFailure(3, problems);
  return Object.assign({}, ...read) as Partial<Choices>;
}

async function loadSeed(file: string, cwd: string): Promise<Seed> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch((error: Error) => {
    throw CommandFailure.of(3, 'file-unreadable', `${file} could not be read: ${systemWords(error)}.`);
  });
  const { seed, diagnostics } = readSeed(text, file);
  if (seed === undefined) throw new CommandFailure(3, diagnostics);
  return seed;
}

function openSandbox(
  options: SandboxCommandOptions,
  choices: Partial<Choices>,
  seed: Seed,
  cwd: string,
): Sandbox {
  const state = emptyState();
  try {
    return createSandbox({
      state,
      choices,
      ...(options.data === undefined
        ? {}
        : { store: openFileStore(goalOf(resolve(cwd, options.data)), state) }),
      seed,
      ...given({ latency: options.latency }),
    });
  } catch (error) {
    if (error instanceof StrayingLink) throw notWritten(`${options.data} cannot be used`, error, '');
    const isOfFile = error instanceof Error && 'code' in error && 'syscall' in error;
    if (!(error instanceof DataFileError) && !isOfFile) throw error;
    throw CommandFailure.of(3, 'data-file-invalid', `${options.data} cannot be used: ${systemWords(error)}.`);
  }
}

async function listen(sandbox: Sandbox, port: number, io: Pick<Io, 'stderr'>): Promise<RunningServer> {
  const onError = (error: unknown) => {
    io.stderr(`sandbox: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  };
  return startServer(sandbox, port, onError).catch((error: Error) => {
    const message = `The sandbox cannot listen on 127.0.0.1:${port}: ${systemWords(error)}.`;
    throw CommandFailure.of(1, 'port-unavailable', message);
  });
}

/** `export NAME=value` lines for a shell. Tokens after the first are in comments. */
function lines(sandbox: Sandbox, server: RunningServer): string {
  const [first, ...others] = sandbox.tokens();
  return [
    `export TRADEFORM_BASE_URL=${server.baseUrl}`,
    ...(first === undefined ? [] : [`export TRADEFORM_TOKEN=${first.token}`]),
    ...others.map(({ account, token }) => `# account ${account}: ${token}`),
    '',
  ].join('\n');
}

function jsonLine(sandbox: Sandbox, server: RunningServer): string {
  const tokens = sandbox.tokens();
  return `${JSON.stringify({
    format: 'tradeform.sandbox/1',
    base_url: server.baseUrl,
    token: tokens[0]?.token ?? null,
    tokens,
    port: server.port,
    pid: process.pid,
    diagnostics: [],
  })}\n`;
}
