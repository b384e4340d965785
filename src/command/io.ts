import type { Deadline } from '../ports/stop.ts';
import type { Masking } from '../render/masking/masking.ts';
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
  /** Counts the requests to the service. Absent if no option needs the figures. */
  readonly tally?: Tally | undefined;
  /** Asks on stderr and reads one line from stdin, trimmed. The answer is the empty string if stdin ends. */
  ask(question: string): Promise<string>;
}
