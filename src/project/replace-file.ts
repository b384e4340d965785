import { randomUUID } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { locationOf } from './door/location.ts';
import { goalOf } from './door/straying.ts';

interface ReplaceOptions {
  /** Of a file that is new; also of one that is there where `keepsMode` is not set. */
  readonly mode: number;
  /** A file that is there keeps its mode. */
  readonly keepsMode?: boolean;
  /** Makes the folders above it. */
  readonly folders?: boolean;
}

/**
 * Writes a file whole or not at all, and so that it outlives a power cut: into a temporary file beside it, which then takes
 * its place. Links are followed, but not out of the repository or project that they stand in (`goalOf`), and nothing but a
 * regular file is ever put away.
 * Throws a StrayingLink, or what the system says, a full disk included; nothing is left behind then, but folders that were made.
 */
export async function replaceFile(
  path: string,
  text: string,
  { mode, keepsMode, folders }: ReplaceOptions,
): Promise<void> {
  const goal = goalOf(path);
  const standing = statSync(goal, { throwIfNoEntry: false });
  if (standing?.isFile() === false) throw new Error('it is not a regular file');
  if (folders === true) await mkdir(dirname(goal), { recursive: true });
  const temporary = join(realpathSync.native(dirname(goal)), `.${basename(goal)}.${randomUUID()}.tmp`);
  const rights = keepsMode === true && standing !== undefined ? standing.mode & 0o777 : mode;
  try {
    const handle = await open(temporary, 'wx', rights);
    try {
      // A folder on the way may have been exchanged for a link since it was looked at.
      if (locationOf(handle.fd, temporary) !== temporary || goalOf(path) !== goal)
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

/** The rename itself must survive a power cut; where a folder cannot be synced, the system does it in its own time. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // Not every system opens folders.
  }
}
