import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import { isObject, type Json } from '../../model/json.ts';

const PREFIX = 'lint.tradeform/';
/** Of a manifest, and of the tasks of a task set. */
const PLACES: readonly Path[] = [
  ['metadata', 'annotations'],
  ['spec', 'task', 'metadata', 'annotations'],
];

/** One `lint.tradeform/CODE: reason` of a document. */
export interface Silence {
  readonly path: Path;
  readonly code: string;
  /** Trimmed; one that is empty turns nothing off. */
  readonly reason: string;
}

/**
 * The documents whose annotation turns `code` off for the value at `path`, by their values: that of the manifest itself, for
 * all of its values, and that of the preset or template where the value stands. Empty where none does.
 */
export function silenced(manifest: Manifest, path: Path, code: DiagnosticCode): readonly Json[] {
  const documents = [...new Set([manifest.value, ...manifest.places.documentsOf(path)])];
  return documents.filter((document) =>
    silencesIn(document).some((silence) => silence.code === code && silence.reason !== ''),
  );
}

/** All annotations of a document that mean to turn something off. */
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
