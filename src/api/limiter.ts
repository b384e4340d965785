import type { Limiter } from '../ports/limiter.ts';

/** A {@link Limiter} that the API client tells how its requests fare. */
export interface AdaptiveLimiter extends Limiter {
  /** Grows with every shrinking. Requests that were in flight together carry the same number. */
  readonly epoch: number;
  /** The service throttled a request of that epoch: halves the limit, once for all requests of the epoch. */
  throttled(epoch: number): void;
  /** A request was answered: after as many as the limit, one slot more. */
  succeeded(): void;
}

/** Additive increase, multiplicative decrease between 1 and `most` slots; starts with all of them. */
export function createLimiter(most: number): AdaptiveLimiter {
  const ceiling = Math.max(1, Math.floor(most));
  const waiting: (() => void)[] = [];
  let limit = ceiling;
  let held = 0;
  let successes = 0;
  let epoch = 0;

  const admit = () => {
    while (held < limit) {
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
    get limit() {
      return limit;
    },
    get epoch() {
      return epoch;
    },
    async acquire() {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        admit();
      });
      return release();
    },
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
      admit();
    },
  };
}
