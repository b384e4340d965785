import { lstatSync, mkdirSync, readdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

const OFF = /^(?:off|no|false|0)$/i;
/** What all projects of a user keep at most, in bytes. */
const MOST = 512 * 1024 * 1024;
/** What a run left behind that was ended; a running one needs its file for less than a second. */
const LEFT_BEHIND_MS = 60 * 60_000;

/** Where a user's caches belong; undefined where that is not known, or `TRADEFORM_CACHE` turns it off. */
export function cacheFolder(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (OFF.test(env.TRADEFORM_CACHE ?? '')) return undefined;
  const base = [env.XDG_CACHE_HOME, ...ofSystem(env, platform)].find(
    (path) => path !== undefined && isAbsolute(path),
  );
  return base === undefined ? undefined : join(base, 'tradeform');
}

function ofSystem(env: Environment, platform: NodeJS.Platform): readonly (string | undefined)[] {
  if (platform === 'win32') return [env.LOCALAPPDATA];
  if (env.HOME === undefined) return [];
  return [join(env.HOME, ...(platform === 'darwin' ? ['Library', 'Caches'] : ['.cache']))];
}

/** Makes the folder where it is not there. False where it is not the user's own, or others may write into it. */
export function isOwnFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stat = lstatSync(folder);
    return stat.isDirectory() && isOwn(stat);
  } catch {
    return false;
  }
}

/** The user's, and nobody else may write it. */
export function isOwn({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): boolean {
  // Windows has other rights, and a folder of the user is his own there.
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

/** Removes what was used longest ago, `written` never, until the folder is within its bounds. */
export function keepSmall(written: string, most = MOST): void {
  try {
    const folder = dirname(written);
    const files = readdirSync(folder)
      .filter((name) => name.endsWith('.pack') || name.endsWith('.tmp'))
      .map((name) => {
        const path = join(folder, name);
        const { size, mtimeMs } = statSync(path);
        return { path, size, mtimeMs };
      })
      .sort((left, right) => right.mtimeMs - left.mtimeMs);
    let room = most;
    for (const { path, size, mtimeMs } of files) {
      room -= size;
      const leftBehind = path.endsWith('.tmp') && Date.now() - mtimeMs > LEFT_BEHIND_MS;
      if (leftBehind || (room < 0 && path !== written)) rmSync(path, { force: true });
    }
  } catch {
    // Another run cleans up at the same time; it or the next one does the rest.
  }
}
