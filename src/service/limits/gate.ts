import type { Clock, Random } from '../../ports/clock.ts';

/** Gives a request's place back; twice does nothing. */
export type Leave = () => void;

/**
 * Where requests set out. During the shared pause none does, and never are more in flight than the limiter has slots, also
 * right after it has shrunk. Those that wait go in order: the urgent ones first, then first come first served.
 */
interface Gate {
  /** Closes the gate for `ms` from now, if it is not closed for longer already; true if that prolonged the pause. */
  pause(ms: number): boolean;
  /** Resolves when it is this request's turn; with undefined if the gate would not open before `deadline` (ms since the epoch). */
  pass(urgent: boolean, deadline: number): Promise<Leave | undefined>;
}

interface GateParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Requests in flight at most, at present. */
  readonly most: () => number;
}

interface Waiting {
  readonly urgent: boolean;
  readonly deadline: number;
  readonly resolve: (leave: Leave | undefined) => void;
}

/** After a pause the requests that are not urgent wait up to this many milliseconds more: other programs were told to wait, too. */
const JITTER = 250;

export function createGate({ clock, random, most }: GateParts): Gate {
  let until = 0;
  let jitter = 0;
  let inFlight = 0;
  let waiting: Waiting[] = [];
  let admitting = false;

  const opensAt = (urgent: boolean) => (urgent ? until : until + jitter);
  const enter = (): Leave => {
    inFlight += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      inFlight -= 1;
      if (waiting.length > 0) void admit();
    };
  };
  const admit = async () => {
    if (admitting) return;
    admitting = true;
    // Whoever goes on after an answer asks for its next request before anybody else is let in.
    await clock.sleep(0);
    for (;;) {
      const next = waiting.find(({ urgent }) => urgent) ?? waiting[0];
      if (next === undefined || inFlight >= most()) break;
      const now = clock.now();
      const opens = now < until ? until : opensAt(next.urgent);
      if (opens > now) {
        await clock.sleep(opens - now);
        continue;
      }
      waiting = waiting.filter((one) => one !== next);
      next.resolve(enter());
    }
    admitting = false;
  };

  return {
    pause(ms) {
      const end = clock.now() + ms;
      if (end <= until) return false;
      until = end;
      jitter = random() * Math.min(JITTER, ms);
      const late = waiting.filter(({ deadline }) => until > deadline);
      waiting = waiting.filter(({ deadline }) => until <= deadline);
      for (const { resolve } of late) resolve(undefined);
      return true;
    },
    pass(urgent, deadline) {
      const now = clock.now();
      if (until > now && until > deadline) return Promise.resolve(undefined);
      const first = urgent ? !waiting.some((one) => one.urgent) : waiting.length === 0;
      if (first && opensAt(urgent) <= now && inFlight < most()) return Promise.resolve(enter());
      return new Promise((resolve) => {
        waiting.push({ urgent, deadline, resolve });
        void admit();
      });
    },
  };
}
