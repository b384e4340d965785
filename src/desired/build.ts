import type { Location } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { schemaAt } from '../manifest/schema.ts';
import { formatPath, type Path, parsePath } from '../manifest/spans.ts';
import { formatAddress } from '../model/address.ts';
import type { JsonObject } from '../model/json.ts';
import type { LabelKind, TaskKind, TemplateKind } from '../model/kind.ts';
import { withDefaults } from './defaults.ts';
import { entriesOf } from './rules/removals.ts';
import { shownName } from './rules/shown-names.ts';
import type { DesiredLabel, DesiredRemoval, DesiredTask, DesiredTemplate } from './state.ts';

/** Fields of the desired state that are under `metadata` in a manifest. */
const IN_METADATA: ReadonlySet<string> = new Set(['id', 'previous_name']);

/** The task of an error-free manifest, in the service's own form. */
export function buildTask(manifest: Manifest, kind: TaskKind): DesiredTask {
  const rearm = manifest.text('spec', 'rearm');
  const previousName = manifest.text('metadata', 'previous_name');
  const linked = (manifest.list('spec', 'linked_wallets') ?? []).map(String);
  const state = manifest.text('spec', 'state');
  return {
    ...common(manifest, kind.collection),
    collection: kind.collection,
    ...(previousName === undefined ? {} : { previousName }),
    state: state === 'active' || state === 'paused' ? state : 'manual',
    ...(rearm === undefined ? {} : { rearm }),
    note: manifest.text('spec', 'remark') ?? '',
    label: manifest.text('spec', 'label') ?? null,
    target_wallet: manifest.text('spec', 'target_wallet') ?? '',
    ...(kind.linkedWallets ? { linked_wallets: linked } : {}),
    config: config(manifest),
    ignoreChanges: (manifest.list('spec', 'lifecycle', 'ignore_changes') ?? []).map(String),
    adopt: manifest.text('spec', 'lifecycle', 'adopt') === 'never' ? 'never' : 'auto',
  };
}

export function buildTemplate(manifest: Manifest, kind: TemplateKind): DesiredTemplate {
  return {
    ...common(manifest, kind.collection),
    collection: kind.collection,
    ...named(manifest),
    config: config(manifest),
  };
}

/** `sort_order` is 0 if the manifest has none. */
export function buildLabel(manifest: Manifest, kind: LabelKind): DesiredLabel {
  const order = manifest.get('spec', 'sort_order');
  return {
    ...common(manifest, kind.collection),
    collection: kind.collection,
    ...named(manifest),
    sort_order: typeof order === 'number' ? order : 0,
  };
}

/** What an error-free Removal names. */
export function buildRemovals(manifest: Manifest): readonly DesiredRemoval[] {
  return entriesOf(manifest).flatMap(({ path, kind, name }) => {
    if (kind === undefined) return [];
    const { collection } = kind;
    const origin = () => manifest.location(path);
    return [
      { address: formatAddress(collection, name), collection, name, manifest: manifest.name ?? '', origin },
    ];
  });
}

function common(manifest: Manifest, collection: Parameters<typeof formatAddress>[0]) {
  const name = manifest.name ?? '';
  const id = manifest.text('metadata', 'id')?.toLowerCase();
  const secrets = manifest.secrets.map((path) => formatPath(path.slice(1))).sort();
  return {
    address: formatAddress(collection, name),
    name,
    ...(id === undefined ? {} : { id }),
    origin: originIn(manifest),
    ...(secrets.length === 0
      ? {}
      : { secrets, written: (path: string) => manifest.sourceText(originPath(path)) }),
  };
}

function named(manifest: Manifest) {
  const previousName = manifest.text('metadata', 'previous_name');
  return { shownName: shownName(manifest) ?? '', ...(previousName === undefined ? {} : { previousName }) };
}

function config(manifest: Manifest): JsonObject {
  return withDefaults(manifest.object('spec', 'config') ?? {}, schemaAt(manifest.schema, ['spec', 'config']));
}

/** Returns the place of each field of the desired state in its manifest. */
function originIn(manifest: Manifest): (path: string) => Location {
  return (path) => manifest.location(originPath(path));
}

function originPath(path: string): Path {
  const segments = parsePath(path);
  const [first] = segments;
  return [typeof first === 'string' && IN_METADATA.has(first) ? 'metadata' : 'spec', ...segments];
}
