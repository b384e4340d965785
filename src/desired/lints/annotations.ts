import { type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import type { Json } from '../../model/json.ts';
import { type Silence, silencesIn } from './silence.ts';

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
