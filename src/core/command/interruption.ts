import { CommandFailure, type Diagnostic, note } from '../diagnostics/diagnostic.ts';
import type { Outcome } from '../model/generated/report.ts';
import { whyStopped } from '../ports/stop.ts';

/**
 * Exit 130: somebody pressed Ctrl-C, the process received a signal to end, or its deadline is over. `after`: what is known of the
 * changes.
 */
export function stopped(signal: AbortSignal, after = '; nothing was changed'): CommandFailure {
  const { severity: _, message, ...rest } = stopNote(signal);
  return new CommandFailure(130, [{ severity: 'error', message: `${message}${after}`, ...rest }]);
}

/** What the document of an interrupted run says besides: what stopped it, with its code. */
export function stopNotes(outcome: Outcome, signal: AbortSignal): readonly Diagnostic[] {
  return outcome === 'interrupted' ? [stopNote(signal)] : [];
}

function stopNote(signal: AbortSignal): Diagnostic {
  const { code, text } = whyStopped(signal);
  const hint =
    code === 'deadline' ? 'Run it again, or allow more time: --deadline or TRADEFORM_DEADLINE.' : undefined;
  return { ...note('interrupted', text, hint), error: { code, status: null } };
}

/** Says once what the first stop does. Returns a function that stops listening. */
export function noteStop(signal: AbortSignal, note: (text: string) => void): () => void {
  const onStop = () => {
    const { code, text } = whyStopped(signal);
    const first = code === 'deadline' ? `Stopping, ${text}` : 'Stopping';
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
