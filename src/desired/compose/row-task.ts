import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import { wholeReference } from '../../manifest/references.ts';
import type { ShapeFinding } from '../../manifest/shape-words.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { TaskKind } from '../../model/kind.ts';
import type { Layer } from './layer.ts';
import type { TableRow } from './row.ts';

export function head({ manifestKind }: TaskKind): JsonObject {
  return { apiVersion: 'tradeform/v1', kind: manifestKind };
}

/** A field that is missing because its cell is empty: the problem is reported at the cell. */
export function emptyCell(
  { document, prefix, row }: Layer,
  { path, missing, message }: ShapeFinding,
  address: string | undefined,
): Diagnostic | undefined {
  if (missing === undefined || row === undefined) return undefined;
  const reference = wholeReference(document.get(...prefix, ...path, missing));
  const place = reference?.scope === 'row' ? row.place(reference.name) : undefined;
  if (place === undefined) return undefined;
  const { source, start, end } = place;
  const hint = `the cell is empty, so the field is left out; write a value for ${reference?.name}`;
  return source.diagnostic({ code: 'missing-field', message, hint, start, end }, address);
}

export function nameIn({ metadata }: JsonObject): Json | undefined {
  return isObject(metadata) ? metadata.name : undefined;
}

/** The name comes from the body or from the column `name`. Annotations of the set apply to each of its tasks. */
export function metadataOf(set: Manifest, body: JsonObject, row: TableRow): JsonObject {
  const metadata = isObject(body.metadata) ? body.metadata : {};
  const found = row.find('name');
  const name =
    'secret' in found && !found.secret && found.value !== null ? { name: String(found.value) } : {};
  const shared = set.object('metadata', 'annotations');
  const own = isObject(metadata.annotations) ? metadata.annotations : {};
  const annotations = shared === undefined ? own : { ...shared, ...own };
  return {
    ...name,
    ...metadata,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}
