import type { Io } from '../../command/io.ts';

/** What `tradeform explain` found: its document beside the common fields, and its text for a terminal. */
export interface Explained {
  readonly document: object;
  text(io: Pick<Io, 'columns' | 'color'>): string;
}
