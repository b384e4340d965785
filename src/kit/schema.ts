import type { Io } from '../core/command/io.ts';
import { readPackaged } from '../core/command/packaged.ts';
import { usage } from '../core/diagnostics/diagnostic.ts';
import { didYouMean, guessFirst } from '../core/diagnostics/suggest.ts';
import { KIND_NAMES, nameCalled } from '../core/manifest/schema.ts';
import { jsonText } from '../core/render/result.ts';

/** Documents of `-o json`, and the input of the sandbox. */
const DOCUMENTS = 'plan report result drift status sandbox log fleet-report policy'.split(' ');

/** What `tradeform schema` prints: any manifest, the kinds of manifests, and documents. */
export const SCHEMA_NAMES: readonly string[] = ['manifest', ...KIND_NAMES, ...DOCUMENTS];

/**
 * `tradeform schema [KIND]`: the JSON Schema of a manifest kind, by its name or its collection; without a name, the schema of any
 * manifest. Reads no project and sends nothing. Fails (exit 3) for an unknown name.
 */
export async function runSchema(kind: string | undefined, _options: object, io: Io): Promise<number> {
  const name = nameCalled(kind ?? 'manifest', SCHEMA_NAMES);
  if (name === undefined) {
    const near = didYouMean(kind ?? '', SCHEMA_NAMES);
    const list = `The schemas are ${SCHEMA_NAMES.join(', ')}.`;
    throw usage(`unknown schema ${JSON.stringify(kind)}`, guessFirst(near, list));
  }
  io.stdout(schemaText(name));
  return 0;
}

export function schemaText(name: string): string {
  const file = name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
  const folder = DOCUMENTS.includes(name) ? 'schemas' : 'schemas/manifest';
  return jsonText(JSON.parse(readPackaged(`${folder}/${file}.schema.json`)));
}
