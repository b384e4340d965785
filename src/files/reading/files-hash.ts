import { createHash } from 'node:crypto';
import type { Source } from '../../manifest/source.ts';
import { Door } from '../door/door.ts';

/** The texts of files with their names, in this order, in one hash. */
export function hashOfTexts(sources: readonly Source[]): string {
  const hash = new FilesHash();
  for (const { file, text } of sources) hash.add(file, Buffer.byteLength(text), text);
  return hash.digest();
}

const MARK = Buffer.from('\ufeff');

/** The same of the files of a folder, without making texts of their bytes. Undefined where one of them cannot be read. */
export function hashOfFiles({ folder, names }: FilesToHash): string | undefined {
  const hash = new FilesHash();
  const door = new Door(folder);
  try {
    for (const name of names) {
      const read = door.read(name);
      if (read.type !== 'read') return undefined;
      const marked = MARK.equals(read.bytes.subarray(0, MARK.length));
      const bytes = marked ? read.bytes.subarray(MARK.length) : read.bytes;
      hash.add(name, bytes.length, bytes);
    }
  } catch {
    return undefined;
  }
  return hash.digest();
}

export interface FilesToHash {
  readonly folder: string;
  readonly names: readonly string[];
}

class FilesHash {
  readonly #hash = createHash('sha256');

  add(name: string, length: number, content: string | Uint8Array): void {
    // With its length, so that no text passes for the beginning of the next.
    this.#hash.update(`\n${JSON.stringify(name)} ${length}\n`).update(content);
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}
