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

/** A problem at a path of a manifest. */
export interface Problem {
  readonly severity?: 'warning';
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

const BY_MANIFEST_KIND: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [kind.manifestKind, kind]));

/**
 * A manifest of a known kind: its value, which may still have the wrong shape, and the place of everything in it. It comes from
 * one document or is composed from several.
 */
export class Manifest {
  readonly kindName: string;
  /** The name of its schema and validator: `kind`, followed by `for` if the kind has one. */
  readonly schemaId: string;
  readonly schema: SchemaNode;
  /** The description of the collection. Undefined for a project file. */
  readonly kind: Kind | undefined;
  readonly value: JsonObject;
  readonly places: Places;
  /** Findings that hold only if the value stays unchanged. Composition may fill in missing fields. */
  readonly deferred: ShapeFinding[] = [];

  constructor(kindName: string, schemaId: string, value: JsonObject, places: Places) {
    this.kindName = kindName;
    this.schemaId = schemaId;
    this.kind = BY_MANIFEST_KIND.get(kindName);
    this.schema = kindSchema(schemaId) ?? UNKNOWN;
    this.value = value;
    this.places = places;
  }

  /** `metadata.name`, if it is valid. */
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

  /** The start of a value. If the field is absent, the nearest enclosing place. */
  location(path: Path): Location {
    const { source, start } = this.places.find(path, 'value');
    return source.location(start);
  }

  /** The source text of the value. Empty if the value is absent. */
  sourceText(path: Path): string {
    return this.places.text(path);
  }

  /** True if the value at the path already has a diagnostic. Further problems of that value may only be consequences. */
  isDiagnosed(path: Path): boolean {
    return this.places.isDiagnosed(path);
  }

  /** Paths of values from the environment. */
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

  /** A diagnostic about the value at the path, or about its key. */
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

/** Every scalar within a value. */
function textsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [String(value ?? '')];
}
