import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { EXAMPLES } from './example.ts';

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly for?: string;
    readonly extends?: readonly string[];
    readonly rows?: readonly Readonly<Record<string, unknown>>[];
    readonly rows_from?: string;
    readonly task?: {
      readonly metadata?: { readonly name?: string };
      readonly spec: { readonly extends?: readonly string[] };
    };
  };
}

const FLEET = join(EXAMPLES, 'fleet', 'manifests');
const COLLECTIONS: Readonly<Record<string, string>> = {
  SniperTask: 'sniper',
  CopyTradeTask: 'copy-trade',
  TransferSnipeTask: 'transfer-snipe',
  SniperTemplate: 'sniper-template',
  CopyTradeTemplate: 'copy-trade-template',
};

/**
 * Every task and template of the fleet and all that it extends, directly or nested: read from the manifests without any of
 * tradeform, to compare with what it plans.
 */
export function fleetBases(): ReadonlyMap<string, ReadonlySet<string>> {
  const documents = readdirSync(FLEET, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(FLEET, file), 'utf8')).map((document) => ({
        folder: join(FLEET, file, '..'),
        ...(document.toJS() as Document),
      })),
    );
  const parents = new Map(documents.map(({ metadata, spec }) => [metadata.name, spec.extends ?? []]));
  const all = (names: readonly string[]): string[] =>
    names.flatMap((name) => [name, ...all(parents.get(name) ?? [])]);
  const found = documents.flatMap(({ folder, kind, metadata, spec }): [string, readonly string[]][] => {
    if (kind === 'TaskSet') {
      const { metadata: own, spec: body } = spec.task ?? { spec: {} };
      return rowsOf(folder, spec).map((row) => {
        const filled = (text: string) =>
          text.replace(/\$\{row\.(\w+)\}/g, (_, column: string) => String(row[column]));
        const name = filled(own?.name ?? '${row.name}');
        return [`${spec.for}/${name}`, (body.extends ?? []).map(filled)];
      });
    }
    const collection = COLLECTIONS[kind];
    return collection === undefined ? [] : [[`${collection}/${metadata.name}`, spec.extends ?? []]];
  });
  return new Map(found.map(([address, names]) => [address, new Set(all(names))]));
}

/** The CSV files of the fleet quote nothing. */
function rowsOf(folder: string, { rows, rows_from }: Document['spec']) {
  if (rows !== undefined) return rows;
  const [head = '', ...lines] = readFileSync(join(folder, rows_from ?? ''), 'utf8')
    .trim()
    .split('\n');
  const columns = head.split(',');
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, index) => [columns[index] ?? '', cell])),
  );
}
