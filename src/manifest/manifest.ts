import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic, Location } from '../diagnostics/diagnostic.ts';
import { NAME_PATTERN } from '../model/address.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { KINDS, type Kind } from '../model/kind.ts';
import type { Converted } from './convert.ts';
import type { SchemaNode } from './schema.ts';
import type { Source } from './source.ts';
import { indexOf, type Path } from './spans.ts';

/** What is wrong at a path of a manifest. */
export interface Problem {
  readonly severity?: 'warning';
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

const BY_MANIFEST_KIND: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [kind.manifestKind, kind]));

/** One document of a known kind: its value, which may still be of the wrong shape, and the place of everything in it. */
export class Manifest {
  readonly source: Source;
  readonly kindName: string;
  readonly schema: SchemaNode;
  readonly value: JsonObject;
  readonly #converted: Converted;
  readonly #diagnosed: Set<number>;

  constructor(source: Source, kindName: string, schema: SchemaNode, value: JsonObject, converted: Converted) {
    this.source = source;
    this.kindName = kindName;
    this.schema = schema;
    this.value = value;
    this.#converted = converted;
    this.#diagnosed = new Set(converted.diagnosed);
  }

  /** The collection's description; undefined for a project file. */
  get kind(): Kind | undefined {
    return BY_MANIFEST_KIND.get(this.kindName);
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
    return path.reduce<Json | undefined>((value, segment) => {
      if (Array.isArray(value)) return typeof segment === 'number' ? value[segment] : undefined;
      return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
    }, this.value);
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

  /** How long the document's own text is. Aliases let a short text stand for a long value. */
  get textLength(): number {
    const { start, end } = this.#converted.spans.at(0);
    return end - start;
  }

  /** Where a value starts; the nearest enclosing place where the field itself was left out. */
  location(path: Path): Location {
    return this.source.location(this.#place(path, 'value').start);
  }

  /** The value's own text; empty where it is not in the manifest. */
  sourceText(path: Path): string {
    const { exact } = indexOf(this.value, path);
    const { start, end } = this.#place(path, 'value');
    return exact ? this.source.text.slice(start, end) : '';
  }

  /** True where the value at the path already has a diagnostic: what else could be said of it may be a follow-up. */
  isDiagnosed(path: Path): boolean {
    const { index, exact } = indexOf(this.value, path);
    return exact && this.#diagnosed.has(index);
  }

  /** Remembers that the shape of the value at the path is wrong. */
  markDiagnosed(path: Path): void {
    this.#diagnosed.add(indexOf(this.value, path).index);
  }

  /** A diagnostic on the value at the path, or on its key. */
  diagnostic(
    path: Path,
    { severity, code, message, hint }: Problem,
    on: 'key' | 'value' = 'value',
  ): Diagnostic {
    const place = this.#place(path, on);
    return this.source.diagnostic(
      { ...(severity === undefined ? {} : { severity }), code, message, hint, ...place },
      this.address,
    );
  }

  #place(path: Path, on: 'key' | 'value'): { start: number; end: number } {
    const { index, exact } = indexOf(this.value, path);
    const { keyStart, keyEnd, start, end } = this.#converted.spans.at(index);
    const useKey = keyStart >= 0 && (on === 'key' || !exact);
    if (useKey) return { start: keyStart, end: keyEnd };
    // A whole mapping or list is not worth underlining: its first line is.
    return { start, end };
  }
}
