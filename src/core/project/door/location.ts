import { fstatSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { errorCode } from '../../diagnostics/system-words.ts';

/**
 * The real path of an open file that was opened by `path`. On Linux it is read from the descriptor. Elsewhere the path is
 * resolved again and must lead to the same file. Throws if it leads to another file by now.
 */
export function locationOf(
  descriptor: number,
  path: string,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === 'linux') {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // /proc is not mounted.
    }
  }
  const real = realpathSync.native(path);
  const ours = fstatSync(descriptor, { bigint: true });
  const there = lstatSync(real, { bigint: true });
  if (ours.dev !== there.dev || ours.ino !== there.ino)
    throw new Error('it was replaced while tradeform opened it');
  return real;
}

/** True for the real path of the folder itself or of something below it. */
export function isInside(realFolder: string, real: string): boolean {
  const way = relative(realFolder, real);
  // On Windows, the relative path to another drive is absolute.
  return way !== '..' && !way.startsWith(`..${sep}`) && !/^(?:[A-Za-z]:|[\\/])/.test(way);
}

/** The path with links resolved. Undefined if it leads nowhere, or must not be followed. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** True also for links, wherever they lead. Nothing is below a file. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}
