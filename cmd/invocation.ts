import type { Io } from '../src/command/io.ts';

/** A parsed command line: what to run, and how it reacts to signals. */
export interface Invocation {
  /** `--chdir`, as given. */
  readonly chdir: string | undefined;
  /** The command observes `io.stop.soft` itself. Otherwise the first signal ends it. */
  readonly stopsSoftly: boolean;
  /** The result contains a token, which is masked everywhere else. */
  readonly printsToken?: true;
  /** Resolves with the exit code. */
  run(io: Io): Promise<number>;
}

/** The function with which a command's own file registers itself. */
export type Choose = (invocation: Invocation) => void;
