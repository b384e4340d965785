import { orderedAsSchema } from '../manifest/defaults.ts';
import { literal } from '../manifest/references.ts';
import { formatPath, mapLeaves } from '../manifest/spans.ts';
import { overlaps } from '../model/field-path.ts';
import { given } from '../model/given.ts';
import type { JsonObject } from '../model/json.ts';
import { API_VERSION, kindOf } from '../model/kind.ts';
import { partsIn } from '../model/parts.ts';
import { SECRET } from '../model/secret.ts';
import type { DesiredRemoval, DesiredResource } from './state.ts';

/**
 * A resource as a manifest with every default filled in, in the order of the schema. It contains everything that it was
 * composed from, so it extends nothing.
 */
export function manifestOf(resource: DesiredResource): JsonObject {
  const { manifestKind } = kindOf(resource.collection);
  const { name, id, previousName } = resource;
  const metadata = { name, ...given({ id, previous_name: previousName }) };
  const manifest = { apiVersion: API_VERSION, kind: manifestKind, metadata, spec: specOf(resource) };
  return orderedAsSchema(manifest);
}

/**
 * Like `manifestOf`, in a form that can be written: values from the environment are hidden, and `${` is escaped so that it is
 * read literally. Without hidden values it compiles to the same resource.
 */
export function writtenManifest(resource: DesiredResource): JsonObject {
  const { secrets = [] } = resource;
  return mapLeaves(manifestOf(resource), [], (value, path) => {
    if (path[0] === 'spec' && overlaps(secrets, formatPath(path.slice(1)))) return SECRET;
    return typeof value === 'string' ? literal(value) : value;
  }) as JsonObject;
}

/** A `Removal` as a manifest has it, with its address in the output of `render`. */
export interface WrittenRemoval {
  readonly address: string;
  readonly manifest: JsonObject;
}

/** The Removals of a state, sorted by address, each with what it names. */
export function writtenRemovals(removals: readonly DesiredRemoval[]): readonly WrittenRemoval[] {
  const names = [...new Set(removals.map(({ manifest }) => manifest))].sort();
  return names.map((name) => {
    const named = removals.filter(({ manifest }) => manifest === name);
    const releases = named.some(({ collection }) => kindOf(collection).family === 'task');
    const resources = named.map(({ address }) => literal(address));
    return {
      address: `removal/${name}`,
      manifest: orderedAsSchema({
        apiVersion: API_VERSION,
        kind: 'Removal',
        metadata: { name },
        spec: { ...(releases ? { release: true } : {}), resources },
      }),
    };
  });
}

function specOf(resource: DesiredResource): JsonObject {
  if (resource.collection === 'label') return { name: resource.shownName, sort_order: resource.sort_order };
  if ('shownName' in resource) return { name: resource.shownName, config: resource.config };
  const { collection, state, rearm, note, label, config, ignoreChanges, adopt } = resource;
  return {
    state,
    ...given({ rearm }),
    remark: note,
    ...given({ label: label ?? undefined }),
    ...partsIn(resource, collection),
    config,
    lifecycle: { ignore_changes: [...ignoreChanges], adopt },
  };
}
