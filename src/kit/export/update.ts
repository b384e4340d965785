import type { DesiredResource, DesiredTask } from '../../core/desired/state.ts';
import { withDefaults } from '../../core/manifest/defaults.ts';
import type { Manifest } from '../../core/manifest/manifest.ts';
import { readManifests } from '../../core/manifest/read.ts';
import { literal, mayHoldReference, ofLiteral } from '../../core/manifest/references.ts';
import { schemaAt } from '../../core/manifest/schema.ts';
import { Source } from '../../core/manifest/source.ts';
import { formatPath, type Path } from '../../core/manifest/spans.ts';
import { matchesAddress } from '../../core/model/address.ts';
import { canonicalDecimal } from '../../core/model/decimal.ts';
import { overlaps } from '../../core/model/field-path.ts';
import { given } from '../../core/model/given.ts';
import { isObject, type Json, type JsonObject, jsonEqual, objectIn } from '../../core/model/json.ts';
import { kindOf, type TaskKind, type TemplateKind } from '../../core/model/kind.ts';
import { differingParts, partsOfKind, writtenParts } from '../../core/model/parts.ts';
import type { LiveTask } from '../../core/model/resource.ts';
import { configDifferences, isUnordered } from '../../core/model/shape.ts';
import type { Project } from '../../core/project/project.ts';
import { type EditRules, editManifest, type ManifestChange } from './pure/manifest-edit.ts';
import { type ExportedTask, type ManifestContext, taskManifest } from './pure/manifests.ts';
import { literally } from './pure/names.ts';
import { configSchema, writableConfig } from './pure/writable.ts';
import type { NamedLiveTask, NamedThing } from './subjects.ts';

/** What could not be written, and why, as a sentence. */
export interface LeftOut {
  readonly address: string;
  readonly id: string;
  readonly text: string;
  /** Only some fields of an existing manifest are affected. */
  readonly partly?: true;
}

interface UpdateInput extends ManifestContext {
  readonly existing: Project;
  /** Live resources with manifests. */
  readonly tasks: readonly NamedLiveTask[];
  readonly named: readonly NamedThing[];
  readonly mayWrite: (file: string) => boolean;
  /** Further paths of values that are never shown, by address. */
  readonly hidden: ReadonlyMap<string, readonly string[]> | undefined;
  /** Other environments use the manifests as well: what is live in one is written as a patch of this one. */
  readonly shared: boolean;
  /** False if the marker alone identifies the task. */
  readonly needsId: (task: LiveTask) => boolean;
}

interface Outdated {
  readonly address: string;
  readonly id: string;
  readonly secrets: readonly string[];
  readonly origin: DesiredTask['origin'];
  readonly differences: Differences;
  /** `metadata.id` was needed for the adoption. After a replacement it would name a deleted task. */
  readonly dropsId: boolean;
}

/** The files of the project with their manifests changed to match the live state. `state` stays what git wants. */
export function updatedFiles(input: UpdateInput): {
  readonly files: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
  readonly updated: readonly string[];
} {
  const { existing } = input;
  const files = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  const updated: string[] = [];
  const places = filesOf(existing);
  for (const one of outdated(input, leftOut)) {
    const { address, id, differences } = one;
    const say = (text: string) => leftOut.push({ address, id, text, partly: true });
    if (differences.unsayable.length > 0)
      say(`A manifest cannot express its ${differences.unsayable.join(', ')}.`);
    if (differences.changes.length === 0 && !one.dropsId) continue;
    const textOf = (name: string) => files.get(name) ?? existing.sources.get(name) ?? '';
    const edited = editOf(one, places.get(address), textOf, input, say);
    if (edited === undefined || edited.text === textOf(edited.file)) continue;
    files.set(edited.file, edited.text);
    updated.push(address);
  }
  return { files, leftOut, updated };
}

/** The file that gets the changes of one manifest, which is in `own` unless it is a row. Undefined after saying why there is none. */
function editOf(
  { address, differences, secrets, dropsId, origin }: Outdated,
  own: string | undefined,
  textOf: (file: string) => string,
  { existing, mayWrite, shared }: UpdateInput,
  say: (text: string) => void,
): { readonly file: string; readonly text: string } | undefined {
  const { environment = null, wallets = new Map<string, string>() } = existing.state ?? {};
  const patches = shared || (own === undefined && environment !== null);
  const file = patches ? existing.settings?.projectFile : own;
  if (file === undefined) {
    const places = differences.changes.map(({ path }) => placeText(formatPath(path), origin));
    if (places.length > 0) say(`A row of a task set gives it. Change it by hand: ${places.join(', ')}.`);
    return undefined;
  }
  if (!mayWrite(file)) {
    say(`It is written in ${file}, which is outside --out.`);
    return undefined;
  }
  const source = new Source(file, textOf(file));
  const found = patches
    ? undefined
    : readManifests(source).manifests.find((each) => each.address === address);
  if (found === undefined && !patches) return undefined;
  const { writable, elsewhere } = sorted(found, differences.changes, secrets);
  if (elsewhere.length > 0)
    say(`Its ${elsewhere.join(', ')} comes from a variable, or may have; change it by hand.`);
  const changes = dropsId ? [{ path: ['metadata', 'id'] }, ...writable] : writable;
  const text =
    found === undefined
      ? patched(source, environment ?? '', address, writable)
      : editManifest(source.text, found.places.find([], 'value').start, changes, rulesOf(found, wallets));
  if (text === undefined) say(`${file} has aliases; change it by hand.`);
  return text === undefined ? undefined : { file, text };
}

/** The project file with the changes in the last patch of the environment that has this target, or in a new one. */
function patched(
  source: Source,
  environment: string,
  address: string,
  changes: readonly ManifestChange[],
): string | undefined {
  const project = readManifests(source).manifests.find(({ kindName }) => kindName === 'Project');
  if (project === undefined || changes.length === 0) return source.text;
  const path = ['spec', 'environments', environment, 'patches'];
  const list = (project.list(...path) ?? []).map(objectIn);
  const last = list.findLastIndex(({ target }) => matchesAddress(String(target), address));
  const at = list[last]?.target === address ? last : list.length;
  const patch = changes.reduce(
    (all, change) => withValue(all, change.path, literally(change.value ?? null)),
    objectIn(list[at]?.patch),
  );
  const value = [...list.slice(0, at), { target: address, patch }, ...list.slice(at + 1)];
  const rules = { same: jsonEqual, write: (written: Json) => written, order: () => [] };
  return editManifest(source.text, project.places.find([], 'value').start, [{ path, value }], rules);
}

function withValue(object: JsonObject, [key = '', ...rest]: Path, value: Json): JsonObject {
  return { ...object, [key]: rest.length === 0 ? value : withValue(objectIn(object[key]), rest, value) };
}

/** `config.buy_amount (manifests/dips.csv:4)`. */
function placeText(path: string, origin: DesiredTask['origin']): string {
  const place = origin(path);
  return place === undefined ? path : `${path} (${place.file}:${place.line})`;
}

function outdated(input: UpdateInput, leftOut: LeftOut[]): readonly Outdated[] {
  const { tasks, named, needsId, shared, hidden } = input;
  const secretsOf = ({ address, secrets = [] }: DesiredResource) => [
    ...secrets,
    ...(hidden?.get(address) ?? []),
  ];
  const found: Outdated[] = [];
  for (const subject of tasks) {
    const { desired, address, task } = subject;
    if (desired === undefined) continue;
    const differences = taskDifferences(desired, { ...subject, rearm: desired.rearm }, input);
    if (typeof differences === 'string') leftOut.push({ address, id: task.id, text: differences });
    else {
      const dropsId = !shared && desired.id !== undefined && subject.owner === 'owned' && !needsId(task);
      const { origin } = desired;
      found.push({ address, id: task.id, secrets: secretsOf(desired), origin, differences, dropsId });
    }
  }
  for (const { address, id, desired, item } of named) {
    if (desired === undefined) continue;
    const differences =
      item.collection === 'label'
        ? labelDifferences('sort_order' in desired ? desired.sort_order : 0, item.sort_order)
        : 'config' in desired
          ? configChanges(kindOf(item.collection), desired.config, item.config, [])
          : { changes: [], unsayable: [] };
    const { origin } = desired;
    found.push({ address, id, secrets: secretsOf(desired), origin, differences, dropsId: false });
  }
  return found;
}

/** The file of the document of each address. Tasks of a task set have none. */
function filesOf({ sources }: Project): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const file of sources.keys()) {
    if (!/\.ya?ml$/.test(file)) continue;
    for (const { address } of readManifests(new Source(file, sources.get(file) ?? '')).manifests)
      if (address !== undefined) places.set(address, file);
  }
  return places;
}

/** Changes below `spec` as changes of the document, except for values that are written elsewhere. Without a manifest, for a patch, which replaces variables. */
function sorted(
  manifest: Manifest | undefined,
  changes: readonly ManifestChange[],
  secrets: readonly string[],
): { readonly writable: readonly ManifestChange[]; readonly elsewhere: readonly string[] } {
  const writable: ManifestChange[] = [];
  const elsewhere: string[] = [];
  const based = (manifest?.list('spec', 'extends') ?? []).length > 0;
  for (const change of changes) {
    const path = ['spec', ...change.path];
    const name = formatPath(change.path);
    const hidden = overlaps(secrets, name) || secrets.some((secret) => secret.startsWith(name));
    if (hidden || (manifest !== undefined && holdsReference(nearest(manifest, path)))) elsewhere.push(name);
    else if (change.value === undefined && based && change.path[0] === 'config')
      // A null is the only way to remove a field of a template or preset.
      writable.push({ path, value: null });
    else writable.push({ ...change, path });
  }
  return { writable, elsewhere };
}

/** The value at the path, or the nearest enclosing one that is no mapping. */
function nearest(manifest: Manifest, path: Path): Json | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const value = manifest.get(...path.slice(0, length));
    if (value !== undefined) return length === path.length || !isObject(value) ? value : undefined;
  }
  return undefined;
}

function holdsReference(value: Json | undefined): boolean {
  if (typeof value === 'string') return mayHoldReference(value.replaceAll('$${', ''));
  if (Array.isArray(value)) return value.some(holdsReference);
  return isObject(value) && Object.values(value).some(holdsReference);
}

function rulesOf({ schema }: Manifest, wallets: ReadonlyMap<string, string>): EditRules {
  const names = new Map([...wallets].map(([name, address]) => [address, name]));
  return {
    same: (written, wanted, path) => {
      const node = schemaAt(schema, path);
      if (node['x-decimal'] !== undefined)
        return canonicalDecimal(String(written)) === canonicalDecimal(String(wanted));
      if (node['x-address'] === true) return (wallets.get(String(written)) ?? written) === wanted;
      const plain = typeof written === 'string' ? ofLiteral(written) : written;
      return jsonEqual(plain, wanted) || (typeof plain === 'string' && plain.trim() === wanted);
    },
    write: (value, path) => {
      if (typeof value !== 'string') return value;
      if (schemaAt(schema, path)['x-address'] === true) return names.get(value) ?? value;
      return literal(value);
    },
    order: (path) => Object.keys(schemaAt(schema, path).properties ?? {}),
  };
}

/** The differences of a manifest from the service below `spec`, except for fields that it leaves to the service. */
interface Differences {
  readonly changes: readonly ManifestChange[];
  /** Fields whose live value no manifest can express. */
  readonly unsayable: readonly string[];
}

function taskDifferences(
  desired: DesiredTask,
  subject: ExportedTask,
  context: ManifestContext,
): Differences | string {
  const made = taskManifest(subject, context);
  if (typeof made === 'string') return made;
  const spec = objectIn(made.manifest.spec);
  const ignored = new Set(desired.ignoreChanges);
  const { kind, task } = subject;
  const changes: ManifestChange[] = [];
  const note = typeof spec.remark === 'string' ? ofLiteral(spec.remark) : '';
  if (!ignored.has('remark') && note !== desired.note)
    changes.push(note === '' ? { path: ['remark'] } : { path: ['remark'], value: note });
  const name = task.risk_label_id === null ? null : context.label(task.risk_label_id);
  if (!ignored.has('label') && name !== undefined && name !== desired.label)
    changes.push(name === null ? { path: ['label'] } : { path: ['label'], value: name });
  changes.push(...partChanges(desired, spec, ignored));
  const config = configChanges(kind, desired.config, task.config, desired.ignoreChanges);
  const unlabelled = name === undefined && !ignored.has('label') ? ['label'] : [];
  return { changes: [...changes, ...config.changes], unsayable: [...unlabelled, ...config.unsayable] };
}

function labelDifferences(desired: number, order: number | null): Differences {
  if (order === null || order === desired) return { changes: [], unsayable: [] };
  return { changes: [{ path: ['sort_order'], value: order }], unsayable: [] };
}

function partChanges(
  desired: DesiredTask,
  spec: JsonObject,
  ignored: ReadonlySet<string>,
): readonly ManifestChange[] {
  const lifecycle = objectIn(spec.lifecycle).ignore_changes;
  const unsayable = Array.isArray(lifecycle) ? lifecycle : [];
  return differingParts(desired, spec, partsOfKind(desired.collection))
    .filter(({ name }) => !ignored.has(name) && !unsayable.includes(name))
    .map(({ name }) => {
      const value = writtenParts(spec, desired.collection)[name];
      return { path: [name], ...given({ value }), ...(Array.isArray(value) ? { set: true } : {}) };
    });
}

function configChanges(
  kind: TaskKind | TemplateKind,
  desired: JsonObject,
  stored: JsonObject,
  ignored: readonly string[],
): Differences {
  const schema = configSchema(kind);
  const { config, unsayable } = writableConfig(kind, stored);
  const live = withDefaults(config, schema);
  const paths = configDifferences(kind.config, desired, live)
    .filter(({ legacy }) => legacy !== true)
    .map(({ path }) => path.split('[', 1)[0] ?? '');
  const open = [...new Set(paths)].filter((path) => !overlaps(ignored, `config.${path}`));
  // Fields can depend on each other: beside a field that cannot be expressed, other values may contradict it.
  const told = unsayable.filter((path) => !overlaps(ignored, path));
  const sayable = told.length > 0 ? [] : open;
  return {
    changes: sayable.map((path) => {
      const keys = path.split('.');
      const value = keys.reduce<Json | undefined>(
        (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
        live,
      );
      return { path: ['config', ...keys], ...given({ value }), ...(isUnordered(path) ? { set: true } : {}) };
    }),
    unsayable: told,
  };
}
