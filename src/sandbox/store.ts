import type { Change } from './records.ts';

/** Where committed changes go. Answers wait for {@link Store.flushed}. */
export interface Store {
  /** Takes the changes of one request; they are stored together or not at all. */
  append(changes: readonly Change[]): void;
  /** Resolves when everything appended so far is durable; rejects when it cannot be stored. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

/** Keeps nothing: the state lives as long as the process. */
export const MEMORY_STORE: Store = {
  append: () => undefined,
  flushed: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
