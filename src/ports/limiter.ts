/**
 * How much may be in flight at once. The limit shrinks when the service throttles and recovers afterwards;
 * whoever starts work (a page of a list, the chain of a task) holds one slot for as long as it runs.
 */
export interface Limiter {
  /** Slots at present, between 1 and the configured most. */
  readonly limit: number;
  /**
   * Running tasks that may be in hand at once to be paused and started again, where that is fewer than there are slots:
   * when the service has asked to wait, each of them would stand still if it asks once more.
   */
  readonly restarts?: number;
  /** Resolves, first come first served, with the function that gives the slot back; calling it twice does nothing. */
  acquire(): Promise<() => void>;
}
