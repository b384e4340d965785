import type { Limiter } from '../../src/core/ports/limiter.ts';
import { createSemaphore } from '../../src/core/service/limits/semaphore.ts';

/** A limiter whose limit never changes. */
export function fixedLimiter(limit: number): Limiter {
  return createSemaphore(() => limit);
}
