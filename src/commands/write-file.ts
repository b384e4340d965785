import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandFailure } from '../diagnostics/diagnostic.ts';
import { replaceFile } from '../files/replace-file.ts';
import { systemWords } from './system-words.ts';

const NEW_FILE = 0o666;

/**
 * Writes one file of a project, whole or not at all, with the folders above it; one that is there keeps its mode. `name` is
 * what people call it. Fails (exit 1) with `file-unwritable`.
 */
export async function writeProjectFile(path: string, text: string, name: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const standing = await stat(path).catch(() => undefined);
    await replaceFile(path, text, standing === undefined ? NEW_FILE : standing.mode & 0o777);
  } catch (error) {
    throw new CommandFailure(1, [
      {
        severity: 'error',
        code: 'file-unwritable',
        message: `${name} could not be written: ${systemWords(error)}`,
        hint: 'It stands as it was; files before it are written. Run it again.',
      },
    ]);
  }
}
