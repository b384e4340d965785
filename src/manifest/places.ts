import type { Json } from '../model/json.ts';
import type { Source } from './source.ts';
import type { Spans } from './spans.ts';
import { indexOf, type Path } from './spans.ts';

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

/** The places of one document. */
export class DocumentPlaces implements Places {
  readonly secrets = [];
  readonly #source: Source;
  readonly #value: Json;
  readonly #root: Place;
  /** Created when a place is first needed. Most manifests never need one. */
  #spans: Spans | (() => Spans);
  readonly length: number;
  /** Created with the first diagnostic. Most manifests have none. */
  #diagnosed: Set<number> | undefined;

  constructor(
    source: Source,
    value: Json,
    { start, end }: Pick<Place, 'start' | 'end'>,
    spans: Spans | (() => Spans),
    diagnosed: readonly number[],
  ) {
    this.#source = source;
    this.#value = value;
    this.#spans = spans;
    this.#root = { source, start, end };
    this.length = source.mayHoldAliases ? Number.POSITIVE_INFINITY : end - start;
    if (diagnosed.length > 0) this.#diagnosed = new Set(diagnosed);
  }

  find(path: Path, on: 'key' | 'value'): Place {
    if (path.length === 0 && typeof this.#spans === 'function') return this.#root;
    const { index, exact } = indexOf(this.#value, path);
    if (typeof this.#spans === 'function') this.#spans = this.#spans();
    const { keyStart, keyEnd, start, end } = this.#spans.at(index);
    const useKey = keyStart >= 0 && (on === 'key' || !exact);
    return useKey
      ? { source: this.#source, start: keyStart, end: keyEnd }
      : { source: this.#source, start, end };
  }

  documentsOf(): readonly Json[] {
    return [this.#value];
  }

  text(path: Path): string {
    const { exact } = indexOf(this.#value, path);
    const { start, end } = this.find(path, 'value');
    return exact ? this.#source.text.slice(start, end) : '';
  }

  isDiagnosed(path: Path): boolean {
    if (this.#diagnosed === undefined) return false;
    const { index, exact } = indexOf(this.#value, path);
    return exact && this.#diagnosed.has(index);
  }

  markDiagnosed(path: Path): void {
    this.#diagnosed ??= new Set();
    this.#diagnosed.add(indexOf(this.#value, path).index);
  }
}
