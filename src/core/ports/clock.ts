/** Time as a dependency, so that runs can be simulated. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds, or at once if the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Randomness as a dependency, used only for jitter. A number in [0, 1). */
export type Random = () => number;
