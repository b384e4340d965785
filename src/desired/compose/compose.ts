import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { Manifest, type Problem } from '../../manifest/manifest.ts';
import { wholeReference } from '../../manifest/references.ts';
import { type SchemaNode, schemaAt } from '../../manifest/schema.ts';
import { checkShape, reportShape } from '../../manifest/shape.ts';
import type { ShapeFinding } from '../../manifest/shape-words.ts';
import type { Path } from '../../manifest/spans.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { type Kind, TASK_KINDS, type TaskKind } from '../../model/kind.ts';
import { type Base, type BaseKind, Bases, baseKindOf } from './bases.ts';
import type { ComposeInput } from './context.ts';
import { type Layer, LayeredPlaces } from './layer.ts';
import { mergePatch } from './merge.ts';
import { type Patch, Patches } from './patches.ts';
import type { Row } from './row.ts';
import { rowsOf } from './rows.ts';
import { type Lookup, Scope } from './scope.ts';
import { adapt, SHOWN, substitute } from './substitute.ts';
import { resolveWallets, type Told, Wallets } from './wallets.ts';

export interface Composed {
  /** One manifest for each resource and Removal, complete; their shape may be wrong, and then there is a diagnostic. */
  readonly manifests: readonly Manifest[];
  readonly diagnostics: readonly Diagnostic[];
  /** Names of the wallet books and their addresses. */
  readonly wallets: ReadonlyMap<string, string>;
}

/**
 * Puts in what manifests take from each other: variables, names of wallet books, what they extend, rows of task sets, and
 * the patches of the environment (DESIGN 2). Every later stage sees complete manifests whose every value knows its place.
 */
export function compose(input: ComposeInput): Composed {
  return new Composer(input).run();
}

const LATER = 'later';
const BODY: Path = ['spec', 'task'];

class Composer {
  readonly #input: ComposeInput;
  readonly #scope: Scope;
  readonly #patches: Patches;
  readonly #wallets = new Wallets();
  readonly #diagnostics: Diagnostic[] = [];
  readonly #own = new Map<Manifest, Layer>();
  readonly #adapted = new Map<Patch, Map<SchemaNode, Layer>>();
  readonly #bases: Bases;

  constructor(input: ComposeInput) {
    this.#input = input;
    this.#scope = new Scope(input);
    this.#patches = new Patches(input.project, input.environment);
    this.#readWallets();
    this.#bases = new Bases(this.#findBases(), (diagnostic) => this.#diagnostics.push(diagnostic));
  }

  run(): Composed {
    const { documents } = this.#input;
    this.#checkNames(documents.filter(({ kind, kindName }) => kind === undefined && kindName !== 'Project'));
    const manifests = documents.flatMap((document) => {
      if (document.kindName === 'TaskSet') return this.#expand(document);
      if (document.kindName === 'Removal') return [this.#removal(document)];
      const { kind } = document;
      return kind === undefined ? [] : [this.#single(document, kind)];
    });
    return {
      manifests,
      diagnostics: [...this.#diagnostics, ...this.#patches.unused(this.#input.whole)],
      wallets: this.#wallets.addresses,
    };
  }

  /** Resources have their own rule for this. */
  #checkNames(documents: readonly Manifest[]): void {
    const first = new Map<string, Manifest>();
    for (const document of documents) {
      const { kindName, name } = document;
      if (name === undefined) continue;
      const other = first.get(`${kindName} ${name}`);
      first.set(`${kindName} ${name}`, other ?? document);
      if (other === undefined) continue;
      const { file, line } = other.location(['metadata', 'name']);
      this.#say(document, ['metadata', 'name'], {
        code: 'duplicate-name',
        message: `two manifests are the ${kindName} ${name}`,
        hint: `the other one is ${file}:${line}`,
      });
    }
  }

  #say(document: Manifest, path: Path, problem: Problem | Told): void {
    if (document.isDiagnosed(path)) return;
    if (problem === 'told') {
      document.places.markDiagnosed(path);
      return;
    }
    this.#diagnostics.push(document.diagnostic(path, problem));
    if (problem.severity === undefined) document.places.markDiagnosed(path);
  }

  #readWallets(): void {
    for (const document of this.#input.documents) {
      if (document.kindName !== 'WalletBook') continue;
      const report = (path: Path, problem: Problem | Told) => this.#say(document, path, problem);
      const { value, secrets } = this.#substituted(document);
      this.#wallets.add(document, value, secrets, report);
    }
  }

  #findBases(): readonly Base[] {
    return this.#input.documents.flatMap((document) => {
      const { kind, kindName, name } = document;
      if (kindName !== 'Preset' && kind?.family !== 'template') return [];
      const address = kindName === 'Preset' ? `preset/${name ?? ''}` : document.address;
      const layers = [this.#ownLayer(document), ...this.#patchLayers(address, document.schema)];
      return [{ document, layers: layers.map((layer) => ({ ...layer, base: true })) }];
    });
  }

  /** A document with references and names of wallets replaced, those of rows apart. */
  #ownLayer(document: Manifest): Layer {
    const known = this.#own.get(document);
    if (known !== undefined) return known;
    const { value, secrets } = this.#substituted(document);
    const report = (path: Path, problem: Problem | Told) => this.#say(document, path, problem);
    const resolved = resolveWallets(value, document.schema, this.#wallets, secrets, report);
    const layer: Layer = {
      document,
      prefix: [],
      value: resolved.value,
      secrets: [...secrets, ...resolved.secrets],
      base: false,
    };
    this.#own.set(document, layer);
    return layer;
  }

  #substituted(document: Manifest): { readonly value: JsonObject; readonly secrets: readonly Path[] } {
    const { value, schema, places } = document;
    if (!places.find([], 'value').source.mayHoldReferences) return { value, secrets: [] };
    const set = document.kindName === 'TaskSet';
    const lookup: Lookup = (reference) =>
      set && reference.scope === 'row' ? LATER : this.#scope.find(reference);
    return substitute(value, schema, lookup, (path, problem) => this.#say(document, path, problem));
  }

  #patchLayers(address: string | undefined, schema: SchemaNode): readonly Layer[] {
    if (address === undefined) return [];
    return this.#patches.for(address).map((patch) => {
      const byKind = this.#adapted.get(patch) ?? new Map<SchemaNode, Layer>();
      this.#adapted.set(patch, byKind);
      const layer = byKind.get(schema) ?? this.#adapt(patch, schema);
      byKind.set(schema, layer);
      return layer;
    });
  }

  #adapt({ project, path: prefix, value }: Patch, schema: SchemaNode): Layer {
    const report = (path: Path, problem: Problem | Told) => this.#say(project, [...prefix, ...path], problem);
    const adapted = adapt(value, schema, (reference) => this.#scope.find(reference), report);
    const resolved = resolveWallets(adapted.value, schema, this.#wallets, adapted.secrets, report);
    const secrets = [...adapted.secrets, ...resolved.secrets];
    return { document: project, prefix, value: resolved.value, secrets, base: false };
  }

  #single(document: Manifest, kind: Kind): Manifest {
    const own = this.#ownLayer(document);
    const patches = this.#patchLayers(document.address, document.schema);
    const bases = baseKind(kind);
    return this.#assemble(kind.manifestKind, own, patches, (spec) =>
      bases === undefined ? NO_BASES : this.#basesOf(document, spec, ['spec'], bases),
    );
  }

  #removal(document: Manifest): Manifest {
    const patches = this.#patchLayers(`removal/${document.name ?? ''}`, document.schema);
    return this.#assemble('Removal', this.#ownLayer(document), patches, () => NO_BASES);
  }

  #basesOf(document: Manifest, spec: JsonObject, at: Path, kind: BaseKind): MergedBases {
    const { layers, whole } = this.#bases.layersOf(document, spec, at, kind);
    return { layers, whole, config: merged({}, layers) };
  }

  #assemble(
    kind: string,
    own: Layer,
    patches: readonly Layer[],
    basesOf: (spec: JsonObject) => MergedBases,
    problems: readonly PathProblem[] = [],
  ): Manifest {
    const { document } = own;
    const patched = patches.reduce<Json>((value, patch) => mergePatch(value, patch.value), own.value);
    const value = isObject(patched) ? patched : own.value;
    const spec = isObject(value.spec) ? value.spec : {};
    const bases = basesOf(spec);
    const counts = ({ code }: ShapeFinding) => bases.whole || code !== 'missing-field';
    if (value === document.value && bases.layers.length === 0) {
      this.#diagnostics.push(...reportShape(document, document.deferred.filter(counts)));
      return document;
    }
    // One after the other: merged with the manifest alone, a null of a patch would find nothing to remove.
    const config = bases.layers.length === 0 ? spec.config : merged(bases.config, [own, ...patches]);
    const whole = { ...value, spec: { ...spec, ...(config === undefined ? {} : { config }) } };
    const places = new LayeredPlaces(own, [...bases.layers, own, ...patches], this.#scope);
    const manifest = new Manifest(kind, kind, whole, places);
    // What a reference is worth is told where the manifest has it, whatever a patch puts over it.
    const alone = new Manifest(kind, kind, own.value, new LayeredPlaces(own, [own], this.#scope));
    for (const { path, problem } of problems) {
      this.#say(alone, path, problem);
      places.markDiagnosed(path);
    }
    for (const finding of checkShape(manifest).filter(counts)) {
      const empty = emptyCell(own, finding, manifest.address);
      this.#diagnostics.push(...(empty === undefined ? reportShape(manifest, [finding]) : [empty]));
    }
    return manifest;
  }

  /** The tasks of a task set. */
  #expand(set: Manifest): readonly Manifest[] {
    const kind = TASK_KINDS.find(({ collection }) => collection === set.get('spec', 'for'));
    const { value, secrets } = this.#ownLayer(set);
    const spec = isObject(value.spec) ? value.spec : {};
    const body = isObject(spec.task) ? spec.task : undefined;
    const report = (diagnostic: Diagnostic) => this.#diagnostics.push(diagnostic);
    const rows = rowsOf(set, spec, secrets, this.#input.table, report);
    if (kind === undefined || body === undefined) return [];
    const known = new Map<string, MergedBases>();
    const fill = { set, kind, body, secrets: within(secrets, BODY), known };
    return rows.map((row) => this.#fill(fill, row));
  }

  #fill({ set, kind, body, secrets, known }: Fill, row: Row): Manifest {
    const schema = schemaAt(set.schema, BODY);
    const problems: PathProblem[] = [];
    const report = (path: Path, problem: Problem | Told) => problems.push({ path, problem });
    const lookup: Lookup = (reference) =>
      reference.scope === 'row' ? row.find(reference.name) : this.#scope.find(reference);
    const filled = substitute(body, schema, lookup, report);
    const resolved = resolveWallets(filled.value, schema, this.#wallets, filled.secrets, report);
    const name = row.find('name');
    if ('secret' in name && name.secret && nameIn(filled.value) === undefined)
      report(['metadata', 'name'], SHOWN);
    const own: Layer = {
      document: set,
      prefix: BODY,
      value: { ...head(kind), ...resolved.value, metadata: metadataOf(set, resolved.value, row) },
      secrets: [...secrets, ...filled.secrets, ...resolved.secrets],
      base: false,
      row,
    };
    const address = `${kind.collection}/${String((own.value.metadata as JsonObject).name)}`;
    const patches = this.#patchLayers(address, schema);
    const basesOf = (spec: JsonObject) => {
      const key = JSON.stringify(spec.extends ?? []);
      const bases = known.get(key) ?? this.#basesOf(set, spec, [...BODY, 'spec'], baseKindOfTask(kind));
      known.set(key, bases);
      return bases;
    };
    return this.#assemble(kind.manifestKind, own, patches, basesOf, problems);
  }
}

interface PathProblem {
  readonly path: Path;
  readonly problem: Problem | Told;
}

interface Fill {
  readonly set: Manifest;
  readonly kind: TaskKind;
  readonly body: JsonObject;
  readonly secrets: readonly Path[];
  /** By what a row extends. */
  readonly known: Map<string, MergedBases>;
}

interface MergedBases {
  readonly layers: readonly Layer[];
  readonly whole: boolean;
  readonly config: JsonObject;
}

/** A config with those of layers merged into it, in their order. */
function merged(config: JsonObject, layers: readonly Layer[]): JsonObject {
  const result = layers.reduce<Json>((before, { value }) => {
    const own = isObject(value.spec) ? value.spec.config : undefined;
    return own === undefined ? before : mergePatch(before, own);
  }, config);
  return isObject(result) ? result : {};
}

const NO_BASES: MergedBases = { layers: [], whole: true, config: {} };

function baseKind(kind: Kind): BaseKind | undefined {
  if (kind.family === 'label') return undefined;
  return kind.family === 'task' ? baseKindOfTask(kind) : baseKindOf(kind.config);
}

function baseKindOfTask({ config, collection }: TaskKind): BaseKind {
  return { config, purpose: collection };
}

function head({ manifestKind }: TaskKind): JsonObject {
  return { apiVersion: 'tradeform/v1', kind: manifestKind };
}

/** A field that is missing since its cell is empty is told at the cell. */
function emptyCell(
  { document, prefix, row }: Layer,
  { path, missing, message }: ShapeFinding,
  address: string | undefined,
): Diagnostic | undefined {
  if (missing === undefined || row === undefined) return undefined;
  const reference = wholeReference(document.get(...prefix, ...path, missing));
  const place = reference?.scope === 'row' ? row.place(reference.name) : undefined;
  if (place === undefined) return undefined;
  const { source, start, end } = place;
  const hint = `the cell is empty, and so the field is left out; write a value for ${reference?.name}`;
  return source.diagnostic({ code: 'missing-field', message, hint, start, end }, address);
}

function nameIn({ metadata }: JsonObject): Json | undefined {
  return isObject(metadata) ? metadata.name : undefined;
}

/** The name is that of the body, or the column `name`; annotations of the set hold for each of its tasks. */
function metadataOf(set: Manifest, body: JsonObject, row: Row): JsonObject {
  const metadata = isObject(body.metadata) ? body.metadata : {};
  const found = row.find('name');
  const name =
    'secret' in found && !found.secret && found.value !== null ? { name: String(found.value) } : {};
  const shared = set.object('metadata', 'annotations');
  const own = isObject(metadata.annotations) ? metadata.annotations : {};
  const annotations = shared === undefined ? own : { ...shared, ...own };
  return {
    ...name,
    ...metadata,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

function within(paths: readonly Path[], prefix: Path): readonly Path[] {
  return paths
    .filter((path) => prefix.every((segment, index) => path[index] === segment))
    .map((path) => path.slice(prefix.length));
}
