import { CommandFailure, type Diagnostic, problem } from '../diagnostics/diagnostic.ts';
import { systemWords } from '../diagnostics/system-words.ts';
import { StrayingLink } from '../project/door/straying.ts';
import { replaceFile } from '../project/replace-file.ts';

/**
 * The diagnostic about a file that could not be written: `file-outside-project` if a link leads out of the project, else
 * `file-unwritable`.
 */
export function unwritten(what: string, error: unknown, hint: string): Diagnostic {
  const message = `${what}: ${systemWords(error)}`;
  return error instanceof StrayingLink
    ? problem(
        'file-outside-project',
        message,
        'tradeform does not write through links; to write there, name the target of the link.',
      )
    : problem('file-unwritable', message, hint);
}

/** The same as a command failure: exit 3 for a link, because the user can name another path, else exit 1. */
export function notWritten(what: string, error: unknown, hint: string): CommandFailure {
  const diagnostic = unwritten(what, error, hint);
  return new CommandFailure(diagnostic.code === 'file-outside-project' ? 3 : 1, [diagnostic]);
}

const NEW_FILE = 0o666;

/**
 * Writes one project file completely or not at all, and creates missing folders. An existing file keeps its mode. `name`: that of
 * the file in messages. `top`: the folder of a project that has no project file yet. Fails with
 * `file-unwritable` (exit 1), or with `file-outside-project` (exit 3) if a link on the way leads out of the project.
 */
export async function writeProjectFile({
  path,
  text,
  name,
  top,
}: Readonly<Record<'path' | 'text' | 'name', string>> & { readonly top?: string }): Promise<void> {
  try {
    await replaceFile(path, text, { mode: NEW_FILE, keepsMode: true, folders: true, top });
  } catch (error) {
    const hint = 'The file is unchanged; files before it were written. Run the command again.';
    throw notWritten(`${name} could not be written`, error, hint);
  }
}
