import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a file whole or not at all, and so that it outlives a power cut: into a temporary file beside it, which then takes
 * its place, with `mode`. Links are followed, and nothing but a regular file is ever put away.
 * Throws what the system says, a full disk included; nothing is left behind then.
 */
export async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const standing = await stat(path).catch(() => undefined);
  if (standing?.isFile() === false) throw new Error('it is not a regular file');
  const goal = standing === undefined ? path : await realpath(path);
  const temporary = join(dirname(goal), `.${basename(goal)}.${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
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
