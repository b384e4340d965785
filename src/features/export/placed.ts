import { addressParts } from '../../model/address.ts';
import { byKey } from '../../model/by-key.ts';
import { wrap } from '../../render/layout.ts';
import { manifestsYaml } from '../../render/manifest-yaml.ts';
import type { Exported } from './manifests/exported.ts';

export interface Placement {
  /** Below the project directory, with forward slashes. Empty for the directory itself. */
  readonly folder: string;
  /** One file for each kind instead of one for each resource. */
  readonly grouped: boolean;
}

/** Kinds that many manifests share are kept in one file. */
const TOGETHER: Readonly<Record<string, string>> = {
  label: 'labels',
  'wallet-book': 'wallets',
  preset: 'presets',
};

/** The file of a new manifest. */
export function fileOf({ address }: Exported, { folder, grouped }: Placement): string {
  const { collection, name = '' } = addressParts(address);
  const path = TOGETHER[collection] ?? (grouped ? collection : `${collection}/${name}`);
  return `${folder === '' ? '' : `${folder}/`}${path}.yaml`;
}

/** Manifests as YAML text, each with its notes above it. */
export function yamlOf(documents: readonly Exported[]): string {
  return manifestsYaml(
    documents.map(({ manifest, notes }) => ({
      manifest,
      ...(notes.length === 0 ? {} : { note: notes.flatMap(folded) }),
    })),
  );
}

const WIDTH = 98;

/** Indented text is a value, which stays on its line. */
function folded(line: string): readonly string[] {
  return line.startsWith(' ') ? [line] : wrap(line, WIDTH);
}

/** The texts of the files with new manifests at their ends. `textOf` returns the present text. */
export function withNew(
  documents: readonly Exported[],
  placement: Placement,
  textOf: (file: string) => string,
): ReadonlyMap<string, string> {
  const byFile = byKey(documents, (document) => fileOf(document, placement));
  return new Map(
    [...byFile].map(([file, own]) => {
      const before = textOf(file);
      const end = before === '' || before.endsWith('\n') ? '' : '\n';
      const separator = before.trim() === '' || /(?:^|\n)---[ \t]*\n$/.test(before) ? '' : '---\n';
      const text = yamlOf(own);
      return [file, `${before}${end}${separator}${before.includes('\r\n') ? crlf(text) : text}`];
    }),
  );
}

function crlf(text: string): string {
  return text.replaceAll('\n', '\r\n');
}
