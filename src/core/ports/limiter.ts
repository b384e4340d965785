/**
 * Limits the work in flight. The limit shrinks when the service throttles and recovers afterwards. Each piece of work (a page
 * of a list, the chain of a task) holds one slot while it runs.
 */
export interface Limiter {
  /** The current number of slots, between 1 and the configured maximum. */
  readonly limit: number;
  /**
   * How many running tasks may be paused and restarted at the same time, if fewer than there are slots. After the service has
   * throttled, each of them would stay paused if it throttles again.
   */
  readonly restarts?: number;
  /** Resolves in order of arrival with a function that releases the slot. A second call does nothing. */
  acquire(): Promise<() => void>;
}
