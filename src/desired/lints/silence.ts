import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import { isObject, type Json } from '../../model/json.ts';

const PREFIX = 'lint.tradeform/';
/** In a manifest, and in the tasks of a task set. */
const PLACES: readonly Path[] = [
  ['metadata', 'annotations'],
  ['spec', 'task', 'metadata', 'annotations'],
];

/** One `lint.tradeform/CODE: reason` of a document. */
export interface Silence {
  readonly path: Path;
  readonly code: string;
  /** Trimmed. An empty reason turns nothing off. */
  readonly reason: string;
}

/**
 * The documents whose annotation turns `code` off for the value at `path`, identified by their values: the manifest itself, for
 * all its values, or the preset or template that sets the value. Empty if none does.
 */
export function silenced(manifest: Manifest, path: Path, code: DiagnosticCode): readonly Json[] {
  const documents = [...new Set([manifest.value, ...manifest.places.documentsOf(path)])];
  return documents.filter((document) =>
    silencesIn(document).some((silence) => silence.code === code && silence.reason !== ''),
  );
}

/** All annotations of a document that should turn a lint off. */
export function silencesIn(document: Json): readonly Silence[] {
  return PLACES.flatMap((place) => {
    const annotations = place.reduce<Json | undefined>(
      (value, key) => (isObject(value) ? value[key] : undefined),
      document,
    );
    return Object.entries(isObject(annotations) ? annotations : {})
      .filter(([key]) => key.startsWith(PREFIX))
      .map(([key, reason]) => ({
        path: [...place, key],
        code: key.slice(PREFIX.length),
        reason: typeof reason === 'string' ? reason.trim() : '',
      }));
  });
}
