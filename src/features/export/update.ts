import type { Manifest } from '../../manifest/manifest.ts';
import { readManifests } from '../../manifest/read.ts';
import { mayHoldReference } from '../../manifest/references.ts';
import { schemaAt } from '../../manifest/schema.ts';
import { Source } from '../../manifest/source.ts';
import { formatPath, type Path } from '../../manifest/spans.ts';
import { canonicalDecimal } from '../../model/decimal.ts';
import { isObject, type Json, jsonEqual } from '../../model/json.ts';
import type { LiveTask } from '../../model/resource.ts';
import { isSecretPath } from '../../model/secret.ts';
import type { Project } from '../../project/project.ts';
import { type Differences, labelDifferences, taskDifferences, templateDifferences } from './differences.ts';
import type { LeftOut } from './documents.ts';
import { type EditRules, editManifest, type ManifestChange } from './manifest-edit.ts';
import type { NamedThing } from './named-subjects.ts';
import type { NamedLiveTask } from './subjects.ts';

interface UpdateInput {
  readonly existing: Project;
  readonly project: string;
  /** Live resources with manifests. */
  readonly tasks: readonly NamedLiveTask[];
  readonly named: readonly NamedThing[];
  readonly label: (id: string) => string | undefined;
  readonly mayWrite: (file: string) => boolean;
  /** False if the marker alone identifies the task. */
  readonly needsId: (task: LiveTask) => boolean;
}

interface Updates {
  readonly files: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
  readonly updated: readonly string[];
}

/** A manifest that differs from the service. */
interface Outdated {
  readonly address: string;
  readonly id: string;
  readonly secrets: readonly string[];
  readonly differences: Differences;
  /** `metadata.id` was needed for the adoption. After a replacement it would name a deleted task. */
  readonly dropsId: boolean;
}

/** The files of the project with their manifests changed to match the live state. `state` stays what git wants. */
export function updatedFiles(input: UpdateInput): Updates {
  const { existing, mayWrite } = input;
  const files = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  const updated: string[] = [];
  const places = filesOf(existing);
  const wallets = existing.state?.wallets ?? new Map<string, string>();
  for (const one of outdated(input, leftOut)) {
    const { address, id, differences, secrets, dropsId } = one;
    const say = (text: string) => leftOut.push({ address, id, text, partly: true });
    if (differences.unsayable.length > 0)
      say(`A manifest cannot express its ${differences.unsayable.join(', ')}.`);
    if (differences.changes.length === 0 && !dropsId) continue;
    const file = places.get(address);
    if (file === undefined) {
      if (differences.changes.length === 0) continue;
      say('A task set describes it; change its row by hand.');
      continue;
    }
    if (!mayWrite(file)) {
      say(`Its manifest is ${file}, which is outside --out.`);
      continue;
    }
    const text = files.get(file) ?? existing.sources.get(file) ?? '';
    const manifest = manifestIn(file, text, address);
    if (manifest === undefined) continue;
    const { writable, elsewhere } = sorted(manifest, differences.changes, secrets);
    if (elsewhere.length > 0)
      say(`Its ${elsewhere.join(', ')} comes from a variable; change the variable by hand.`);
    const start = manifest.places.find([], 'value').start;
    const changes = dropsId ? [{ path: ['metadata', 'id'] }, ...writable] : writable;
    const edited = editManifest(text, start, changes, rulesOf(manifest, wallets));
    if (edited === undefined) say('Its manifest has aliases; change the manifest by hand.');
    else if (edited !== text) {
      files.set(file, edited);
      updated.push(address);
    }
  }
  return { files, leftOut, updated };
}

function outdated(
  { tasks, named, label, project, needsId }: UpdateInput,
  leftOut: LeftOut[],
): readonly Outdated[] {
  const found: Outdated[] = [];
  for (const subject of tasks) {
    const { desired, address, task } = subject;
    if (desired === undefined) continue;
    const differences = taskDifferences(desired, { ...subject, rearm: desired.rearm }, label, project);
    if (typeof differences === 'string') leftOut.push({ address, id: task.id, text: differences });
    else {
      const dropsId = desired.id !== undefined && subject.owner === 'owned' && !needsId(task);
      found.push({ address, id: task.id, secrets: desired.secrets ?? [], differences, dropsId });
    }
  }
  for (const { address, id, desired, item } of named) {
    if (desired === undefined) continue;
    const differences =
      item.collection === 'label'
        ? labelDifferences('sort_order' in desired ? desired : { sort_order: 0 }, item.sort_order)
        : 'config' in desired
          ? templateDifferences(desired, item)
          : { changes: [], unsayable: [] };
    found.push({ address, id, secrets: desired.secrets ?? [], differences, dropsId: false });
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

function manifestIn(file: string, text: string, address: string): Manifest | undefined {
  return readManifests(new Source(file, text)).manifests.find((one) => one.address === address);
}

/** Changes below `spec` as changes of the document, except for values that are written elsewhere. */
function sorted(
  manifest: Manifest,
  changes: readonly ManifestChange[],
  secrets: readonly string[],
): { readonly writable: readonly ManifestChange[]; readonly elsewhere: readonly string[] } {
  const writable: ManifestChange[] = [];
  const elsewhere: string[] = [];
  const based = (manifest.list('spec', 'extends') ?? []).length > 0;
  for (const change of changes) {
    const path = ['spec', ...change.path];
    const name = formatPath(change.path);
    const hidden = isSecretPath(secrets, name) || secrets.some((secret) => secret.startsWith(name));
    if (hidden || holdsReference(nearest(manifest, path))) elsewhere.push(name);
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
      const plain = typeof written === 'string' ? written.replaceAll('$${', () => '${') : written;
      return jsonEqual(plain, wanted) || (typeof plain === 'string' && plain.trim() === wanted);
    },
    write: (value, path) => {
      if (typeof value !== 'string') return value;
      if (schemaAt(schema, path)['x-address'] === true) return names.get(value) ?? value;
      return value.replaceAll('${', () => '$${');
    },
    order: (path) => Object.keys(schemaAt(schema, path).properties ?? {}),
  };
}
