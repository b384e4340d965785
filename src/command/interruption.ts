import { CommandFailure } from '../diagnostics/diagnostic.ts';

/** Exit 130: somebody pressed Ctrl-C, or the process received a signal to end. */
export function interruption(message = 'interrupted; nothing was changed'): CommandFailure {
  return CommandFailure.of(130, 'interrupted', message);
}

/** The result of the work, unless the signal aborts first. Only for work that reads and can be dropped at any point. */
export function unlessInterrupted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return unlessAborted(work, signal, () => {
    throw interruption();
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
