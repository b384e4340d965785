import type { Manifest, Place, Places } from '../../manifest/manifest.ts';
import { placingReference } from '../../manifest/references.ts';
import type { ShapeFinding } from '../../manifest/shape-words.ts';
import { formatPath, type Path } from '../../manifest/spans.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Scope, TableRow } from './scope.ts';

/** A part of a composed manifest: a document, what it extends, the body of a task set with the values of a row, or a patch. */
export interface Layer {
  readonly document: Manifest;
  /** The path of the value in its document. */
  readonly prefix: Path;
  /** The value in the form of the composed manifest: `metadata`, `spec`. References are replaced. */
  readonly value: JsonObject;
  /** Paths within `value` that came from the environment. */
  readonly secrets: readonly Path[];
  /** True for what the manifest extends: only `spec.config` of it counts. */
  readonly extended: boolean;
  readonly row?: TableRow;
}

/** The places of a composed manifest. Each value has the place of the last layer that sets it. */
export class LayeredPlaces implements Places {
  #diagnosed: Set<string> | undefined;

  constructor(
    private readonly own: Layer,
    /** In the order of merging. */
    private readonly layers: readonly Layer[],
    private readonly scope: Scope,
  ) {}

  get ofRow(): boolean {
    return this.own.row !== undefined;
  }

  get length(): number {
    return this.layers.reduce((sum, { document }) => sum + document.places.length, 0);
  }

  find(path: Path, on: 'key' | 'value'): Place {
    const { layer, path: within, exact } = this.#locate(path);
    if (exact && on === 'value') {
      const reference = placingReference(writtenIn(layer, within));
      const place =
        reference?.scope === 'row'
          ? layer.row?.place(reference.name)
          : reference && this.scope.place(reference);
      if (place !== undefined) return place;
    }
    return layer.document.places.find([...layer.prefix, ...within], on);
  }

  text(path: Path): string {
    const { exact } = this.#locate(path);
    const { source, start, end } = this.find(path, 'value');
    return exact ? source.text.slice(start, end) : '';
  }

  isDiagnosed(path: Path): boolean {
    if (this.#diagnosed?.has(formatPath(path)) === true) return true;
    const { layer, path: within, exact } = this.#locate(path);
    return exact && layer.document.isDiagnosed([...layer.prefix, ...within]);
  }

  markDiagnosed(path: Path): void {
    this.#diagnosed ??= new Set();
    this.#diagnosed.add(formatPath(path));
  }

  get secrets(): readonly Path[] {
    return this.layers.flatMap((layer) =>
      layer.secrets.filter((path) => {
        const found = this.#locate(path);
        return found.exact && found.layer === layer;
      }),
    );
  }

  documentsOf(path: Path): readonly Json[] {
    return [...new Set([this.#locate(path).layer.document, this.own.document])].map(({ value }) => value);
  }

  /** The place of a mapping that several layers have is that of the manifest itself. */
  #mapping(layer: Layer, path: Path): Layer {
    const own = reach(this.own.value, path);
    return own.depth === path.length && isObject(own.value) ? this.own : layer;
  }

  #locate(path: Path): { readonly layer: Layer; readonly path: Path; readonly exact: boolean } {
    const config = path[0] === 'spec' && path[1] === 'config';
    for (let index = this.layers.length - 1; index >= 0; index -= 1) {
      const layer = this.layers[index];
      if (layer === undefined || (layer.extended && !config)) continue;
      const { depth, blocked, value } = reach(layer.value, path);
      if (depth === path.length) {
        return { layer: isObject(value) ? this.#mapping(layer, path) : layer, path, exact: true };
      }
      if (blocked) return { layer, path: path.slice(0, depth), exact: false };
    }
    return { layer: this.own, path, exact: false };
  }
}

/** What the document of a layer says at a path. A row gives its task the column `name`. */
export function writtenIn({ document, prefix, row }: Layer, path: Path): Json | undefined {
  const named = row !== undefined && formatPath(path) === 'metadata.name';
  return document.get(...prefix, ...path) ?? (named ? '${row.name}' : undefined);
}

/** Where a null removes the missing field: in the last layer that sets the field. */
export function removedIn(
  layers: readonly Layer[],
  { path, missing }: Pick<ShapeFinding, 'path' | 'missing'>,
): { readonly document: Manifest; readonly path: Path } | undefined {
  if (missing === undefined) return undefined;
  const at = [...path, missing];
  const config = at[0] === 'spec' && at[1] === 'config';
  const layer = layers.findLast(
    ({ extended, value }) => (config || !extended) && reach(value, at).depth === at.length,
  );
  return layer !== undefined && reach(layer.value, at).value === null
    ? { document: layer.document, path: [...layer.prefix, ...at] }
    : undefined;
}

/** How far a path leads, and to which value. Blocked if a value that is no mapping replaces the rest of the path. */
function reach(root: Json, path: Path): { depth: number; blocked: boolean; value: Json } {
  let value: Json = root;
  for (const [depth, segment] of path.entries()) {
    const child = isObject(value) || Array.isArray(value) ? step(value, segment) : undefined;
    if (child === undefined) return { depth, blocked: !isObject(value), value };
    value = child;
  }
  return { depth: path.length, blocked: false, value };
}

function step(value: JsonObject | Json[], segment: string | number): Json | undefined {
  if (Array.isArray(value)) return value[Number(segment)];
  return Object.hasOwn(value, segment) ? value[segment] : undefined;
}

/**
 * JSON merge patch (RFC 7396): mappings merge, null removes, everything else replaces. Neither argument is changed. The result
 * may share parts with them.
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
