import { type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../diagnostics/suggest.ts';
import { Manifest, type Problem } from '../../manifest/manifest.ts';
import { placingReference } from '../../manifest/references.ts';
import { type SchemaNode, schemaAt } from '../../manifest/schema.ts';
import { checkShape, reportShape } from '../../manifest/shape.ts';
import type { ShapeFinding } from '../../manifest/shape-words.ts';
import { type Path, startsWith } from '../../manifest/spans.ts';
import { addressParts, matchesAddress } from '../../model/address.ts';
import { MOST } from '../../model/bounds.ts';
import { madeOnce } from '../../model/by-key.ts';
import { isObject, type Json, type JsonObject, objectIn } from '../../model/json.ts';
import { API_VERSION, KINDS, type Kind, TASK_KINDS } from '../../model/kind.ts';
import { untilEnough } from '../enough.ts';
import { type Extended, ExtendedByName, type MergedExtended, mergedConfig, NONE } from './extended.ts';
import { type Layer, LayeredPlaces, mergePatch, removedIn, writtenIn } from './layer.ts';
import { type ComposeInput, type Lookup, rowsOf, Scope, type TableRow } from './scope.ts';
import { resolveWallets, SHOWN, substitute, type Told, Wallets } from './substitute.ts';
import { Used } from './unused.ts';

interface Composed {
  /** One complete manifest for each resource and Removal. A manifest with the wrong shape has a diagnostic. */
  readonly manifests: readonly Manifest[];
  readonly diagnostics: readonly Diagnostic[];
  /** Names of the wallet books and their addresses. */
  readonly wallets: ReadonlyMap<string, string>;
  readonly used: Used;
}

/**
 * Puts manifests together: variables, names of wallet books, what they extend, rows of task sets, and the patches of the
 * environment (DESIGN 2). Every later stage sees complete manifests, and each value knows its place.
 */
export function compose(input: ComposeInput): Composed {
  const manifests: Manifest[] = [];
  let wallets: Composed['wallets'] = new Map();
  let used = new Used();
  const diagnostics = untilEnough((report) => {
    const composer = new Composer(input, report);
    ({ wallets, used } = composer);
    for (const manifest of composer.run()) {
      manifests.push(manifest);
      const excess =
        manifests.length > MOST.resources
          ? `more than ${MOST.resources} tasks, templates and labels`
          : composer.mergesTooMuch
            ? 'extends and patches produce too much data in total'
            : undefined;
      if (excess === undefined) continue;
      const hint = 'each row of a task set counts; split the project';
      report(manifest.diagnostic([], { code: 'project-too-large', message: excess, hint }));
      return;
    }
    composer.finish();
  });
  return { manifests, diagnostics, wallets, used };
}

const BODY: Path = ['spec', 'task'];

class Composer {
  readonly #scope: Scope;
  readonly #patches: Patches;
  readonly #wallets: Wallets;
  readonly #own = new Map<Manifest, Layer>();
  readonly #adapted = new Map<Patch, Map<SchemaNode, Layer>>();
  readonly #extended: ExtendedByName;
  #merged = 0;

  constructor(
    private readonly input: ComposeInput,
    private readonly report: (diagnostic: Diagnostic) => void,
  ) {
    this.#scope = new Scope(input);
    this.#wallets = new Wallets(this.used);
    this.#patches = new Patches(input.project, input.environment);
    this.#readWallets();
    this.#extended = new ExtendedByName(this.#findExtended(), this.used, report);
  }

  get mergesTooMuch(): boolean {
    return this.#merged > MOST.mergedCharacters;
  }

  get used(): Used {
    return this.#scope.used;
  }

  get wallets(): Composed['wallets'] {
    return this.#wallets.addresses;
  }

  /** Manifests are created one at a time on demand, because a few lines can define any number of them. */
  *run(): Iterable<Manifest> {
    const { documents } = this.input;
    this.#checkNames(documents.filter(({ kind, kindName }) => kind === undefined && kindName !== 'Project'));
    for (const document of documents) {
      const { kind, kindName } = document;
      if (kindName === 'TaskSet') yield* this.#expand(document);
      else if (kindName === 'Removal') yield this.#removal(document);
      else if (kind !== undefined) yield this.#single(document, kind);
    }
  }

  /** The result after all manifests are created. */
  finish(): void {
    for (const diagnostic of this.#patches.unused(this.input.whole)) this.report(diagnostic);
  }

  /** Resources have their own rule about names. */
  #checkNames(documents: readonly Manifest[]): void {
    const first = new Map<string, Manifest>();
    for (const document of documents) {
      const { kindName, name } = document;
      if (name === undefined) continue;
      const other = madeOnce(first, `${kindName} ${name}`, () => document);
      if (other === document) continue;
      const { file, line } = other.location(['metadata', 'name']);
      this.#say(document, ['metadata', 'name'], {
        code: 'duplicate-name',
        message: `two ${kindName} manifests have the name ${name}`,
        hint: `the other one is at ${file}:${line}: give one of them another metadata.name`,
      });
    }
  }

  #say(document: Manifest, path: Path, problem: Problem | Told): void {
    if (document.isDiagnosed(path)) return;
    if (problem === 'told') {
      document.places.markDiagnosed(path);
      return;
    }
    this.report(document.diagnostic(path, problem));
    if (problem.severity === undefined) document.places.markDiagnosed(path);
  }

  #readWallets(): void {
    for (const document of this.input.documents) {
      if (document.kindName !== 'WalletBook') continue;
      const report = (path: Path, problem: Problem | Told) => this.#say(document, path, problem);
      const { value, secrets } = this.#substituted(document);
      this.#wallets.add(document, value, secrets, report);
    }
  }

  #findExtended(): readonly Extended[] {
    return this.input.documents.flatMap((document) => {
      const { kind, kindName, name } = document;
      if (kindName !== 'Preset' && kind?.family !== 'template') return [];
      const address = kindName === 'Preset' ? `preset/${name ?? ''}` : document.address;
      const layers = [this.#ownLayer(document), ...this.#patchLayers(address, document.schema)];
      return [{ document, layers: layers.map((layer) => ({ ...layer, extended: true })) }];
    });
  }

  /** A document with references and wallet names replaced, except in rows. */
  #ownLayer(document: Manifest): Layer {
    return madeOnce(this.#own, document, () => {
      const { value, secrets } = this.#substituted(document);
      const report = (path: Path, problem: Problem | Told) => this.#say(document, path, problem);
      const resolved = resolveWallets(value, document.schema, this.#wallets, report);
      const all = [...secrets, ...resolved.secrets];
      return { document, prefix: [], value: resolved.value, secrets: all, extended: false };
    });
  }

  #substituted(document: Manifest): { readonly value: JsonObject; readonly secrets: readonly Path[] } {
    const { value, schema, places } = document;
    if (!places.find([], 'value').source.mayHoldReferences) return { value, secrets: [] };
    const set = document.kindName === 'TaskSet';
    const lookup: Lookup = (reference) =>
      set && reference.scope === 'row' ? 'later' : this.#scope.find(reference);
    return substitute(value, schema, lookup, {
      report: (path, problem) => this.#say(document, path, problem),
      hide: (place) => document.hide(place),
    });
  }

  #patchLayers(address: string | undefined, schema: SchemaNode): readonly Layer[] {
    if (address === undefined) return [];
    return this.#patches.for(address).map((patch) => {
      const byKind = madeOnce(this.#adapted, patch, () => new Map<SchemaNode, Layer>());
      return madeOnce(byKind, schema, () => this.#adapt(patch, schema));
    });
  }

  #adapt({ project, path: prefix, value }: Patch, schema: SchemaNode): Layer {
    const report = (path: Path, problem: Problem | Told) => this.#say(project, [...prefix, ...path], problem);
    const hide = (place: Path) => project.hide([...prefix, ...place]);
    const lookup: Lookup = (reference) => this.#scope.find(reference);
    const adapted = substitute(value, schema, lookup, { report, hide }, true);
    const resolved = resolveWallets(adapted.value, schema, this.#wallets, report);
    const secrets = [...adapted.secrets, ...resolved.secrets];
    return { document: project, prefix, value: resolved.value, secrets, extended: false };
  }

  /** Counts merged values, because a large preset, many patches and many tasks multiply. */
  #merging(layers: readonly Layer[]): void {
    for (const { document, prefix } of layers) {
      const { start, end } = document.places.find(prefix, 'value');
      this.#merged += Math.max(end - start, MOST.leastMerged);
    }
  }

  #single(document: Manifest, kind: Kind): Manifest {
    const own = this.#ownLayer(document);
    const patches = this.#patchLayers(document.address, document.schema);
    return this.#assemble(kind.manifestKind, own, patches, (spec) =>
      this.#extendedOf(document, spec, ['spec'], kind),
    );
  }

  #removal(document: Manifest): Manifest {
    const patches = this.#patchLayers(`removal/${document.name ?? ''}`, document.schema);
    return this.#assemble('Removal', this.#ownLayer(document), patches, () => NONE);
  }

  #extendedOf(document: Manifest, spec: JsonObject, at: Path, kind: Kind): MergedExtended {
    const merged = this.#extended.merged(document, spec, at, kind);
    this.#merging(merged.layers);
    return merged;
  }

  #assemble(
    kind: string,
    own: Layer,
    patches: readonly Layer[],
    extendedOf: (spec: JsonObject) => MergedExtended,
    problems: readonly PathProblem[] = [],
  ): Manifest {
    const { document } = own;
    this.#merging([own, ...patches]);
    const patched = patches.reduce<Json>((value, patch) => mergePatch(value, patch.value), own.value);
    const value = isObject(patched) ? patched : own.value;
    const spec = objectIn(value.spec);
    const extended = extendedOf(spec);
    const counts = ({ code }: ShapeFinding) => extended.whole || code !== 'missing-field';
    if (value === document.value && extended.layers.length === 0) {
      for (const diagnostic of reportShape(document, document.deferred.filter(counts)))
        this.report(diagnostic);
      return document;
    }
    // One after the other. If patches were merged with the manifest alone, a null in a patch would find nothing to remove.
    const config =
      extended.layers.length === 0 ? spec.config : mergedConfig(extended.config, [own, ...patches]);
    const whole = { ...value, spec: { ...spec, ...(config === undefined ? {} : { config }) } };
    const layers = [...extended.layers, own, ...patches];
    const places = new LayeredPlaces(own, layers, this.#scope);
    const manifest = new Manifest(kind, kind, whole, places);
    // A problem of a reference is reported at its place in the manifest, even if a patch replaces the value.
    const alone = new Manifest(kind, kind, own.value, new LayeredPlaces(own, [own], this.#scope));
    for (const { path, problem } of problems) {
      this.#say(alone, path, problem);
      places.markDiagnosed(path);
    }
    for (const finding of checkShape(manifest)) {
      if (!counts(finding)) continue;
      const removed = removedIn(layers, finding);
      if (removed !== undefined) {
        const { message, code } = finding;
        const hint = `null removes this field, but ${manifest.address ?? 'the manifest'} needs it`;
        this.#say(removed.document, removed.path, { code, message, hint });
        continue;
      }
      const empty = emptyCell(own, finding, manifest.address);
      for (const diagnostic of empty === undefined ? reportShape(manifest, [finding]) : [empty])
        this.report(diagnostic);
    }
    return manifest;
  }

  *#expand(set: Manifest): Iterable<Manifest> {
    const kind = TASK_KINDS.find(({ collection }) => collection === set.get('spec', 'for'));
    const { value, secrets } = this.#ownLayer(set);
    const spec = objectIn(value.spec);
    const body = isObject(spec.task) ? spec.task : undefined;
    const rows = rowsOf(set, spec, secrets, this.input, this.report);
    if (kind === undefined || body === undefined) return;
    const schema = schemaAt(set.schema, BODY);
    const within = secrets.filter((path) => startsWith(path, BODY)).map((path) => path.slice(BODY.length));
    /** Results for rows, by what they extend. */
    const known = new Map<string, MergedExtended>();
    const extendedOf = (own: JsonObject) => {
      const key = JSON.stringify(own.extends ?? []);
      return madeOnce(known, key, () => this.#extendedOf(set, own, [...BODY, 'spec'], kind));
    };
    for (const row of rows) {
      const problems: PathProblem[] = [];
      const report = (path: Path, problem: Problem | Told) => problems.push({ path, problem });
      const lookup: Lookup = (reference) =>
        reference.scope === 'row' ? row.find(reference.name) : this.#scope.find(reference);
      // They are reported for the composed manifest, which knows its secrets by its layers.
      const filled = substitute(body, schema, lookup, { report, hide: () => {} });
      const resolved = resolveWallets(filled.value, schema, this.#wallets, report);
      const name = row.find('name');
      if ('secret' in name && name.secret && objectIn(filled.value.metadata).name === undefined)
        report(['metadata', 'name'], SHOWN);
      const metadata = metadataOf(set, resolved.value, row);
      const own: Layer = {
        document: set,
        prefix: BODY,
        value: { apiVersion: API_VERSION, kind: kind.manifestKind, ...resolved.value, metadata },
        secrets: [...within, ...filled.secrets, ...resolved.secrets],
        extended: false,
        row,
      };
      const patches = this.#patchLayers(`${kind.collection}/${String(metadata.name)}`, schema);
      yield this.#assemble(kind.manifestKind, own, patches, extendedOf, problems);
    }
  }
}

interface PathProblem {
  readonly path: Path;
  readonly problem: Problem | Told;
}

/** A field that is missing because its cell is empty: the problem is reported at the cell. */
function emptyCell(
  own: Layer,
  { path, missing, message }: ShapeFinding,
  address: string | undefined,
): Diagnostic | undefined {
  if (missing === undefined) return undefined;
  const reference = placingReference(writtenIn(own, [...path, missing]));
  const place = reference?.scope === 'row' ? own.row?.place(reference.name) : undefined;
  if (place === undefined) return undefined;
  const hint = `the cell is empty, so the field is left out; write a value for ${reference?.name}`;
  return place.source.diagnostic({ code: 'missing-field', message, hint, ...place }, address);
}

/** The name comes from the body or from the column `name`. Annotations of the set apply to each of its tasks. */
function metadataOf(set: Manifest, body: JsonObject, row: TableRow): JsonObject {
  const metadata = objectIn(body.metadata);
  const found = row.find('name');
  const name =
    'secret' in found && !found.secret && found.value !== null ? { name: String(found.value) } : {};
  const shared = set.object('metadata', 'annotations');
  const own = objectIn(metadata.annotations);
  const annotations = shared === undefined ? own : { ...shared, ...own };
  return { ...name, ...metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) };
}

/** A patch of the environment: its value is `{ spec: … }`. */
interface Patch {
  readonly project: Manifest;
  readonly path: Path;
  readonly target: string;
  readonly value: JsonObject;
}

const PATCHABLE: readonly string[] = [...KINDS.map(({ collection }) => collection), 'preset', 'removal'];
const FORM = 'an address is KIND/NAME, such as sniper/alpha or preset/fees; * stands for any text';

/** The patches of an environment by their target addresses, in order. */
class Patches {
  readonly #patches: readonly Patch[];
  readonly #used = new Set<Patch>();

  constructor(project: Manifest | undefined, environment: string | null) {
    const at = ['spec', 'environments', environment ?? '', 'patches'];
    const list = environment === null ? [] : (project?.list(...at) ?? []);
    this.#patches = list.flatMap((entry, index) => {
      if (project === undefined || !isObject(entry)) return [];
      const { target, patch } = entry;
      if (typeof target !== 'string' || !isObject(patch)) return [];
      return [{ project, path: [...at, index, 'patch'], target, value: patch }];
    });
  }

  /** Patches for an address. The address of a preset is `preset/NAME`. */
  for(address: string): readonly Patch[] {
    if (this.#patches.length === 0) return [];
    const matching = this.#patches.filter(({ target }) => matchesAddress(target, address));
    for (const patch of matching) this.#used.add(patch);
    return matching;
  }

  /**
   * Call it after everything is composed. A target that can never match is an error: a value that the patch lowers in this
   * environment would stay as high as elsewhere. A target that matches nothing at present gets a warning, unless the manifests
   * are incomplete.
   */
  unused(whole: boolean): readonly Diagnostic[] {
    return this.#patches
      .filter((patch) => !this.#used.has(patch))
      .flatMap(({ project, path, target }) => {
        const { collection } = addressParts(target);
        const possible = PATCHABLE.some((one) => matchesAddress(collection, one));
        if (possible && !whole) return [];
        const at = [...path.slice(0, -1), 'target'];
        const code = 'patch-unused';
        const message = `the patch for ${target} matches no manifest`;
        if (possible) return [project.diagnostic(at, warning(code, message, FORM))];
        return [project.diagnostic(at, { code, message, hint: didYouMean(collection, PATCHABLE) ?? FORM })];
      });
  }
}
