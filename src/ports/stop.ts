/** How long a command may take: as it was written (`10m`), and in milliseconds. */
export interface Deadline {
  readonly text: string;
  readonly ms: number;
}

export const INTERRUPTED = 'interrupted';

/** Why the run stops: Ctrl-C or a signal to end, or the deadline of the command. */
export function whyStopped({ reason }: AbortSignal): string {
  return typeof reason === 'string' ? reason : INTERRUPTED;
}

export function overDeadline({ text }: Deadline): string {
  return `out of time (--deadline ${text})`;
}
