import type { Masking } from '../render/masking/masking.ts';
import type { Tally } from './tally.ts';

/**
 * `soft`: start nothing new, finish what is in hand. `hard`: stop at once.
 *
 * A handler of a signal runs when the thread has nothing else to do, and so not while it reads, compiles or plans: whatever a
 * file of a pull request makes of that, the signal must end it. So there are handlers only while somebody waits for the service,
 * for an answer, or for work in hand; otherwise the system ends the process itself, at once. A thread that watches would not do:
 * Node tells threads of no signal.
 */
export interface StopSignals {
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  /** Has signals heard until the function that it returns is called; absent where none come. */
  hear?(): () => void;
  /** Work that only computes, before anything was changed: for as long as it takes no signal is heard. */
  unheard?<Result>(work: () => Result | Promise<Result>): Promise<Result>;
}

/**
 * Everything a command may touch outside of its arguments: streams, environment, working directory and stop signals.
 * The entry point makes one from the process; tests make one from memory.
 */
export interface Io {
  /** The result, and nothing else. */
  stdout(text: string): void;
  /** Progress, prompts, warnings and errors. */
  stderr(text: string): void;
  /** Commands for a CI runner that reads stderr; text that goes to `stderr` is kept from being taken for one. */
  command?(text: string): void;
  readonly stdoutIsTTY: boolean;
  readonly stderrIsTTY: boolean;
  readonly stdinIsTTY: boolean;
  /** Width to lay text out for: the terminal's now, 80 where there is none. */
  readonly columns: number;
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; `--chdir` is already applied. */
  readonly cwd: string;
  readonly stop: StopSignals;
  /** What is secret in this run. Data goes through it before it is laid out, and what is written to files. */
  readonly masking: Masking;
  /** Counts what is exchanged with the service; absent where nobody asks for it. */
  readonly tally?: Tally | undefined;
  /** Takes the whole terminal over that stdout is; absent where there is none to take. */
  openScreen?(events: ScreenEvents): Screen;
  /** Asks on stderr and reads one line from stdin, trimmed; the empty string when stdin ends. */
  ask(question: string): Promise<string>;
}

export interface ScreenEvents {
  /** The terminal has another size now. */
  resized(): void;
  /** A key, as the terminal sends it; Ctrl-C is `\x03`. */
  pressed(key: string): void;
}

/** A terminal that is drawn on as a whole. */
export interface Screen {
  readonly rows: number;
  /** Shows this text, and nothing of what was shown before. */
  draw(text: string): void;
  /** Gives the terminal back as it was. */
  close(): void;
}
