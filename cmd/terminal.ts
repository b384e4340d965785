import { setMaxListeners } from 'node:events';
import { fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { hostIn, isInJob } from '../src/core/command/event.ts';
import { stopped } from '../src/core/command/interruption.ts';
import type { Io } from '../src/core/command/io.ts';
import { Tally } from '../src/core/command/tally.ts';
import { usage } from '../src/core/diagnostics/diagnostic.ts';
import { isGood } from '../src/core/model/exit-codes.ts';
import { bySignal, overDeadline } from '../src/core/ports/stop.ts';
import { formatRow, isFormat } from '../src/core/render/format.ts';
import { type Masking, openDoor } from '../src/core/render/masking/masking.ts';
import { workflowGuard } from '../src/core/render/workflow-guard.ts';
import { OUTLETS } from '../src/kit/outlets.ts';
import { askedFor } from './asked.ts';

/** The process of a command line. A test passes its own. */
export interface Host
  extends Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'cwd' | 'on' | 'off'> {
  /** Ends the process. For a host inside another process, it returns. */
  exit(code: number): void;
}

export interface Terminal {
  readonly io: Io;
  /** The same with a stdout that also prints tokens, for the command whose result is a token. */
  withTokens(io: Io): Io;
  /** The same streams with another working directory. Fails (exit 3) if it is no directory. */
  inDirectory(directory: string | undefined): Io;
  /** Something was already printed to stdout. A second JSON document would make it unreadable. */
  printed(): boolean;
  /** Flushes all buffers and ends the process. */
  exit(code: number): Promise<void>;
}

const DEFAULT_COLUMNS = 80;

/**
 * The process as an {@link Io}. Reads `--no-color` from the raw arguments, because usage errors need it too. Commands hide the
 * secrets in their data before layout. This is the safety net below them, through which all output passes. One function, because
 * streams, guards and the end of the process share what was opened.
 */
export function openTerminal(args: readonly string[], masking: Masking, host: Host = process): Terminal {
  // Each stream is opened on first use, because opening one loads a large part of Node.
  const out = guard(() => host.stdout);
  const err = guard(() => host.stderr);
  let guards: ReturnType<typeof runnerGuards> | undefined;
  const guarded = () => {
    guards ??= runnerGuards(args, io);
    return guards;
  };
  const result = openDoor(masking, (text) => out.write(guarded().stdout(text)));
  const others = openDoor(masking, (text) => err.write(guarded().stderr(text)));
  const io = surroundings(host, masking, {
    stdout: result.write,
    stderr: others.write,
    command: (text) => {
      others.flush();
      err.write(masking.text(text));
    },
    ask: (question) => {
      io.stderr(question);
      others.flush();
      return ask(io, host);
    },
    noColor: args.includes('--no-color'),
  });
  return {
    io,
    withTokens: (from) => Object.create(from, { stdout: { value: out.write, enumerable: true } }) as Io,
    inDirectory: (directory) =>
      directory === undefined ? io : withDirectory(io, resolve(io.cwd, directory), directory),
    printed: out.used,
    async exit(code) {
      result.flush();
      others.flush();
      await Promise.all([out.flush(), err.flush()]);
      const failure = out.failure();
      if (failure !== undefined && isGood(code)) {
        err.write(`error: the result could not be written to stdout: ${failure}\n`);
        return host.exit(1);
      }
      host.exit(code);
    },
  };
}

/** What a command sees of its process, and the streams to it. */
function surroundings(
  host: Host,
  masking: Masking,
  { noColor, ...streams }: Pick<Io, 'stdout' | 'stderr' | 'command' | 'ask'> & { readonly noColor: boolean },
): Io {
  const { env } = host;
  return {
    ...streams,
    masking,
    get stderrIsTTY() {
      return host.stderr.isTTY === true;
    },
    get stdinIsTTY() {
      return host.stdin.isTTY === true;
    },
    get columns() {
      // A terminal reports 0 if it does not know its width.
      return host.stdout.columns || host.stderr.columns || columnsIn(env);
    },
    color: {
      get stdout() {
        return wantsColor(noColor, host.stdout, env);
      },
      get stderr() {
        return wantsColor(noColor, host.stderr, env);
      },
    },
    env,
    get cwd() {
      try {
        return host.cwd();
      } catch {
        throw usage('the working directory is gone', 'Change to a folder that exists.');
      }
    },
    stop: stopSignals(host),
    tally: new Tally(),
    outlets: OUTLETS,
  };
}

/** The width without a terminal: COLUMNS. */
function columnsIn({ COLUMNS = '' }: NodeJS.ProcessEnv): number {
  return /^[1-9]\d{1,3}$/.test(COLUMNS) ? Number(COLUMNS) : DEFAULT_COLUMNS;
}

const SAME = (text: string) => text;
/** No text becomes a command of the runner. */
function runnerGuards(args: readonly string[], io: Io) {
  if (!hostIn(io.env)?.readsOutput) return { stdout: SAME, stderr: SAME };
  const { output = 'text' } = askedFor(args, io);
  const as = isFormat(output) ? formatRow(output).guardedAs : 'text';
  return { stdout: as === 'none' ? SAME : workflowGuard(as), stderr: workflowGuard('text') };
}

/**
 * A stream whose reader may disappear. A closed pipe silently ends the output but never the work in progress, because an apply
 * must not die when somebody quits the pager. Any other failure (a full disk) is kept for the exit code.
 */
function guard(open: () => NodeJS.WriteStream) {
  let stream: NodeJS.WriteStream | undefined;
  let closed = false;
  let failure: string | undefined;
  const opened = (): NodeJS.WriteStream => {
    if (stream !== undefined) return stream;
    stream = open();
    stream.on('error', (error: NodeJS.ErrnoException) => {
      closed = true;
      if (error.code !== 'EPIPE') failure ??= error.code ?? error.message;
    });
    return stream;
  };
  return {
    write(text: string): void {
      if (text !== '' && !closed) opened().write(text);
    },
    used: () => stream !== undefined,
    flush: () =>
      new Promise<void>((done) => {
        if (stream === undefined || closed || stream.destroyed) done();
        else stream.write('', () => done());
      }),
    failure: () => failure,
  };
}

function withDirectory(io: Io, cwd: string, shown: string): Io {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw usage(`--chdir ${shown} is not a directory`, 'Name an existing directory.');
  return Object.create(io, { cwd: { value: cwd, enumerable: true } }) as Io;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** First signal: soft. Second: hard. SIGTERM and a closed terminal count as the first Ctrl-C. */
function stopSignals(host: Host): Required<Io['stop']> {
  const soft = new AbortController();
  const hard = new AbortController();
  const heard = SIGNALS.map((name) => {
    const onSignal = () => (soft.signal.aborted ? hard.abort() : soft.abort(bySignal(name)));
    return [name, onSignal] as const;
  });
  // Every request in flight adds a listener. Many listeners are no leak, but Node would warn about them on stderr.
  setMaxListeners(0, soft.signal, hard.signal);
  const hearers = new Set<object>();
  const attach = () => {
    for (const [name, onSignal] of heard) host.on(name, onSignal);
  };
  const detach = () => {
    for (const [name, onSignal] of heard) host.off(name, onSignal);
  };
  return {
    soft: soft.signal,
    hard: hard.signal,
    hear() {
      const hearer = {};
      if (hearers.size === 0) attach();
      hearers.add(hearer);
      return () => {
        if (hearers.delete(hearer) && hearers.size === 0) detach();
      };
    },
    after(deadline) {
      setTimeout(() => soft.abort(overDeadline(deadline)), deadline.ms).unref();
    },
    async unheard(work) {
      // A signal that has arrived but is not handled yet would be lost with the handler.
      await new Promise((turn) => setImmediate(turn));
      if (hearers.size > 0) detach();
      try {
        return await work();
      } finally {
        if (hearers.size > 0) attach();
      }
    },
  };
}

async function ask(io: Io, { stdin }: Host): Promise<string> {
  const { createInterface } = await import('node:readline');
  // Not as a terminal, so that the kernel keeps handling the line and Ctrl-C arrives as a signal.
  const lines = createInterface({ input: stdin, terminal: false });
  const release = io.stop.hear?.();
  lines.once('close', () => release?.());
  return new Promise((resolveAnswer, reject) => {
    lines.once('line', (line) => {
      resolveAnswer(line.trim());
      lines.close();
    });
    lines.once('close', () => resolveAnswer(''));
    const interrupted = () => {
      io.stderr('\n');
      reject(stopped(io.stop.soft));
      lines.close();
    };
    // A signal may have arrived while the module was loaded and the question was visible.
    if (io.stop.soft.aborted) interrupted();
    else io.stop.soft.addEventListener('abort', interrupted);
  });
}

/**
 * tradeform decides by itself, because Node prefers FORCE_COLOR to NO_COLOR and treats an empty NO_COLOR as set. A terminal that
 * supports colour gets it, and so does the log of a CI system that shows it. A file gets it only on request. `off`: `--no-color` was given.
 */
export function wantsColor(
  off: boolean,
  stream: { readonly isTTY?: boolean; readonly fd?: number },
  env: Io['env'],
): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', CLICOLOR_FORCE = '', TERM } = env;
  if (off || NO_COLOR !== '' || ['0', 'false'].includes(FORCE_COLOR)) return false;
  if (FORCE_COLOR !== '' || !['', '0'].includes(CLICOLOR_FORCE)) return true;
  if (stream.isTTY === true) return TERM !== 'dumb';
  return isInJob(env) && !isFile(stream.fd);
}

function isFile(descriptor: number | undefined): boolean {
  try {
    return descriptor !== undefined && fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}
