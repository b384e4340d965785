import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode } from '../diagnostics/system-words.ts';
import { stopped } from './interruption.ts';

/** Milliseconds between two looks at a pipe that has nothing to read. */
const PAUSE_MS = 20;
/** So many looks at a pipe without a writer: one may be about to open it. */
const LOOKS = 100;

/**
 * The bytes of a file that the command line names, which may be a pipe (`<(vault read …)`). Undefined if there are more than `most`.
 * Waits for the writer of a pipe until `stop` aborts. The pipe is opened without waiting: a thread that waits cannot be stopped, not
 * even by the end of the process.
 */
export async function readAwaited(
  path: string,
  most: number,
  stop: AbortSignal | undefined,
): Promise<{ readonly stat: Stats; readonly bytes: Buffer | undefined }> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = await handle.stat();
    if (stat.isFile()) return { stat, bytes: stat.size > most ? undefined : await handle.readFile() };
    const parts: Buffer[] = [];
    let size = 0;
    for (let look = 0; size <= most && look < LOOKS; ) {
      if (stop?.aborted) throw stopped(stop);
      const part = await available(handle);
      if (part?.length === 0 && size > 0) break;
      if (part === undefined || part.length === 0) await wait(PAUSE_MS);
      if (part?.length === 0) look += 1;
      if (part !== undefined) parts.push(part);
      size += part?.length ?? 0;
    }
    return { stat, bytes: size > most ? undefined : Buffer.concat(parts) };
  } finally {
    await handle.close();
  }
}

/** Undefined if there is nothing yet, and empty without a writer. */
async function available(handle: FileHandle): Promise<Buffer | undefined> {
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024));
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
}
