import type { Clock } from '../../ports/clock.ts';

interface Caution {
  /** Running tasks that may be paused and started again at once, at present. */
  readonly restarts: number;
  /** The service asked everybody to wait, from now on. */
  waits(ms: number): void;
}

/**
 * After a wait one running task at a time is changed, and twice as many each time that the service has let as long pass
 * without another: a task that is paused when it asks again stands still for about as long as it asked before. Where the
 * service has a limit per minute, more at a time would not be done sooner.
 */
export function createCaution(clock: Pick<Clock, 'now'>): Caution {
  let end = 0;
  let length = 0;
  return {
    get restarts() {
      return length === 0
        ? Number.POSITIVE_INFINITY
        : 2 ** Math.max(0, Math.floor((clock.now() - end) / length));
    },
    waits(ms) {
      end = clock.now() + ms;
      length = ms;
    },
  };
}
