import { replaceFile } from '../project/replace-file.ts';
import { notWritten } from './unwritten.ts';

const NEW_FILE = 0o666;

interface ProjectFile {
  readonly path: string;
  readonly text: string;
  /** The name of the file in messages. */
  readonly name: string;
}

/**
 * Writes one project file completely or not at all, and creates missing folders. An existing file keeps its mode. Fails with
 * `file-unwritable` (exit 1), or with `file-outside-project` (exit 3) if a link on the way leads out of the project.
 */
export async function writeProjectFile({ path, text, name }: ProjectFile): Promise<void> {
  try {
    await replaceFile(path, text, {
      mode: NEW_FILE,
      keepsMode: true,
      folders: true,
    });
  } catch (error) {
    const hint = 'The file is unchanged; files before it were written. Run the command again.';
    throw notWritten(`${name} could not be written`, error, hint);
  }
}
