import { problem } from '../../core/diagnostics/diagnostic.ts';
import { Source } from '../../core/manifest/source.ts';
import type { FileTree, FolderEntry, Standing } from '../../core/manifest/tree.ts';

/** No files at all: the base of a project that does not exist yet. */
export const EMPTY_TREE: FileTree = {
  find: (path) =>
    path === ''
      ? { type: 'folder', real: '' }
      : { type: 'broken', missing: true, problem: 'there is no such file or folder' },
  list: () => [],
  read: (file) => ({ diagnostic: problem('file-unreadable', `${file} does not exist`) }),
  prepare: () => undefined,
};

/** The tree with these new and changed files, so that a project can be tried before it is written. */
export function overlaid(tree: FileTree, texts: ReadonlyMap<string, string>): FileTree {
  const folders = new Set<string>();
  for (const file of texts.keys()) {
    const parts = file.split('/');
    for (let length = 0; length < parts.length; length += 1) folders.add(parts.slice(0, length).join('/'));
  }
  const standing = (path: string): Standing => {
    const below = tree.find(path);
    if (below.type !== 'broken' || !below.missing) return below;
    if (texts.has(path)) return { type: 'file', real: `${path} (new)` };
    return folders.has(path) ? { type: 'folder', real: `${path} (new)` } : below;
  };
  return {
    find: standing,
    list: (folder) => {
      const below = tree.find(folder);
      const known = below.type === 'folder' ? tree.list(folder) : [];
      const names = new Set(known.map(({ name }) => name));
      return [...known, ...added(folder, texts, folders).filter(({ name }) => !names.has(name))];
    },
    read: (file) => {
      const text = texts.get(file);
      return text === undefined ? tree.read(file) : { source: new Source(file, text) };
    },
    prepare: (files) => tree.prepare(files.filter((file) => !texts.has(file))),
  };
}

function added(
  folder: string,
  texts: ReadonlyMap<string, string>,
  folders: ReadonlySet<string>,
): readonly FolderEntry[] {
  const inside = (path: string) =>
    path !== '' && path.slice(0, Math.max(0, path.lastIndexOf('/'))) === folder;
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  return [
    ...[...texts.keys()].filter(inside).map((path): FolderEntry => ({ name: nameOf(path), type: 'file' })),
    ...[...folders].filter(inside).map((path): FolderEntry => ({ name: nameOf(path), type: 'folder' })),
  ];
}
