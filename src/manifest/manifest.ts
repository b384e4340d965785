import type { Diagnostic, Location } from '../diagnostics/diagnostic.ts';
import { NAME_PATTERN } from '../model/address.ts';
import type { DiagnosticCode } from '../model/generated/codes.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { KINDS, type Kind } from '../model/kind.ts';
import { withoutValues } from '../model/secret.ts';
import type { Places } from './places.ts';
import { kindSchema, type SchemaNode, UNKNOWN } from './schema.ts';
import type { ShapeFinding } from './shape-words.ts';
import type { Path } from './spans.ts';

/** What is wrong at a path of a manifest. */
export interface Problem {
  readonly severity?: 'warning';
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

const BY_MANIFEST_KIND: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [kind.manifestKind, kind]));

/**
 * A manifest of a known kind: its value, which may still be of the wrong shape, and the place of everything in it. One
 * document, or what was made of several.
 */
export class Manifest {
  readonly kindName: string;
  /** What its schema and validator are called: `kind`, with `for` where the kind has one. */
  readonly schemaId: string;
  readonly schema: SchemaNode;
  /** The collection's description; undefined for a project file. */
  readonly kind: Kind | undefined;
  readonly value: JsonObject;
  readonly places: Places;
  /** Findings that hold only if the value stays as it is: composition may fill in what is missing. */
  readonly deferred: ShapeFinding[] = [];

  constructor(kindName: string, schemaId: string, value: JsonObject, places: Places) {
    this.kindName = kindName;
    this.schemaId = schemaId;
    this.kind = BY_MANIFEST_KIND.get(kindName);
    this.schema = kindSchema(schemaId) ?? UNKNOWN;
    this.value = value;
    this.places = places;
  }

  /** `metadata.name`, where it is one. */
  get name(): string | undefined {
    const name = this.text('metadata', 'name');
    return name !== undefined && NAME_PATTERN.test(name) ? name : undefined;
  }

  get address(): string | undefined {
    const { kind, name } = this;
    return kind === undefined || name === undefined ? undefined : `${kind.collection}/${name}`;
  }

  get(...path: Path): Json | undefined {
    let value: Json | undefined = this.value;
    for (const segment of path) {
      if (typeof value !== 'object' || value === null) return undefined;
      if (Array.isArray(value)) value = typeof segment === 'number' ? value[segment] : undefined;
      else value = Object.hasOwn(value, segment) ? value[segment] : undefined;
    }
    return value;
  }

  text(...path: Path): string | undefined {
    const value = this.get(...path);
    return typeof value === 'string' ? value : undefined;
  }

  object(...path: Path): JsonObject | undefined {
    const value = this.get(...path);
    return isObject(value) ? value : undefined;
  }

  list(...path: Path): readonly Json[] | undefined {
    const value = this.get(...path);
    return Array.isArray(value) ? value : undefined;
  }

  /** Where a value starts; the nearest enclosing place where the field itself was left out. */
  location(path: Path): Location {
    const { source, start } = this.places.find(path, 'value');
    return source.location(start);
  }

  /** The value's own text; empty where it is not there. */
  sourceText(path: Path): string {
    return this.places.text(path);
  }

  /** True where the value at the path already has a diagnostic: what else could be said of it may be a follow-up. */
  isDiagnosed(path: Path): boolean {
    return this.places.isDiagnosed(path);
  }

  /** Paths of values that came from the environment. */
  get secrets(): readonly Path[] {
    return this.places.secrets;
  }

  #masked(text: string): string {
    const values = this.secrets.flatMap((path) => textsIn(this.get(...path) ?? null));
    return withoutValues(
      text,
      values.filter((value) => value !== ''),
    );
  }

  /** A diagnostic on the value at the path, or on its key. */
  diagnostic(
    path: Path,
    { severity, code, message, hint }: Problem,
    on: 'key' | 'value' = 'value',
  ): Diagnostic {
    const { source, start, end } = this.places.find(path, on);
    const words = {
      message: this.#masked(message),
      hint: hint === undefined ? undefined : this.#masked(hint),
    };
    return source.diagnostic(
      { ...(severity === undefined ? {} : { severity }), code, ...words, start, end },
      this.address,
    );
  }
}

/** Every single value within a value. */
function textsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [String(value ?? '')];
}
