import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemWords } from '../../command/system-words.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { goalOf } from '../../project/door/straying.ts';
import { isPaged, PAGES, type PagedFormat } from './pages.ts';
import { type Seal, sealOf } from './seal.ts';

/** Larger than any document of tradeform. */
const MAX_BYTES = 512 * 1024 * 1024;

export interface SavedDocument {
  readonly document: JsonObject;
  readonly format: PagedFormat;
  readonly seal: Exclude<Seal, 'broken'>;
}

/**
 * Reads a document that `-o json` or `--report json=FILE` wrote, perhaps for somebody else. It must match its schema, and its
 * plans must match their checksums and digests. Fails (exit 3) with `document-invalid`.
 */
export async function readDocument(file: string, cwd: string): Promise<SavedDocument> {
  const document = await readJson(file, cwd);
  const format = isObject(document) ? document.format : undefined;
  if (!isObject(document) || !isPaged(format)) {
    const found =
      typeof format === 'string'
        ? `has the format ${JSON.stringify(format)}`
        : 'is not a document of tradeform';
    throw invalidDocument(
      `${file} ${found}`,
      `Pass what \`-o json\` printed; the formats are ${Object.keys(PAGES).join(', ')}.`,
    );
  }
  const { problemWith } = await import('./documents.ts');
  const units = format === 'tradeform.fleet/1' && Array.isArray(document.units) ? document.units : [];
  const parts = [
    document,
    ...units.flatMap((unit) => (isObject(unit) && isObject(unit.document) ? [unit.document] : [])),
  ];
  for (const part of parts) {
    const problem = isPaged(part.format) ? problemWith(part, part.format) : ' (an unknown format)';
    if (problem !== undefined) throw invalidDocument(`${file} is not valid${problem}`);
  }
  const seal = checkedSeal(document, file);
  if (seal === 'broken')
    throw invalidDocument(
      `${file} was changed after it was written: its content does not match its checksum or digest`,
      'Run the command again with this version of tradeform.',
    );
  return { document, format, seal };
}

function checkedSeal(document: JsonObject, file: string): Seal {
  try {
    return sealOf(document);
  } catch (error) {
    // The schemas leave some texts open, for example amounts. Documents of tradeform never use that freedom.
    throw invalidDocument(
      `${file} cannot be verified: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
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
