import { fstatSync, readSync } from 'node:fs';
import { MOST } from '../model/bounds.ts';

export const MAX_FILE_BYTES = MOST.fileBytes;

export type BytesRead =
  | { readonly type: 'read'; readonly bytes: Uint8Array }
  | { readonly type: 'not-regular' }
  | { readonly type: 'too-large'; readonly size: number };

/**
 * The bytes of an open file. They are valid until the next file is read. The type is read from the descriptor, so that
 * exchanging the file in between has no effect. Only a regular file is read, and only if `whyOutside` gives no reason against
 * it.
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

/** Large enough for most files. A buffer for each of thousands of files would burden the garbage collector. */
const SCRATCH = Buffer.allocUnsafeSlow(64 * 1024);

/** Reads one byte more than the limit, because a file may grow in the meantime. */
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
