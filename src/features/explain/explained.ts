import type { Io } from '../../command/io.ts';

/** The result of `tradeform explain`: its document without the common fields, and its text for a terminal. */
export interface Explained {
  /** Undefined if there is only text. */
  readonly document?: object;
  text(io: Pick<Io, 'columns' | 'color'>): string;
}
