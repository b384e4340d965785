import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CommandFailure } from '../../core/diagnostics/diagnostic.ts';
import { systemWords } from '../../core/diagnostics/system-words.ts';
import { type AnyDocument, DOCUMENT_FORMATS } from '../../core/documents/register.ts';
import { FLEET_FORMAT } from '../../core/model/generated/fleet-report.ts';
import { isObject } from '../../core/model/json.ts';
import { goalOf } from '../../core/project/door/straying.ts';

/** Larger than any document of tradeform. */
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Reads a document that `-o json` or `--report json=FILE` wrote, perhaps for somebody else. Fails (exit 3) with
 * `document-invalid` if it does not match its schema.
 */
export async function readDocument(file: string, cwd: string): Promise<AnyDocument> {
  const read = await readJson(file, cwd);
  if (!isDocument(read)) {
    const format = isObject(read) ? read.format : undefined;
    const found =
      typeof format === 'string'
        ? `has the format ${JSON.stringify(format)}`
        : 'is not a document of tradeform';
    throw invalidDocument(
      `${file} ${found}`,
      `Pass what \`-o json\` printed; the formats are ${DOCUMENT_FORMATS.join(', ')}.`,
    );
  }
  const { problemWith } = await import('../../core/documents/schemas.ts');
  const require = (part: unknown) => {
    const problem = isDocument(part) ? problemWith(part) : ' (an unknown format)';
    if (problem !== undefined) throw invalidDocument(`${file} is not valid${problem}`);
  };
  require(read);
  if (read.format === FLEET_FORMAT) read.units.flatMap(({ document }) => document ?? []).forEach(require);
  return read;
}

/** A document of tradeform by its format. Only its schema says whether it is valid. */
function isDocument(read: unknown): read is AnyDocument {
  return isObject(read) && DOCUMENT_FORMATS.some((format) => format === read.format);
}

async function readJson(file: string, cwd: string): Promise<unknown> {
  try {
    const path = goalOf(resolve(cwd, file));
    const found = await stat(path);
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size > MAX_BYTES) throw new Error('it is larger than any document of tradeform');
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    // For invalid JSON, the system's message would quote a part of the file.
    const why = error instanceof SyntaxError ? 'it is not JSON' : systemWords(error);
    throw invalidDocument(`${file} cannot be read: ${why}`);
  }
}

export function invalidDocument(
  message: string,
  hint = 'Run the command again with -o json or --report json=FILE.',
): CommandFailure {
  return CommandFailure.of(3, 'document-invalid', message, hint);
}
