import type { Diagnostic, Location } from '../../diagnostics/diagnostic.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import type { Place } from '../../manifest/places.ts';
import type { Reference } from '../../manifest/references.ts';
import type { Source } from '../../manifest/source.ts';
import type { Path } from '../../manifest/spans.ts';
import { didYouMean, someOf } from '../../manifest/suggest.ts';
import type { Json } from '../../model/json.ts';
import { credentialProblem } from './credentials.ts';

/** The surroundings of composition, besides the manifests themselves. */
export interface ComposeInput {
  /** Every readable document, sorted by file and place. */
  readonly documents: readonly Manifest[];
  /** False if a file or document could not be read, so that its definitions are unknown. */
  readonly whole: boolean;
  /** The project file, for variables and patches. Undefined if there is none. */
  readonly project?: Manifest | undefined;
  readonly environment: string | null;
  /** A variable of the process environment. */
  readonly environmentVariable: (name: string) => string | undefined;
  /** Values of the process environment that must not appear in any manifest (`credentialsIn`). */
  readonly credentials: readonly string[];
  /** The text of a table, by its path from the project directory. `from` is the place that names it. */
  readonly table: (
    file: string,
    from: Location,
  ) => { readonly source: Source } | { readonly diagnostic: Diagnostic };
}

/** The value of a reference. */
export interface ReferenceValue {
  /** null: there is no value, and the field is left out. */
  readonly value: Json;
  /** From the environment: never shown. */
  readonly secret: boolean;
  /** A text that takes the type of its field, because the environment and CSV files have no types. */
  readonly untyped: boolean;
}

export type Lookup = (reference: Reference) => ReferenceValue | Problem | 'later';

/** tradeform's own settings cannot be used as values. Otherwise the token could be sent to the service as a value. */
const OWN = /^TRADEFORM_/i;

/** Variables of the project, its environment and the process. */
export class Scope {
  readonly #project: Manifest | undefined;
  readonly #places: readonly Path[];
  readonly #environment: string | null;
  readonly #input: ComposeInput;

  constructor(input: ComposeInput) {
    const { project, environment } = input;
    this.#input = input;
    this.#project = project;
    this.#environment = environment;
    const own = environment === null ? [] : [['spec', 'environments', environment, 'variables']];
    this.#places = [...own, ['spec', 'variables']];
  }

  find({ scope, name }: Reference): ReferenceValue | Problem {
    if (scope === 'env') return this.#variable(name);
    if (scope === 'row') {
      return {
        code: 'unknown-variable',
        message: `\${row.${name}} is used outside a TaskSet`,
        hint: 'rows belong to a TaskSet; write ${var.NAME} for a variable of the project file',
      };
    }
    const path = this.#pathOf(name);
    const value = path === undefined ? undefined : this.#project?.get(...path);
    if (value !== undefined) return { value, secret: false, untyped: false };
    return {
      code: 'unknown-variable',
      message: `no variable ${name}${this.#here()}`,
      hint: this.#hint(name),
    };
  }

  /** The place where a variable is defined. */
  place({ scope, name }: Reference): Place | undefined {
    const path = scope === 'var' ? this.#pathOf(name) : undefined;
    return path === undefined ? undefined : this.#project?.places.find(path, 'value');
  }

  #pathOf(name: string): Path | undefined {
    const place = this.#places.find((path) => Object.hasOwn(this.#project?.object(...path) ?? {}, name));
    return place === undefined ? undefined : [...place, name];
  }

  #here(): string {
    return this.#environment === null ? '' : ` in the environment ${this.#environment}`;
  }

  #hint(name: string): string {
    const known = this.#places.flatMap((path) => Object.keys(this.#project?.object(...path) ?? {}));
    const elsewhere = Object.keys(this.#project?.object('spec', 'environments') ?? {}).filter((environment) =>
      Object.hasOwn(this.#project?.object('spec', 'environments', environment, 'variables') ?? {}, name),
    );
    if (elsewhere.length > 0)
      return `it is defined in ${someOf(elsewhere)}; define it here too, or in spec.variables`;
    const near = didYouMean(name, known);
    if (near !== undefined) return near;
    return known.length === 0 ? 'the project file has none' : `the variables are ${someOf(known)}`;
  }

  #variable(name: string): ReferenceValue | Problem {
    if (OWN.test(name)) {
      return {
        code: 'env-not-here',
        message: `\${env.${name}} is a setting of tradeform itself`,
        hint: 'a token must never become part of a manifest; use another variable',
      };
    }
    const { environmentVariable, credentials } = this.#input;
    const value = environmentVariable(name);
    const problem = credentialProblem(name, value ?? '', credentials);
    if (problem !== undefined) return problem;
    if (value !== undefined && value !== '') return { value, secret: true, untyped: true };
    return {
      code: 'unknown-variable',
      message: `the environment variable ${name} is ${value === '' ? 'empty' : 'not set'}`,
      hint: `set ${name} in the environment of tradeform`,
    };
  }
}
