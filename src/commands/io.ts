/**
 * Everything a command may touch outside of its arguments: streams, environment, working directory and stop signals.
 * The entry point makes one from the process; tests make one from memory.
 */
export interface Io {
  /** The result, and nothing else. */
  stdout(text: string): void;
  /** Progress, prompts, warnings and errors. */
  stderr(text: string): void;
  readonly stdoutIsTTY: boolean;
  readonly stderrIsTTY: boolean;
  readonly stdinIsTTY: boolean;
  /** Width to lay text out for: the terminal's now, 80 where there is none. */
  readonly columns: number;
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; `--chdir` is already applied. */
  readonly cwd: string;
  /** `soft`: start nothing new, finish what is in hand. `hard`: stop at once. */
  readonly stop: { readonly soft: AbortSignal; readonly hard: AbortSignal };
  /** Asks on stderr and reads one line from stdin, trimmed; the empty string when stdin ends. */
  ask(question: string): Promise<string>;
}
