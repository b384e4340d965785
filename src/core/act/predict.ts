import { resourcesBefore } from '../model/change.ts';
import type { Change, Operation } from '../model/generated/plan.ts';
import type { JsonObject } from '../model/json.ts';
import { kindOf, type TaskCollection, type TemplateCollection } from '../model/kind.ts';
import { isLabel, isTask, type LiveResource } from '../model/resource.ts';
import { versionAfter } from '../model/versions.ts';
import { placeholder } from '../plan/draft.ts';
import { parseResource } from '../service/resources/resource.ts';
import { patched } from './compare.ts';
import { type Owner, renderBody } from './render-body.ts';

/** The resources of a chain by id, created ones by placeholder; deleted and not yet created resources are missing. */
type ChainView = ReadonlyMap<string, LiveResource>;

/**
 * The resources of a chain before its first operation and after each operation, if nobody else writes and every write
 * increases the version by one: exactly the states that a run leaves if it dies between two requests. One more view
 * than operations. `reference`: id of the resource that the plan creates at an address; undefined if it does not exist.
 */
export function predictChain(
  change: Change,
  operations: readonly Operation[],
  owner: Owner,
  reference: (address: string) => string | undefined,
): readonly ChainView[] {
  let view = new Map<string, LiveResource>();
  for (const resource of plannedResources(change)) view.set(resource.id, resource);
  const views: ChainView[] = [view];
  for (const operation of operations) {
    view = new Map(view);
    const { subject: key } = operation;
    const before = view.get(key);
    const body = renderBody((operation.body ?? {}) as JsonObject, {
      ...owner,
      verb: operation.verb,
      current: before === undefined || isLabel(before) ? 0 : before.version,
      reference: (address) => reference(address) ?? placeholder(address),
    });
    const after = operation.verb === 'create' ? created(change, key, body) : next(operation, before, body);
    if (after === undefined) view.delete(key);
    else view.set(key, after);
    views.push(view);
  }
  return views;
}

export function plannedResources(change: Change): readonly LiveResource[] {
  return resourcesBefore(change).flatMap((shown) => {
    const parsed = parseResource(change.kind, shown, { undated: true });
    return parsed.ok ? [parsed.resource] : [];
  });
}

function created(change: Change, id: string, body: JsonObject): LiveResource {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const common = {
    id,
    version: 1,
    created_at: '',
    updated_at: '',
    config: (body.config ?? {}) as JsonObject,
  };
  switch (kindOf(change.kind).family) {
    case 'label': {
      const order = typeof body.sort_order === 'number' ? body.sort_order : null;
      return { collection: 'label', id, name: text(body.name), sort_order: order };
    }
    case 'template':
      return { ...common, collection: change.kind as TemplateCollection, name: text(body.name) };
    case 'task': {
      const bare = {
        ...common,
        collection: change.kind as TaskCollection,
        remark: '',
        target_wallet: text(body.target_wallet),
        is_active: false,
        risk_label_id: null,
      };
      return patched(bare, body);
    }
  }
}

function next(
  { verb }: Operation,
  before: LiveResource | undefined,
  body: JsonObject,
): LiveResource | undefined {
  if (verb === 'delete' || before === undefined) return undefined;
  if (isLabel(before)) return { ...before, ...body };
  const version = versionAfter(before, 1);
  if (!isTask(before)) return { ...before, ...body, version };
  if (verb === 'pause' || verb === 'resume') return { ...before, is_active: verb === 'resume', version };
  return { ...patched(before, body), version };
}
