import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { decodeUtf8 } from '../manifest/decode.ts';
import { Source } from '../manifest/source.ts';
import type { Door } from './door/door.ts';
import { MAX_FILE_BYTES } from './read-bytes.ts';
import type { FileResult } from './tree.ts';

/** The text of a regular file, by its path from the door's folder. `name` is its name in diagnostics. */
export function readSource(door: Door, path: string, name: string): FileResult {
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

/** The text of a file's bytes, which must be UTF-8. */
export function decodeSource(bytes: Uint8Array, name: string): FileResult {
  const decoded = decodeUtf8(bytes);
  if ('text' in decoded) {
    const source = new Source(name, decoded.text);
    return POINTER.test(decoded.text) ? { diagnostic: isPointer(source) } : withinBounds(source);
  }
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const source = new Source(name, decoded.before);
  return {
    diagnostic: {
      ...source.diagnostic({
        code: 'not-utf8',
        message: utf16 ? 'the file is UTF-16' : `the file is not UTF-8 from byte ${decoded.invalidAt} on`,
        hint: 'save it as UTF-8',
        start: source.text.length,
        end: source.text.length,
      }),
    },
  };
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
  return {
    severity: 'error',
    code: 'file-unreadable',
    message: `the file cannot be read: ${reason(error)}`,
    location: { file, line: 1, column: 1 },
  };
}

/** The error code and its meaning, without Node's message, which contains absolute paths. */
export function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const words: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    ENOENT: 'it does not exist',
    ELOOP: 'its symbolic links form a loop',
    EISDIR: 'it is a directory',
    ENOTDIR: 'a part of its path is not a directory',
    EMFILE: 'too many files are open',
    ENAMETOOLONG: 'its path is too long',
    ENXIO: 'it is a socket or a device without a reader',
  };
  return code === undefined ? (error instanceof Error ? error.message : 'unknown') : (words[code] ?? code);
}

/** The diagnostic for a file of which nothing was read. `why` is the reason from `Door.whyOutside`. */
export function outside(file: string, why: string): Diagnostic {
  return {
    severity: 'error',
    code: 'file-outside-project',
    message: `the file ${why}`,
    location: { file, line: 1, column: 1 },
  };
}

export function notRegular(file: string): Diagnostic {
  return {
    severity: 'error',
    code: 'file-not-regular',
    message: 'not a regular file',
    hint: 'a FIFO, socket or device cannot be a manifest; remove it or change spec.manifests',
    location: { file, line: 1, column: 1 },
  };
}

export function tooLarge(file: string, size: number): Diagnostic {
  return {
    severity: 'error',
    code: 'file-too-large',
    message: `the file has ${size} bytes; at most ${MAX_FILE_BYTES} are allowed`,
    hint: 'split it into several files',
    location: { file, line: 1, column: 1 },
  };
}
