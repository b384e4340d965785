import type { Diagnostic, Location } from '../diagnostics/diagnostic.ts';
import { NAME_PATTERN } from '../model/address.ts';
import type { DiagnosticCode } from '../model/generated/codes.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { KINDS, type Kind } from '../model/kind.ts';
import { aboutSecret, withoutValues } from '../model/secret.ts';
import { kindSchema, type SchemaNode, schemaAt, UNKNOWN } from './schema.ts';
import { formWords, type ShapeFinding } from './shape-words.ts';
import type { Finding, Source } from './source.ts';
import { formatPath, indexOf, type Path, type Spans, startsWith, valueBelow } from './spans.ts';

/** A problem at a path of a manifest. */
export type Problem = Omit<Finding, 'start' | 'end'>;

const BY_MANIFEST_KIND: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [kind.manifestKind, kind]));

/**
 * A manifest of a known kind: its value, which may still have the wrong shape, and the place of everything in it. It comes from
 * one document or is composed from several.
 */
export class Manifest {
  readonly schema: SchemaNode;
  /** The description of the collection. Undefined for a project file. */
  readonly kind: Kind | undefined;
  /** Findings that hold only if the value stays unchanged. Composition may fill in missing fields. */
  readonly deferred: ShapeFinding[] = [];
  readonly #hidden: Path[] = [];

  constructor(
    readonly kindName: string,
    /** The name of its schema and validator: `kind`, followed by `for` if the kind has one. */
    readonly schemaId: string,
    readonly value: JsonObject,
    readonly places: Places,
  ) {
    this.kind = BY_MANIFEST_KIND.get(kindName);
    this.schema = kindSchema(schemaId) ?? UNKNOWN;
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
    return valueBelow(this.value, path);
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
    return this.#hidden.length === 0 ? this.places.secrets : [...this.places.secrets, ...this.#hidden];
  }

  /** A reference at the path gives a value from the environment: no diagnostic about it repeats one. */
  hide(path: Path): void {
    this.#hidden.push(path);
  }

  /** True if the value at the path is from the environment, is part of such a value, or contains one. */
  isSecret(path: Path): boolean {
    return this.secrets.some((secret) => startsWith(path, secret) || startsWith(secret, path));
  }

  /** Values of the environment can also be quoted in words about another field. */
  #masked(text: string): string {
    const values = this.secrets.flatMap((path) => textsIn(this.get(...path) ?? null));
    const known = values.filter((value) => value !== '');
    const written = known.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
    return withoutValues(text, written);
  }

  #words(
    path: Path,
    { code, message, hint }: Problem,
    on: 'key' | 'value',
  ): Pick<Problem, 'message' | 'hint'> {
    const ofName = on === 'key' && OF_NAMES.has(code);
    if (!ofName && this.isSecret(path)) return secretWords(path, code, schemaAt(this.schema, path));
    return { message: this.#masked(message), hint: hint === undefined ? undefined : this.#masked(hint) };
  }

  /**
   * A diagnostic about the value at the path, or about its key. The words of a problem with a value from the environment are never
   * used, because they can say more than the value: a sum, a length, a corrected spelling. Such a diagnostic says what its code
   * says, and which form the field has.
   */
  diagnostic(path: Path, problem: Problem, on: 'key' | 'value' = 'value'): Diagnostic {
    const { severity, code } = problem;
    const { source, start, end } = this.places.find(path, on);
    const words = this.#words(path, problem, on);
    return source.diagnostic(
      { ...(severity === undefined ? {} : { severity }), code, ...words, start, end },
      this.address,
    );
  }
}

/** Problems of field names, which never come from the environment. */
const OF_NAMES: ReadonlySet<DiagnosticCode> = new Set(['unknown-field', 'missing-field', 'column-unused']);

function secretWords(path: Path, code: DiagnosticCode, schema: SchemaNode) {
  const form = formWords(schema);
  return {
    message: aboutSecret(formatPath(path), code),
    hint: form === undefined ? `\`tradeform explain ${code}\` says more` : `correct the variable: ${form}`,
  };
}

/** Every scalar within a value. */
export function textsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [String(value ?? '')];
}

/** A range of a text: offsets in UTF-16 units. */
export interface Place {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

/** The places of the values of a manifest, and which values already have a diagnostic. */
export interface Places {
  /** The value at the path, or its key. If it is absent, the nearest enclosing place. */
  find(path: Path, on: 'key' | 'value'): Place;
  /** The source text of the value. Empty if the value is absent. */
  text(path: Path): string;
  isDiagnosed(path: Path): boolean;
  markDiagnosed(path: Path): void;
  /** Paths of values from the environment, which are never shown. */
  readonly secrets: readonly Path[];
  /** True for a task that a row of a task set gives. */
  readonly ofRow?: boolean;
  /** The documents that the value at the path came through: the document that contains it, and the manifest's own. */
  documentsOf(path: Path): readonly Json[];
  /** The amount of text that the values can come from. Infinite if aliases may repeat some. */
  readonly length: number;
}

export class DocumentPlaces implements Places {
  readonly secrets = [];
  readonly #root: Place;
  readonly length: number;
  /** Created with the first diagnostic. Most manifests have none. */
  #diagnosed: Set<number> | undefined;

  constructor(
    private readonly source: Source,
    private readonly value: Json,
    { start, end }: Pick<Place, 'start' | 'end'>,

    /** Created when a place is first needed. Most manifests never need one. */
    private spans: Spans | (() => Spans),
    diagnosed: readonly number[],
  ) {
    this.#root = { source, start, end };
    this.length = source.mayHoldAliases ? Number.POSITIVE_INFINITY : end - start;
    if (diagnosed.length > 0) this.#diagnosed = new Set(diagnosed);
  }

  find(path: Path, on: 'key' | 'value'): Place {
    if (path.length === 0 && typeof this.spans === 'function') return this.#root;
    const { index, exact } = indexOf(this.value, path);
    if (typeof this.spans === 'function') this.spans = this.spans();
    const { keyStart, keyEnd, start, end } = this.spans.at(index);
    const useKey = keyStart >= 0 && (on === 'key' || !exact);
    return useKey
      ? { source: this.source, start: keyStart, end: keyEnd }
      : { source: this.source, start, end };
  }

  documentsOf(): readonly Json[] {
    return [this.value];
  }

  text(path: Path): string {
    const { exact } = indexOf(this.value, path);
    const { start, end } = this.find(path, 'value');
    return exact ? this.source.text.slice(start, end) : '';
  }

  isDiagnosed(path: Path): boolean {
    if (this.#diagnosed === undefined) return false;
    const { index, exact } = indexOf(this.value, path);
    return exact && this.#diagnosed.has(index);
  }

  markDiagnosed(path: Path): void {
    this.#diagnosed ??= new Set();
    this.#diagnosed.add(indexOf(this.value, path).index);
  }
}
