import { fstatSync, readSync } from 'node:fs';
import { MOST } from '../model/bounds.ts';

export const MAX_FILE_BYTES = MOST.fileBytes;

export type BytesRead =
  | { readonly type: 'read'; readonly bytes: Uint8Array }
  | { readonly type: 'not-regular' }
  | { readonly type: 'too-large'; readonly size: number };

/**
 * The bytes of an open file, which stand until the next file is read. What it is is asked of the descriptor: a file that is
 * exchanged in between fools nobody. Only a regular file is read, and none that `whyOutside` gives a reason against.
 */
export function readDescriptor(
  descriptor: number,
  whyOutside: () => string | undefined,
): BytesRead | { readonly type: 'outside'; readonly why: string } {
  const stat = fstatSync(descriptor);
  if (!stat.isFile()) return { type: 'not-regular' };
  const why = whyOutside();
  if (why !== undefined) return { type: 'outside', why };
  if (stat.size > MAX_FILE_BYTES) return { type: 'too-large', size: stat.size };
  return { type: 'read', bytes: readAll(descriptor, stat.size) };
}

/** What most files fit into: thousands of buffers would wait for the garbage collector. */
const SCRATCH = Buffer.allocUnsafeSlow(64 * 1024);

/** Reads one byte more than is allowed at most: a file may grow while it is read. */
function readAll(descriptor: number, size: number): Uint8Array {
  let buffer = size < SCRATCH.length ? SCRATCH : Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (count === 0) return buffer.subarray(0, length);
    length += count;
    if (length === size) return buffer.subarray(0, length);
    if (length > MAX_FILE_BYTES) throw new Error('it grew while tradeform read it');
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
}
