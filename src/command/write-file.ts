import { replaceFile } from '../project/replace-file.ts';
import { notWritten } from './unwritten.ts';

const NEW_FILE = 0o666;

interface ProjectFile {
  readonly path: string;
  readonly text: string;
  /** What people call it. */
  readonly name: string;
}

/**
 * Writes one file of a project, whole or not at all, with the folders above it; one that is there keeps its mode.
 * Fails (exit 1) with `file-unwritable`, (exit 3) with `file-outside-project` where a link on the way leads out of the project.
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
