import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { Door } from './door/door.ts';
import { readSource, reason } from './read-file.ts';
import type { FileTree, FolderEntry } from './tree.ts';

/** A project directory on disk. */
export function diskTree(root: string): FileTree {
  const door = new Door(root);
  return {
    find(path) {
      try {
        const real = realpathSync.native(join(root, path));
        const stat = statSync(real);
        const why = door.whyOutside(real);
        if (why !== undefined) return { type: 'outside', folder: stat.isDirectory(), why };
        return { type: typeOf(stat), real };
      } catch (error) {
        const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        return { type: 'broken', missing, problem: reason(error) };
      }
    },
    list: (folder) =>
      readdirSync(join(root, folder), { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        type: entryType(entry, join(root, folder)),
      })),
    read: (file) => readSource(door, file, file),
    prepare: () => undefined,
  };
}

function entryType(entry: Dirent, folder: string): FolderEntry['type'] {
  if (entry.isSymbolicLink()) return 'link';
  const plain = typeOf(entry);
  if (plain !== 'other') return plain;
  // Some file systems list names without their types.
  const stat = lstatSync(join(folder, entry.name), { throwIfNoEntry: false });
  return stat === undefined ? 'other' : typeOf(stat);
}

function typeOf(thing: Pick<Stats, 'isFile' | 'isDirectory'>): 'file' | 'folder' | 'other' {
  return thing.isFile() ? 'file' : thing.isDirectory() ? 'folder' : 'other';
}
