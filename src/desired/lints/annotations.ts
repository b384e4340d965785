import { type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import { isObject, type Json, objectIn } from '../../model/json.ts';

/** Which annotations turned a lint off: codes by the value of their document. */
export class UsedAnnotations {
  readonly #codes = new Map<Json, Set<string>>();

  add(document: Json, code: string): void {
    const codes = this.#codes.get(document);
    if (codes === undefined) this.#codes.set(document, new Set([code]));
    else codes.add(code);
  }

  has(document: Json, code: string): boolean {
    return this.#codes.get(document)?.has(code) === true;
  }
}

/** Problems of annotations that should turn a lint off. `codes` are the codes of the lints. */
export function checkAnnotations(
  documents: readonly Manifest[],
  codes: readonly string[],
  used: UsedAnnotations,
): readonly Diagnostic[] {
  return documents.flatMap((document) =>
    silencesIn(document.value).flatMap((silence) => {
      const problem = problemOf(silence, codes, used.has(document.value, silence.code));
      return problem === undefined ? [] : [document.diagnostic(silence.path, problem, 'key')];
    }),
  );
}

function problemOf({ code, reason }: Silence, codes: readonly string[], used: boolean): Problem | undefined {
  if (!codes.includes(code)) {
    return warning(
      'lint-annotation',
      `unknown lint ${JSON.stringify(code)}`,
      didYouMean(code, codes) ?? `only lints can be turned off: ${codes.join(', ')}`,
    );
  }
  if (reason === '') {
    return warning(
      'lint-annotation',
      `${code} stays on: the annotation gives no reason`,
      'write the reason, for the next reader',
    );
  }
  if (used) return undefined;
  return warning(
    'lint-unused',
    `the annotation turns nothing off: ${code} finds nothing here`,
    'remove the annotation, or it may hide a later finding',
  );
}

const PREFIX = 'lint.tradeform/';
/** In a manifest, and in the tasks of a task set. */
const PLACES: readonly Path[] = [
  ['metadata', 'annotations'],
  ['spec', 'task', 'metadata', 'annotations'],
];

/** One `lint.tradeform/CODE: reason` of a document. */
interface Silence {
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
function silencesIn(document: Json): readonly Silence[] {
  return PLACES.flatMap((place) => {
    const annotations = place.reduce<Json | undefined>(
      (value, key) => (isObject(value) ? value[key] : undefined),
      document,
    );
    return Object.entries(objectIn(annotations))
      .filter(([key]) => key.startsWith(PREFIX))
      .map(([key, reason]) => ({
        path: [...place, key],
        code: key.slice(PREFIX.length),
        reason: typeof reason === 'string' ? reason.trim() : '',
      }));
  });
}
