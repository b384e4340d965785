import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { MOST } from '../../model/bounds.ts';
import type { Json } from '../../model/json.ts';
import type { Listed } from './settings.ts';

/** A value of the project file by its path. Its problems are reported at that path. */
export class ProjectValue {
  readonly #project: Manifest;
  readonly #path: Path;
  readonly #diagnostics: Diagnostic[];

  constructor(project: Manifest, path: Path, diagnostics: Diagnostic[]) {
    this.#project = project;
    this.#path = path;
    this.#diagnostics = diagnostics;
  }

  get value(): Json | undefined {
    return this.#project.get(...this.#path);
  }

  get location() {
    return this.#project.location(this.#path);
  }

  /** The place of something below this value. */
  origin(path: Path) {
    return this.#project.location([...this.#path, ...path]);
  }

  /** The source text of the value: a number as it is written. */
  get written(): string {
    return this.#project.sourceText(this.#path).split('\n', 1)[0] ?? '';
  }

  at(...path: Path): ProjectValue {
    return new ProjectValue(this.#project, [...this.#path, ...path], this.#diagnostics);
  }

  /** Reports one problem for each value. A problem that the reader found already is not repeated. Always returns undefined. */
  wrong(problem: Problem, on: 'key' | 'value' = 'value'): undefined {
    if (on === 'value' && this.#project.isDiagnosed(this.#path)) return;
    this.#diagnostics.push(this.#project.diagnostic(this.#path, problem, on));
  }

  /** A list of texts. Undefined, with a diagnostic, for anything else. */
  texts(what: string): readonly Listed[] | undefined {
    const { value } = this;
    if (!Array.isArray(value)) {
      return this.wrong({
        code: 'wrong-type',
        message: `not a list of ${what}`,
        hint: `write [${this.written}]`,
      });
    }
    if (value.length > MOST.listed)
      return this.wrong({
        code: 'out-of-range',
        message: `${value.length} ${what}; at most ${MOST.listed} are allowed`,
      });
    const items = value.map((text, index) => {
      const place = this.at(index);
      if (typeof text === 'string' && text !== '') return { text, location: place.location };
      return place.wrong({ code: 'wrong-type', message: `a list of ${what} must contain text` });
    });
    const good = items.filter((item) => item !== undefined);
    return good.length === items.length ? good : undefined;
  }
}
