/**
 * How much may be in flight at once. The limit shrinks when the service throttles and recovers afterwards;
 * whoever starts work (a page of a list, the chain of a task) holds one slot for as long as it runs.
 */
export interface Limiter {
  /** Slots at present, between 1 and the configured most. */
  readonly limit: number;
  /** Resolves, first come first served, with the function that gives the slot back; calling it twice does nothing. */
  acquire(): Promise<() => void>;
}
