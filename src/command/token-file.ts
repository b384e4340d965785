import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Diagnostic, problem, warning } from '../diagnostics/diagnostic.ts';
import { isOpenToOthers } from '../project/find-project.ts';
import { tokenFromFile } from '../service/http/token.ts';
import { systemWords } from './system-words.ts';

/** More than any token needs. A wrong path may name a large file. */
const MAX_BYTES = 4_096;

interface TokenFile {
  /** Absent if the file could not be read. */
  readonly text?: string;
  /** Permission bits of a regular file, on systems that have them. */
  readonly mode?: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a token file, relative to `cwd`. A pipe is allowed (`--token-file <(vault read …)`). Its content is never repeated. */
export async function readTokenFile(file: string, cwd: string): Promise<TokenFile> {
  const path = resolve(cwd, file);
  try {
    const handle = await open(path, 'r');
    try {
      const stat = await handle.stat();
      const { bytesRead, buffer } = await readUpTo(handle, MAX_BYTES + 1);
      if (bytesRead > MAX_BYTES) return unreadable(path, 'it is too large for a token');
      const text = tokenFromFile(buffer.toString('utf8', 0, bytesRead));
      if (!stat.isFile() || process.platform === 'win32') return { text, diagnostics: [] };
      const mode = stat.mode & 0o777;
      return { text, mode, diagnostics: isOpenToOthers(stat) ? [looseMode(file, mode)] : [] };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return unreadable(path, systemWords(error));
  }
}

async function readUpTo(handle: Awaited<ReturnType<typeof open>>, most: number) {
  const buffer = Buffer.alloc(most);
  let bytesRead = 0;
  while (bytesRead < most) {
    const part = await handle.read(buffer, bytesRead, most - bytesRead, null);
    if (part.bytesRead === 0) break;
    bytesRead += part.bytesRead;
  }
  return { bytesRead, buffer };
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
