import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { DocumentKind } from '../documents/document.ts';
import type { AnyDocument } from '../documents/register.ts';
import type { Deadline } from '../ports/stop.ts';
import type { Layouts } from '../render/format.ts';
import type { Masking } from '../render/masking/masking.ts';
import type { CommonOptions } from './options.ts';
import type { Tally } from './tally.ts';

/**
 * `soft`: start nothing new, finish what is in progress. `hard`: stop at once.
 *
 * A signal handler runs only while the thread is idle, so not while it reads, compiles or plans. A file of a pull request may
 * make that work endless, and the signal must still end it. So handlers exist only while the run waits for the service, for an
 * answer or for work in progress. At all other times the system ends the process itself, at once. A watcher thread is no
 * solution: Node does not deliver signals to threads.
 */
export interface StopSignals {
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  /** Handles signals until the returned function is called. Absent where no signals arrive. */
  hear?(): () => void;
  /** Runs work that only computes and has changed nothing yet. No signal is handled during that work. */
  unheard?<Result>(work: () => Result | Promise<Result>): Promise<Result>;
  /** Aborts `soft` after this time, unless the run has ended by then. Absent where another run has the deadline. */
  after?(deadline: Deadline): void;
}

/**
 * Everything that a command may touch besides its arguments: streams, environment, working directory and stop signals. The
 * entry point makes an Io from the process; tests make one in memory.
 */
export interface Io {
  /** The result, and nothing else. */
  stdout(text: string): void;
  /** Progress, prompts, warnings and errors. */
  stderr(text: string): void;
  /** Commands for a CI runner that reads stderr. The runner never takes text that goes to `stderr` for a command. */
  command?(text: string): void;
  readonly stderrIsTTY: boolean;
  readonly stdinIsTTY: boolean;
  /** Width for layout: the current width of the terminal, or 80 without a terminal. */
  readonly columns: number;
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; `--chdir` is already applied. */
  readonly cwd: string;
  readonly stop: StopSignals;
  /** The secrets of this run. Data is masked before layout, and so is everything that is written to files. */
  readonly masking: Masking;
  /** What takes the documents of the run besides the terminal. */
  readonly outlets: Outlets;
  /** Counts the requests to the service. Absent if no option needs the figures. */
  readonly tally?: Tally | undefined;
  /** Asks on stderr and reads one line from stdin, trimmed. The answer is the empty string if stdin ends. */
  ask(question: string): Promise<string>;
}

export interface MonitorOptions extends CommonOptions {
  /** A file for Prometheus, relative to the working directory. */
  readonly metrics?: string | undefined;
  /** A URL that receives a request after each run that did its work. */
  readonly heartbeat?: string | undefined;
  /** Channels from the operator's notification settings. */
  readonly notify?: readonly string[] | undefined;
}

/** What is around the commands and takes their documents. The entry point names it, and each part is loaded when it is used. */
export interface Outlets {
  readonly layouts: Layouts;
  readonly monitors: () => Promise<Monitors>;
}

export interface Monitors {
  /** Fails (exit 3) if the heartbeat or a channel cannot work. Sends nothing. */
  check(options: MonitorOptions, io: Pick<Io, 'cwd' | 'env' | 'masking'>): void;
  /**
   * Tells the monitors about a run, at its very end: first the metrics, then the channels with the final exit code, then the
   * heartbeat. `code` returns the exit code for the problems so far.
   */
  tell<Document extends AnyDocument>(
    document: Document,
    kind: DocumentKind<Document>,
    options: MonitorOptions,
    io: Io,
    run: { readonly command: string; readonly code: (problems: readonly Diagnostic[]) => number },
  ): Promise<readonly Diagnostic[]>;
}
