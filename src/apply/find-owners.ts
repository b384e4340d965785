import type { Collection } from '../model/kind.ts';
import { markerOf, ownMarkerOf } from '../model/marker.ts';
import { isTask, type LiveResource, type LiveTask } from '../model/resource.ts';
import type { Outcome } from '../ports/api.ts';
import type { Pass, Readings } from './readings.ts';
import type { Owner } from './render-body.ts';
import type { Requests } from './requests.ts';

/** Identifies the resource of an address: by the marker of a task, by the name of a template or label. */
export interface Identity {
  readonly collection: Collection;
  readonly owner: Owner;
  /** Templates and labels: the name on the service. */
  readonly shownName: string | undefined;
  /** Ids that the view showed: these are other resources, whatever marker or name they have. */
  readonly known: ReadonlySet<string>;
}

export function isOurs(identity: Identity, resource: LiveResource): boolean {
  if (identity.known.has(resource.id)) return false;
  if (!isTask(resource)) return 'name' in resource && resource.name === identity.shownName;
  return ownMarkerOf(resource, identity.owner)?.name === identity.owner.name;
}

function isTwin({ owner, known }: Identity, task: LiveTask): boolean {
  return !known.has(task.id) && markerOf(task)?.name === owner.name;
}

type Owners =
  | {
      readonly type: 'found';
      readonly owners: readonly LiveResource[];
      /**
       * Not in the view, and with the marker of another project and the same name: perhaps this project, renamed in the
       * meantime.
       */
      readonly twins: readonly LiveTask[];
      /** The whole collection. */
      readonly resources: readonly LiveResource[];
    }
  | { readonly type: 'unreadable'; readonly outcome: Outcome };

/**
 * Finds the resources with this identity by reading the collection again.
 * Items move between the pages of a traversal while others write, and a create of another runner may use its key before
 * the resource is visible: "none" therefore takes two passes. The counters of one task cannot share passes: the next
 * key is sent only after two passes, which begin after the refusal of the current key, found nobody; and a refusal of
 * that key needs later passes.
 */
export async function findOwners(
  identity: Identity,
  requests: Requests,
  readings: Readings,
): Promise<Owners> {
  const first = ownersIn(await readings.pass(identity.collection, requests), identity);
  if (first.type === 'unreadable' || first.owners.length > 0) return first;
  return ownersIn(await readings.pass(identity.collection, requests), identity);
}

function ownersIn(pass: Pass, identity: Identity): Owners {
  if (pass.type === 'unreadable') return pass;
  const { resources } = pass;
  const owners = resources.filter((resource) => isOurs(identity, resource));
  const twins = resources.filter((resource) => isTask(resource)).filter((task) => isTwin(identity, task));
  return { type: 'found', owners, twins: twins.filter((task) => !isOurs(identity, task)), resources };
}
