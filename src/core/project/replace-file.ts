import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { locationOf } from './door/location.ts';
import { goalOf } from './door/straying.ts';

interface ReplaceOptions {
  /** The mode of a new file. It also applies to an existing file unless `keepsMode` is set. */
  readonly mode: number;
  /** An existing file keeps its mode. */
  readonly keepsMode?: boolean;
  /** Creates missing folders. */
  readonly folders?: boolean;
  /** The folder of a project that has no project file yet. */
  readonly top?: string | undefined;
}

/**
 * Writes a file completely or not at all, and so that it survives a power cut: into a temporary file beside it, which is then
 * renamed. Links are followed, but not out of their repository or project (`goalOf`). Only a regular file is ever replaced.
 * Throws a StrayingLink or the system's error, for example for a full disk. After an error only new folders may remain.
 */
export async function replaceFile(
  path: string,
  text: string,
  { mode, keepsMode, folders, top }: ReplaceOptions,
): Promise<void> {
  const goal = goalOf(path, top);
  const standing = statSync(goal, { throwIfNoEntry: false });
  if (standing?.isFile() === false) throw new Error('it is not a regular file');
  if (folders === true) await makeFolders(dirname(goal));
  const temporary = join(realpathSync.native(dirname(goal)), `.${basename(goal)}.${randomUUID()}.tmp`);
  const rights = keepsMode === true && standing !== undefined ? standing.mode & 0o777 : mode;
  try {
    const handle = await open(temporary, 'wx', rights);
    try {
      // A folder on the way may have been replaced by a link since the check.
      if (locationOf(handle.fd, temporary) !== temporary || goalOf(path, top) !== goal)
        throw new Error('a folder of its path was replaced');
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, goal);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(goal));
}

/** Removes what runs that were killed left beside these files, below `top` alone. Nobody else may write there. */
export async function removeLeftovers(paths: readonly string[], top: string): Promise<void> {
  const inside = (path: string) => {
    try {
      return [dirname(goalOf(path, top))];
    } catch {
      // The write says what is wrong with its path.
      return [];
    }
  };
  for (const folder of new Set(paths.flatMap(inside)))
    for (const name of await readdir(folder).catch(() => []))
      if (/^\..+\.[0-9a-f-]{36}\.tmp$/.test(name)) await rm(join(folder, name), { force: true });
}

/** Makes the missing folders one by one. Node's own way, `recursive`, never ends on some file systems: /proc, for example. */
export async function makeFolders(folder: string, mode = 0o777): Promise<void> {
  const above = dirname(folder);
  if (above === folder || existsSync(folder)) return;
  await makeFolders(above, mode);
  await mkdir(folder, { mode }).catch((error: NodeJS.ErrnoException) => {
    // Another run was faster.
    if (error.code !== 'EEXIST') throw error;
  });
}

/** The rename itself must survive a power cut. If a folder cannot be synced, the system syncs it later. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // Not every system can open folders.
  }
}
