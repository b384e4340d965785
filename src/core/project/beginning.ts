import { open, stat } from 'node:fs/promises';
import { errorCode } from '../diagnostics/system-words.ts';

/** The first bytes of a regular file, as latin1. Empty if the file is missing or empty. */
export async function beginningOf(path: string, bytes: number): Promise<string> {
  const standing = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (standing === undefined) return '';
  // Opening a pipe would wait until somebody writes into it.
  if (!standing.isFile()) throw new Error('it is not a regular file');
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
