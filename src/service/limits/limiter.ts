import type { Clock } from '../../ports/clock.ts';
import type { Limiter } from '../../ports/limiter.ts';
import { SYSTEM_CLOCK } from '../http/clock.ts';
import { createCaution } from './caution.ts';

/** A {@link Limiter} that the API client tells how its requests fare. */
export interface AdaptiveLimiter extends Limiter {
  /** Grows with every shrinking. Requests that were in flight together carry the same number. */
  readonly epoch: number;
  /** The service throttled a request of that epoch: halves the limit, once for all requests of the epoch. */
  throttled(epoch: number): void;
  /** A request was answered: after as many as the limit, one slot more. */
  succeeded(): void;
  /** The service asked everybody to wait, from now on. */
  waits(ms: number): void;
}

/** Additive increase, multiplicative decrease between 1 and `most` slots; starts with all of them. */
export function createLimiter(most: number, clock: Pick<Clock, 'now'> = SYSTEM_CLOCK): AdaptiveLimiter {
  const ceiling = Math.max(1, Math.floor(most));
  let limit = ceiling;
  let successes = 0;
  let epoch = 0;
  const slots = createSlots(() => limit);
  const caution = createCaution(clock);

  return {
    get limit() {
      return limit;
    },
    get restarts() {
      return caution.restarts;
    },
    waits: caution.waits,
    get epoch() {
      return epoch;
    },
    acquire: slots.acquire,
    throttled(of) {
      if (of !== epoch) return;
      epoch += 1;
      successes = 0;
      limit = Math.max(1, Math.floor(limit / 2));
    },
    succeeded() {
      if (limit === ceiling) return;
      successes += 1;
      if (successes < limit) return;
      successes = 0;
      limit += 1;
      slots.admit();
    },
  };
}

/** An answer may take this much longer than the fastest before it says that the service has enough to do. */
const SLOWER = 2;

/**
 * Slots for reading, beside those of `base`, which work is not held up by. They start as many as those and grow up to
 * `most`: one more with each answer that took at most twice as long as the fastest, one less, down to the start, with each
 * that took longer. So they double with every round trip as long as more at a time is not slower, and settle where it is.
 * Once the service has throttled anything, the limit is that of `base` and stays so.
 */
export function createReadLimiter(base: AdaptiveLimiter, most: number, clock: Pick<Clock, 'now'>): Limiter {
  const start = base.limit;
  let grown = start;
  let fastest = Number.POSITIVE_INFINITY;
  const limit = () => (base.epoch === 0 ? grown : base.limit);
  const slots = createSlots(limit);

  return {
    get limit() {
      return limit();
    },
    async acquire() {
      const release = await slots.acquire();
      const begun = clock.now();
      let done = false;
      return () => {
        if (done) return;
        done = true;
        const took = clock.now() - begun;
        fastest = Math.min(fastest, took);
        const step = took <= SLOWER * fastest ? 1 : -1;
        grown = Math.min(Math.max(start, most), Math.max(start, grown + step));
        release();
      };
    },
  };
}

/** A queue in front of as many slots as `limit` says at the moment; `admit` is to be called where that grows by itself. */
function createSlots(limit: () => number): Pick<Limiter, 'acquire'> & { admit(): void } {
  const waiting: (() => void)[] = [];
  let held = 0;
  const admit = () => {
    while (held < limit()) {
      const next = waiting.shift();
      if (next === undefined) return;
      held += 1;
      next();
    }
  };
  const release = () => {
    let done = false;
    return () => {
      if (done) return;
      done = true;
      held -= 1;
      admit();
    };
  };
  return {
    admit,
    async acquire() {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        admit();
      });
      return release();
    },
  };
}
