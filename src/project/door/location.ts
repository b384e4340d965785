import { fstatSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';

/**
 * The real path of an open file that was opened by `path`. Linux says it of the descriptor itself. Elsewhere the real path is
 * asked for anew, and must lead to the very file that is open. Throws where it leads to another one by now.
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
      // No /proc is mounted.
    }
  }
  const real = realpathSync.native(path);
  const ours = fstatSync(descriptor, { bigint: true });
  const there = lstatSync(real, { bigint: true });
  if (ours.dev !== there.dev || ours.ino !== there.ino)
    throw new Error('it was replaced while tradeform opened it');
  return real;
}

/** True for a real path that is the folder's real path, or below it. */
export function isInside(realFolder: string, real: string): boolean {
  const way = relative(realFolder, real);
  // On Windows the way to another drive is an absolute path.
  return way !== '..' && !way.startsWith(`..${sep}`) && !/^(?:[A-Za-z]:|[\\/])/.test(way);
}
