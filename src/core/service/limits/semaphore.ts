import type { Limiter } from '../../ports/limiter.ts';

export interface Semaphore extends Limiter {
  /** Call this when the limit has grown by itself. */
  admit(): void;
}

/** As many slots as `limit` currently returns, first come first served. */
export function createSemaphore(limit: () => number): Semaphore {
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
  return {
    get limit() {
      return limit();
    },
    admit,
    async acquire() {
      if (waiting.length === 0 && held < limit()) held += 1;
      else {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          admit();
        });
      }
      return once(() => {
        held -= 1;
        admit();
      });
    },
  };
}

/** Wraps the function so that a second call does nothing. */
export function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
