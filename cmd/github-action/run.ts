import type { Readable } from 'node:stream';
import type { Clock } from '../../src/ports/clock.ts';
import type { Event } from './event.ts';
import type { GitHub } from './github.ts';
import type { Inputs } from './inputs.ts';
import type { Log } from './log.ts';

/** A tradeform that was started. */
export interface StartedTradeform {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code. Rejects if it could not be started. */
  readonly ended: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts tradeform with these variables and no others. */
export type StartTradeform = (
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
) => StartedTradeform;

/** Everything that one run of the action has. */
export interface ActionRun {
  readonly inputs: Inputs;
  readonly event: Event;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly clock: Clock;
  /** Opened on first use. Fails without a token. */
  github(): GitHub;
  readonly start: StartTradeform;
  /** Absolute. */
  readonly cwd: string;
  /** Values that the child's environment must not contain. */
  readonly secrets: readonly string[];
}
