import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CommandFailure, type Diagnostic, type Location, problemIn } from '../diagnostics/diagnostic.ts';
import { errorCode, systemWords } from '../diagnostics/system-words.ts';
import { decodeUtf8 } from '../manifest/decode.ts';
import { Source } from '../manifest/source.ts';
import type { FileResult, FileTree, FolderEntry } from '../manifest/tree.ts';
import { Door } from './door/door.ts';
import { follow } from './door/straying.ts';
import { MAX_FILE_BYTES } from './read-bytes.ts';

/** The text of a regular file, by its path from the door's folder. `name` is its name in diagnostics. */
function readSource(door: Door, path: string, name: string): FileResult {
  try {
    const result = door.read(path);
    if (result.type === 'outside') return { diagnostic: outside(name, result.why) };
    if (result.type === 'not-regular') return { diagnostic: notRegular(name) };
    if (result.type === 'too-large') return { diagnostic: tooLarge(name, result.size) };
    return decodeSource(result.bytes, name);
  } catch (error) {
    return { diagnostic: unreadableFile(name, error) };
  }
}

/**
 * The text of a file that the command line names by its absolute path. The file may lie anywhere, but is not read through a
 * link that leads out of its repository or project. `name` is its name in diagnostics.
 */
export function readNamed(path: string, name: string): FileResult {
  try {
    const led = follow(path);
    if (!('real' in led))
      return { diagnostic: outside(name, `is reached through a link that leads outside ${led.home}`) };
    return readSource(new Door(dirname(led.real)), basename(led.real), name);
  } catch (error) {
    return { diagnostic: unreadableFile(name, error) };
  }
}

/** The same. Fails (exit 3) with the problem of the file. */
export function requireNamed(path: string, name: string): Source {
  const read = readNamed(path, name);
  if ('source' in read) return read.source;
  throw new CommandFailure(3, [read.diagnostic]);
}

/** A file that another file of the project names. `from` is the place of that name. */
export function readInside(tree: FileTree, file: string, from: Location): FileResult {
  const standing = tree.find(file);
  if (standing.type === 'broken') {
    const message = `the file ${file} cannot be read: ${standing.problem}`;
    const hint = 'the path is relative to the file that names it';
    return { diagnostic: problemIn(from, 'file-unreadable', message, hint) };
  }
  if (standing.type !== 'outside') return tree.read(file);
  return { diagnostic: problemIn(from, 'file-outside-project', `the file ${file} ${standing.why}`) };
}

/** The text of a file's bytes, which must be UTF-8. */
export function decodeSource(bytes: Uint8Array, name: string): FileResult {
  const decoded = decodeUtf8(bytes);
  if ('text' in decoded) {
    const source = new Source(name, decoded.text);
    return POINTER.test(decoded.text) ? { diagnostic: isPointer(source) } : withinBounds(source);
  }
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const source = new Source(name, decoded.before);
  const message = utf16 ? 'the file is UTF-16' : `the file is not UTF-8 from byte ${decoded.invalidAt} on`;
  const at = source.text.length;
  const hint = 'save it as UTF-8';
  return { diagnostic: source.diagnostic({ code: 'not-utf8', message, hint, start: at, end: at }) };
}

/** How git LFS begins the file that it puts in the place of another one. */
const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v\d+\s/;

function isPointer(source: Source): Diagnostic {
  return source.diagnostic({
    code: 'lfs-pointer',
    message: 'the file is a Git LFS pointer: its content was not fetched',
    hint: 'git lfs pull; commits have only the pointer, so keep manifests out of LFS (.gitattributes)',
    start: 0,
    end: 'version'.length,
  });
}

/** Checks the limits before the text is parsed. */
function withinBounds(source: Source): FileResult {
  const { excess } = source.measure;
  if (excess === undefined) return { source };
  const { message, hint, at } = excess;
  return { diagnostic: source.diagnostic({ code: 'file-too-large', message, hint, start: at, end: at + 1 }) };
}

export function unreadableFile(file: string, error: unknown): Diagnostic {
  return problemIn(file, 'file-unreadable', `the file cannot be read: ${systemWords(error)}`);
}

/** The diagnostic for a file of which nothing was read. `why` is the reason from `Door.whyOutside`. */
export function outside(file: string, why: string): Diagnostic {
  return problemIn(file, 'file-outside-project', `the file ${why}`);
}

export function notRegular(file: string): Diagnostic {
  const hint = 'a FIFO, socket or device cannot be a manifest; remove it or change spec.manifests';
  return problemIn(file, 'file-not-regular', 'not a regular file', hint);
}

export function tooLarge(file: string, size: number): Diagnostic {
  const message = `the file has ${size} bytes; at most ${MAX_FILE_BYTES} are allowed`;
  return problemIn(file, 'file-too-large', message, 'split it into several files');
}

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
        const missing = errorCode(error) === 'ENOENT';
        return { type: 'broken', missing, problem: systemWords(error) };
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
