import type { Clock } from '../../src/ports/clock.ts';
import type { Event } from './event.ts';
import type { GitHub } from './github.ts';
import type { Inputs } from './inputs.ts';
import type { Log } from './log.ts';

/** Everything that one run of the action has. */
export interface ActionRun {
  readonly inputs: Inputs;
  readonly event: Event;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly clock: Clock;
  /** Opened on first use. Fails without a token. */
  github(): GitHub;
  /** The tradeform to run. */
  readonly program: string;
  /** Absolute. */
  readonly cwd: string;
  /** Values that the child's environment must not contain. */
  readonly secrets: readonly string[];
}
