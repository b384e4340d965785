import { isObject } from '../model/json.ts';
import { type Collection, kindOf, LIMITS } from '../model/kind.ts';
import { isOwnMarker, parseRemark } from '../model/marker.ts';
import type { LiveResource, LiveTask } from '../model/resource.ts';
import type { Outcome } from '../ports/api.ts';
import { isTask, readResource } from './read-resource.ts';
import type { Owner } from './render-body.ts';
import type { Wire } from './wire.ts';

/** What makes a resource the one of an address: the marker of a task, the name of a template or label. */
export interface Identity {
  readonly collection: Collection;
  readonly owner: Owner;
  /** Templates and labels: the name on the service. */
  readonly shownName: string | undefined;
  /** Resources that the view showed: they are something else, whatever they carry. */
  readonly known: ReadonlySet<string>;
}

export function isOurs(identity: Identity, resource: LiveResource): boolean {
  if (identity.known.has(resource.id)) return false;
  if (!isTask(resource)) return 'name' in resource && resource.name === identity.shownName;
  const remark = parseRemark(resource.remark);
  if (remark.type !== 'marked') return false;
  return isOwnMarker(remark.marker, identity.owner) && remark.marker.name === identity.owner.name;
}

function isTwin({ owner, known }: Identity, { id, remark }: LiveTask): boolean {
  const parsed = parseRemark(remark);
  return !known.has(id) && parsed.type === 'marked' && parsed.marker.name === owner.name;
}

export type Owners =
  | {
      readonly type: 'found';
      readonly owners: readonly LiveResource[];
      /** Not in the view, and with the marker of another project upon the same name: this project, renamed meanwhile? */
      readonly twins: readonly LiveTask[];
    }
  | { readonly type: 'unreadable'; readonly outcome: Outcome };

const MOST_PAGES = 1_000;

/**
 * The resources of a collection that have the identity, by reading the collection again. Items move between the pages of
 * a traversal while others write, so "none" takes two passes.
 */
export async function findOwners(identity: Identity, wire: Wire): Promise<Owners> {
  const first = await pass(identity, wire);
  return first.type === 'found' && first.owners.length === 0 ? pass(identity, wire) : first;
}

async function pass(identity: Identity, wire: Wire): Promise<Owners> {
  const { path, family } = kindOf(identity.collection);
  const owners = new Map<string, LiveResource>();
  const twins = new Map<string, LiveTask>();
  const cursors = new Set<string>();
  let query = family === 'label' ? '' : `?limit=${LIMITS.page}`;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const outcome = await wire.get(`${path}${query}`);
    if (outcome.type !== 'ok' || !Array.isArray(outcome.data?.items)) return { type: 'unreadable', outcome };
    for (const item of outcome.data.items) {
      const resource = isObject(item) ? readResource(identity.collection, item, undefined) : undefined;
      if (resource === undefined) return { type: 'unreadable', outcome };
      if (isOurs(identity, resource)) owners.set(resource.id, resource);
      else if (isTask(resource) && isTwin(identity, resource)) twins.set(resource.id, resource);
    }
    const cursor = outcome.data.next_cursor;
    if (typeof cursor !== 'string') {
      return { type: 'found', owners: [...owners.values()], twins: [...twins.values()] };
    }
    if (cursors.has(cursor)) return { type: 'unreadable', outcome };
    cursors.add(cursor);
    query = `?limit=${LIMITS.page}&cursor=${encodeURIComponent(cursor)}`;
  }
  const detail = 'the collection did not come to an end';
  return { type: 'unreadable', outcome: { type: 'lost', detail, requestId: undefined } };
}
