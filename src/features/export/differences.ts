import { withDefaults } from '../../desired/defaults.ts';
import type { DesiredTask, DesiredTemplate } from '../../desired/state.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from '../../model/json.ts';
import { kindOf, type TaskKind, type TemplateKind } from '../../model/kind.ts';
import type { LiveTemplate } from '../../model/resource.ts';
import { canonicalWallets, configDifferences, isUnordered } from '../../model/shape.ts';
import type { ManifestChange } from './manifest-edit.ts';
import type { ExportedTask } from './manifests/task.ts';
import { taskManifest } from './manifests/task.ts';
import { configSchema, writableConfig } from './manifests/writable.ts';

/** The differences of a manifest from the service below `spec`, except for fields that it leaves to the service. */
export interface Differences {
  readonly changes: readonly ManifestChange[];
  /** Fields whose live value no manifest can express. */
  readonly unsayable: readonly string[];
}

const NOTHING: Differences = { changes: [], unsayable: [] };

export function taskDifferences(
  desired: DesiredTask,
  subject: ExportedTask,
  label: (id: string) => string | undefined,
  project: string,
): Differences | string {
  const made = taskManifest(subject, { project, label });
  if (typeof made === 'string') return made;
  const spec = isObject(made.manifest.spec) ? made.manifest.spec : {};
  const ignored = new Set(desired.ignoreChanges);
  const { kind, task } = subject;
  const changes: ManifestChange[] = [];
  const note = unescaped(spec.remark) ?? '';
  if (!ignored.has('remark') && note !== desired.note) {
    changes.push(note === '' ? { path: ['remark'] } : { path: ['remark'], value: note });
  }
  const name = task.risk_label_id === null ? null : label(task.risk_label_id);
  if (!ignored.has('label') && name !== undefined && name !== desired.label) {
    changes.push(name === null ? { path: ['label'] } : { path: ['label'], value: name });
  }
  if (task.target_wallet !== desired.target_wallet) {
    changes.push({ path: ['target_wallet'], value: task.target_wallet });
  }
  changes.push(...linkedChange(desired, spec, ignored));
  const config = configChanges(kind, desired.config, task.config, desired.ignoreChanges);
  const unlabelled = name === undefined && !ignored.has('label') ? ['label'] : [];
  return { changes: [...changes, ...config.changes], unsayable: [...unlabelled, ...config.unsayable] };
}

export function templateDifferences(desired: DesiredTemplate, live: LiveTemplate): Differences {
  return configChanges(kindOf(live.collection), desired.config, live.config, []);
}

export function labelDifferences(
  desired: { readonly sort_order: number },
  order: number | null,
): Differences {
  if (order === null || order === desired.sort_order) return NOTHING;
  return { changes: [{ path: ['sort_order'], value: order }], unsayable: [] };
}

function linkedChange(
  desired: DesiredTask,
  spec: JsonObject,
  ignored: ReadonlySet<string>,
): readonly ManifestChange[] {
  if (desired.linked_wallets === undefined || ignored.has('linked_wallets')) return [];
  const live = Array.isArray(spec.linked_wallets) ? spec.linked_wallets.map(String) : [];
  const lifecycle = isObject(spec.lifecycle) ? spec.lifecycle.ignore_changes : undefined;
  if (Array.isArray(lifecycle) && lifecycle.includes('linked_wallets')) return [];
  const same = jsonEqual([...canonicalWallets(live)], [...canonicalWallets(desired.linked_wallets)]);
  if (same) return [];
  return [
    live.length === 0 ? { path: ['linked_wallets'] } : { path: ['linked_wallets'], value: live, set: true },
  ];
}

/** In a manifest, `$${` means `${`. */
function unescaped(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value.replaceAll('$${', () => '${') : undefined;
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
  const within = (path: string, others: readonly string[]) =>
    others.some((other) => path === other || path.startsWith(`${other}.`) || other.startsWith(`${path}.`));
  const paths = configDifferences(kind.config, desired, live)
    .filter(({ legacy }) => legacy !== true)
    .map(({ path }) => path.split('[', 1)[0] ?? '');
  const open = [...new Set(paths)].filter((path) => !within(`config.${path}`, ignored));
  // Fields can depend on each other: beside a field that cannot be expressed, other values may contradict it.
  const told = unsayable.filter((path) => !within(path, ignored));
  const sayable = told.length > 0 ? [] : open;
  return {
    changes: sayable.map((path) => {
      const keys = path.split('.');
      const value = keys.reduce<Json | undefined>(
        (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
        live,
      );
      return {
        path: ['config', ...keys],
        ...(value === undefined ? {} : { value }),
        ...(isUnordered(path) ? { set: true } : {}),
      };
    }),
    unsayable: told,
  };
}
