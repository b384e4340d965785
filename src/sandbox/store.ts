import type { Change } from './records.ts';

/** The destination of committed changes. Answers wait for {@link Store.flushed}. */
export interface Store {
  /** Takes the changes of one request, which are stored together or not at all. */
  append(changes: readonly Change[]): void;
  /** Resolves when everything appended so far is durable. Rejects if it cannot be stored. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

/** Stores nothing: the state lives as long as the process. */
export const MEMORY_STORE: Store = {
  append: () => undefined,
  flushed: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
