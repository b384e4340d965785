import type { Io } from '../src/command/io.ts';

/** A command line that was understood: what runs, and how it wants to be stopped. */
export interface Invocation {
  /** `--chdir`, as given. */
  readonly chdir: string | undefined;
  /** The command watches `io.stop.soft` itself; otherwise the first signal ends it. */
  readonly stopsSoftly: boolean;
  /** Its result holds a token, which is masked everywhere else. */
  readonly printsToken?: true;
  /** Resolves with the exit code. */
  run(io: Io): Promise<number>;
}

/** What a command's own file gets to register itself. */
export type Choose = (invocation: Invocation) => void;
