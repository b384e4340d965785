import { setTimeout } from 'node:timers/promises';
import type { Clock, Random } from '../ports/clock.ts';

/** The wall clock and real timers. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  // A wait that is cut short is over, too.
  sleep: (ms, signal) => setTimeout(Math.max(0, ms), undefined, { signal }).catch(() => undefined),
};

/** Randomness for jitter; nothing secret is made from it. */
export const SYSTEM_RANDOM: Random = () => Math.random();
