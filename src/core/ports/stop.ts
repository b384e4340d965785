/** How long a command may take: as it was written (`10m`), and in milliseconds. */
export interface Deadline {
  readonly text: string;
  readonly ms: number;
}

/** Why a run stops: `deadline`, the name of a signal, or `aborted` for a caller of the library. */
interface StopReason {
  readonly code: string;
  readonly text: string;
}

const ABORTED: StopReason = { code: 'aborted', text: 'interrupted' };

export function whyStopped({ reason }: AbortSignal): StopReason {
  return typeof reason === 'object' && reason !== null && 'text' in reason ? reason : ABORTED;
}

export function bySignal(code: NodeJS.Signals): StopReason {
  return { code, text: code === 'SIGINT' ? ABORTED.text : `${ABORTED.text} by ${code}` };
}

export function overDeadline({ text }: Deadline): StopReason {
  return { code: 'deadline', text: `out of time (--deadline ${text})` };
}
