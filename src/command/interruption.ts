import { CommandFailure } from '../diagnostics/diagnostic.ts';
import { INTERRUPTED, whyStopped } from '../ports/stop.ts';

/** Exit 130: somebody pressed Ctrl-C, the process received a signal to end, or its deadline is over. */
export function interruption(message: string, hint?: string): CommandFailure {
  return CommandFailure.of(130, 'interrupted', message, hint);
}

/** The same, with the reason of the signal. `after`: what is known of the changes. */
export function stopped(signal: AbortSignal, after = '; nothing was changed'): CommandFailure {
  const why = whyStopped(signal);
  const hint =
    why === INTERRUPTED ? undefined : 'Run it again, or allow more time: --deadline or TRADEFORM_DEADLINE.';
  return interruption(`${why}${after}`, hint);
}

/** Says once what the first stop does. Returns a function that stops listening. */
export function noteStop(signal: AbortSignal, note: (text: string) => void): () => void {
  const onStop = () => {
    const why = whyStopped(signal);
    const first = why === INTERRUPTED ? 'Stopping' : `Stopping, ${why}`;
    note(`${first}: tasks in progress are finished, nothing new is started. Ctrl-C again stops at once.`);
  };
  signal.addEventListener('abort', onStop);
  return () => signal.removeEventListener('abort', onStop);
}

/** The result of the work, unless the signal aborts first. Only for work that reads and can be dropped at any point. */
export function unlessInterrupted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return unlessAborted(work, signal, () => {
    throw stopped(signal);
  });
}

/** Like `unlessInterrupted`, but the result is undefined after the signal aborts. */
export function orStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  return unlessAborted(work, signal, () => undefined);
}

async function unlessAborted<Result, Instead>(
  work: Promise<Result>,
  signal: AbortSignal,
  instead: () => Instead,
): Promise<Result | Instead> {
  if (signal.aborted) return instead();
  let onAbort = () => {};
  const aborted = new Promise<void>((resolve) => {
    onAbort = resolve;
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted.then(instead)]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
