import { CommandFailure } from '../diagnostics/diagnostic.ts';

/** Exit 130: somebody pressed Ctrl-C, or the process was told to end. */
export function interruption(message = 'interrupted; nothing was changed'): CommandFailure {
  return new CommandFailure(130, [{ severity: 'error', code: 'interrupted', message }]);
}

/** The work, unless the signal aborts first: for work that only reads, which may be dropped at any point. */
export async function unlessStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) throw interruption();
  let onAbort = () => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(interruption());
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The same for work that may end without a result: undefined once the signal aborts. */
export async function orStopped<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  if (signal.aborted) return undefined;
  let onAbort = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
