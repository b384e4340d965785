import { CommandFailure } from '../diagnostics/diagnostic.ts';
import type { Io } from './io.ts';

/** What `tradeform explain` found: its document beside the common fields, and its text for a terminal. */
export interface Explained {
  readonly document: object;
  text(io: Pick<Io, 'columns' | 'color'>): string;
}

/** What was asked for does not exist, or not so (exit 3). */
export function usage(message: string, hint: string): CommandFailure {
  return new CommandFailure(3, [{ severity: 'error', code: 'invalid-option', message, hint }]);
}
