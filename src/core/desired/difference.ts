import type { Address } from '../model/address.ts';
import { compareTexts } from '../model/compare-texts.ts';
import { PLAIN_PARTS } from '../model/generated/parts.ts';
import type { Field } from '../model/generated/plan.ts';
import { given } from '../model/given.ts';
import { type Json, jsonEqual, objectIn } from '../model/json.ts';
import { kindOf } from '../model/kind.ts';
import { shownField } from '../model/secret.ts';
import { configDifferences, configLeaves } from '../model/shape.ts';
import { manifestOf } from './as-manifest.ts';
import type { DesiredResource, DesiredState } from './state.ts';

/** The change of one address between two desired states. */
interface ResourceDifference {
  readonly address: Address;
  /** The former address, if `metadata.previous_name` names it. */
  readonly previous_address?: Address;
  readonly action: 'created' | 'changed' | 'removed';
  /** All fields of a created or removed resource. Values from the environment are hidden. */
  readonly fields: readonly Field[];
}

export interface StateDifference {
  /**
   * Settings of the project that decide what plans do: `prune.tasks`, `stopped_tasks`, …. Everything that Removals name is
   * `removals`.
   */
  readonly settings: readonly Field[];
  /** Sorted by address. */
  readonly resources: readonly ResourceDifference[];
  readonly unchanged: readonly Address[];
}

/** How the desired state differs. Amounts are compared by value and sets without order, as in a plan. */
export function compareStates(before: DesiredState, after: DesiredState): StateDifference {
  const was = byAddress(before);
  const now = byAddress(after);
  const former = renames(was, now);
  const resources: ResourceDifference[] = [];
  const unchanged: Address[] = [];
  for (const [address, resource] of now) {
    const renamed = former.get(address);
    const found = was.get(renamed?.address ?? address);
    if (found === undefined) {
      resources.push({ address, action: 'created', fields: fieldsOf(resource, 'after') });
      continue;
    }
    const fields = differences(found, resource);
    if (renamed === undefined && fields.length === 0) {
      unchanged.push(address);
      continue;
    }
    const previous = renamed === undefined ? {} : { previous_address: renamed.address };
    resources.push({ address, ...previous, action: 'changed', fields });
  }
  const kept = new Set([...former.values()].map(({ address }) => address));
  for (const [address, resource] of was) {
    if (now.has(address) || kept.has(address)) continue;
    resources.push({ address, action: 'removed', fields: fieldsOf(resource, 'before') });
  }
  return {
    settings: pairs(settingsOf(before), settingsOf(after)),
    resources: resources.sort((a, b) => compareTexts(a.address, b.address)),
    unchanged: unchanged.sort(),
  };
}

type Resources = ReadonlyMap<Address, DesiredResource>;

function byAddress({ tasks, templates, labels }: DesiredState): Resources {
  return new Map([...tasks, ...templates, ...labels].map((resource) => [resource.address, resource]));
}

/** Tasks whose manifests name their former task. For templates and labels, `previous_name` is a name on the service. */
function renames(was: Resources, now: Resources): ReadonlyMap<Address, DesiredResource> {
  const found = new Map<Address, DesiredResource>();
  for (const [address, resource] of now) {
    if (was.has(address) || !('note' in resource) || resource.previousName === undefined) continue;
    const previous: Address = `${resource.collection}/${resource.previousName}`;
    const former = was.get(previous);
    if (former !== undefined && !now.has(previous)) found.set(address, former);
  }
  return found;
}

function settingsOf(state: DesiredState): ReadonlyMap<string, Json> {
  const { project, pruneTasks, stoppedTasks, settle, removals } = state;
  return new Map<string, Json>([
    ['name', project],
    ['prune.tasks', pruneTasks],
    ['stopped_tasks', stoppedTasks],
    ['settle.update', `${settle.update}ms`],
    ['settle.replace', `${settle.replace}ms`],
    ['removals', removals.map(({ address }) => address)],
  ]);
}

function differences(before: DesiredResource, after: DesiredResource): readonly Field[] {
  const plain = pairs(plainFields(before), plainFields(after));
  const [was, is] = [configOf(before), configOf(after)];
  const config =
    was === undefined || is === undefined
      ? []
      : configDifferences(is.definition, was.config, is.config).map(({ path, legacy, ...values }) => ({
          path: `config.${path}`,
          ...values,
          sensitive: false,
        }));
  return ordered([...plain, ...config]).map((field) => placedField(field, before, after));
}

/** Everything except the config, by path: `state`, `lifecycle.adopt`, `id`. */
function plainFields(resource: DesiredResource): ReadonlyMap<string, Json> {
  const { metadata, spec } = manifestOf(resource);
  const { name, ...identity } = objectIn(metadata);
  const { config, lifecycle, ...rest } = objectIn(spec);
  const nested = Object.entries(objectIn(lifecycle));
  return new Map<string, Json>([
    ...Object.entries(identity),
    ...Object.entries(rest),
    ...nested.map(([key, value]): [string, Json] => [`lifecycle.${key}`, value]),
  ]);
}

function pairs(before: ReadonlyMap<string, Json>, after: ReadonlyMap<string, Json>): readonly Field[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const was = before.get(path);
    const is = after.get(path);
    return jsonEqual(canonical(was), canonical(is)) ? [] : [fieldOf(path, was, is)];
  });
}

/** The lists outside the config are sets. */
function canonical(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? value.map(String).sort() : value;
}

function fieldsOf(resource: DesiredResource, side: 'before' | 'after'): readonly Field[] {
  const found = configOf(resource);
  const leaves = found === undefined ? [] : configLeaves(found.definition, found.config);
  const all = [
    ...plainFields(resource),
    ...leaves.map(({ path, value }) => [`config.${path}`, value] as const),
  ];
  const fields = all.map(([path, value]) =>
    side === 'before' ? fieldOf(path, value, undefined) : fieldOf(path, undefined, value),
  );
  return ordered(fields).map((field) => placedField(field, resource, resource));
}

/** The order of fields in a manifest, for fields of either side. */
const ORDER = [
  ...['id', 'previous_name', 'name', 'sort_order', 'state', 'rearm', 'remark', 'label'],
  ...[...PLAIN_PARTS.map(({ name }) => name as string), 'config', 'lifecycle'],
];

function ordered(fields: readonly Field[]): readonly Field[] {
  const rank = ({ path }: Field) => ORDER.indexOf(path.split('.', 1)[0] ?? '');
  return [...fields].sort((a, b) => rank(a) - rank(b));
}

function configOf(resource: DesiredResource) {
  const kind = kindOf(resource.collection);
  if (kind.family === 'label' || !('config' in resource)) return undefined;
  return { definition: kind.config, config: resource.config };
}

function fieldOf(path: string, before: Json | undefined, after: Json | undefined): Field {
  return { path, ...given({ before, after }), sensitive: false };
}

/** With its place in the current manifests, and without values from the environment. */
function placedField(field: Field, before: DesiredResource, after: DesiredResource): Field {
  const { path } = field;
  const origin = field.after === undefined ? undefined : after.origin(path);
  const place = origin === undefined ? {} : { origin: { ...origin } };
  const secrets = [before, after].flatMap(({ secrets: paths = [] }) => paths);
  return { ...shownField(field, secrets), ...place };
}
