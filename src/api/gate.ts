import type { Clock, Random } from '../ports/clock.ts';

/** The shared pause: while it lasts, no request starts. */
export interface Gate {
  /** Closes the gate for `ms` from now, if it is not closed for longer already; true if that prolonged the pause. */
  pause(ms: number): boolean;
  /** Resolves with true once the gate is open, with false if it would not open before `deadline` (ms since the epoch). */
  pass(deadline: number): Promise<boolean>;
}

/** Those who waited come out one after another, spread over this many milliseconds. */
const SPREAD = 250;

export function createGate(clock: Clock, random: Random): Gate {
  let until = 0;
  return {
    pause(ms) {
      const end = clock.now() + ms;
      if (end <= until) return false;
      until = end;
      return true;
    },
    async pass(deadline) {
      for (;;) {
        const rest = until - clock.now();
        if (rest <= 0) return true;
        if (until > deadline) return false;
        await clock.sleep(rest + random() * Math.min(SPREAD, rest));
      }
    },
  };
}
