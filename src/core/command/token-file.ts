import { resolve } from 'node:path';
import { CommandFailure, type Diagnostic, problem, warning } from '../diagnostics/diagnostic.ts';
import { systemWords } from '../diagnostics/system-words.ts';
import { isOpenToOthers } from '../project/find-project.ts';
import { readAwaited } from './read-awaited.ts';

/** More than any token needs. A wrong path may name a large file. */
const MAX_BYTES = 4_096;

interface TokenFile {
  /** Absent if the file could not be read. */
  readonly text?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a token file, relative to `cwd`. A pipe is allowed (`--token-file <(vault read …)`). Its content is never repeated. `stop` ends the wait for a pipe. */
export async function readTokenFile(
  file: string,
  cwd: string,
  stop: AbortSignal | undefined,
): Promise<TokenFile> {
  const path = resolve(cwd, file);
  try {
    const { stat, bytes } = await readAwaited(path, MAX_BYTES, stop);
    if (bytes === undefined) return unreadable(path, 'it is too large for a token');
    const text = bytes.toString('utf8');
    if (!stat.isFile() || process.platform === 'win32') return { text, diagnostics: [] };
    const mode = stat.mode & 0o777;
    return { text, diagnostics: isOpenToOthers(stat) ? [looseMode(file, mode)] : [] };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    return unreadable(path, systemWords(error));
  }
}

function unreadable(path: string, why: string): TokenFile {
  return {
    diagnostics: [
      problem(
        'file-unreadable',
        `the token file ${path} cannot be read: ${why}`,
        'Name a file that contains only the token: --token-file FILE or TRADEFORM_TOKEN_FILE, relative to the working directory.',
      ),
    ],
  };
}

function looseMode(file: string, mode: number): Diagnostic {
  return warning(
    'token-file-mode',
    `other users can read the token file ${file} (mode ${mode.toString(8).padStart(3, '0')})`,
    `chmod 600 ${file}`,
  );
}
