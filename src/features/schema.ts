import type { Io } from '../command/io.ts';
import { usage } from '../command/usage-error.ts';
import { didYouMean } from '../manifest/suggest.ts';
import { KINDS } from '../model/kind.ts';
import { jsonText } from '../render/result.ts';

/** Each is a chunk of its own: together they are larger than all of tradeform. */
const SCHEMAS: Readonly<Record<string, () => Promise<object>>> = {
  manifest: () => load(import('../../schemas/manifest/manifest.schema.json', { with: { type: 'json' } })),
  Project: () => load(import('../../schemas/manifest/project.schema.json', { with: { type: 'json' } })),
  SniperTask: () =>
    load(import('../../schemas/manifest/sniper-task.schema.json', { with: { type: 'json' } })),
  CopyTradeTask: () =>
    load(import('../../schemas/manifest/copy-trade-task.schema.json', { with: { type: 'json' } })),
  TransferSnipeTask: () =>
    load(import('../../schemas/manifest/transfer-snipe-task.schema.json', { with: { type: 'json' } })),
  SniperTemplate: () =>
    load(import('../../schemas/manifest/sniper-template.schema.json', { with: { type: 'json' } })),
  CopyTradeTemplate: () =>
    load(import('../../schemas/manifest/copy-trade-template.schema.json', { with: { type: 'json' } })),
  Label: () => load(import('../../schemas/manifest/label.schema.json', { with: { type: 'json' } })),
  Preset: () => load(import('../../schemas/manifest/preset.schema.json', { with: { type: 'json' } })),
  TaskSet: () => load(import('../../schemas/manifest/task-set.schema.json', { with: { type: 'json' } })),
  WalletBook: () =>
    load(import('../../schemas/manifest/wallet-book.schema.json', { with: { type: 'json' } })),
  Removal: () => load(import('../../schemas/manifest/removal.schema.json', { with: { type: 'json' } })),
  plan: () => load(import('../../schemas/plan.schema.json', { with: { type: 'json' } })),
  report: () => load(import('../../schemas/report.schema.json', { with: { type: 'json' } })),
  result: () => load(import('../../schemas/result.schema.json', { with: { type: 'json' } })),
  drift: () => load(import('../../schemas/drift.schema.json', { with: { type: 'json' } })),
  status: () => load(import('../../schemas/status.schema.json', { with: { type: 'json' } })),
  switch: () => load(import('../../schemas/switch.schema.json', { with: { type: 'json' } })),
  release: () => load(import('../../schemas/release.schema.json', { with: { type: 'json' } })),
  sandbox: () => load(import('../../schemas/sandbox.schema.json', { with: { type: 'json' } })),
  rehearsal: () => load(import('../../schemas/rehearsal.schema.json', { with: { type: 'json' } })),
};

/** What `tradeform schema` prints: manifest kinds, any manifest, and the documents of `-o json`. */
export const SCHEMA_NAMES: readonly string[] = Object.keys(SCHEMAS);

async function load(module: Promise<{ readonly default: object }>): Promise<object> {
  return (await module).default;
}

/**
 * `tradeform schema [KIND]`: the JSON Schema of a manifest kind, by its name or its collection; of any manifest where none
 * is named. Reads no project, sends nothing. Fails (exit 3) for what has no schema.
 */
export async function runSchema(kind: string | undefined, io: Io): Promise<number> {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_]/g, '');
  const collection = KINDS.find((one) => one.collection === kind)?.manifestKind;
  const name = SCHEMA_NAMES.find((one) => plain(one) === plain(collection ?? kind ?? 'manifest'));
  const schema = name === undefined ? undefined : SCHEMAS[name];
  if (schema === undefined) {
    const near = didYouMean(kind ?? '', SCHEMA_NAMES)?.replace(/^d/, 'D');
    throw usage(
      `there is no schema ${JSON.stringify(kind)}`,
      `${near === undefined ? '' : `${near} `}There are ${SCHEMA_NAMES.join(', ')}.`,
    );
  }
  io.stdout(jsonText(await schema()));
  return 0;
}

/** The text of one of SCHEMA_NAMES. */
export async function schemaText(name: keyof typeof SCHEMAS & string): Promise<string> {
  const schema = SCHEMAS[name];
  if (schema === undefined) throw new Error(`no schema ${name}`);
  return jsonText(await schema());
}
