import type { Clock, Random } from '../../ports/clock.ts';

/** The wall clock and real timers. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, Math.max(0, ms));
      signal?.addEventListener('abort', finish, { once: true });
    }),
};

/** Randomness for jitter; nothing secret is made from it. */
export const SYSTEM_RANDOM: Random = () => Math.random();
