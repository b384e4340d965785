import { byKey } from '../model/by-key.ts';
import { idsBefore, resourcesBefore } from '../model/change.ts';
import type { Change, Operation, Plan } from '../model/generated/plan.ts';
import type { JsonObject } from '../model/json.ts';
import { kindOf } from '../model/kind.ts';
import { ownMarkerOf } from '../model/marker.ts';
import {
  isBuyOnce,
  isLabel,
  isTask,
  type LiveResource,
  type LiveState,
  versionOf,
} from '../model/resource.ts';
import { writesBetween } from '../model/versions.ts';
import { placeholder } from '../plan/draft.ts';
import { newestNumber } from '../plan/identity/task-match.ts';
import { movedFields, sameConfig, sameLabel, sameTask } from './compare.ts';
import { type ChainView, predictChain } from './predict.ts';
import { ownerOf } from './render-body.ts';
import type { Position } from './run.ts';

interface Freshness {
  /** What changed since the plan was made, by address: if there is anything, nothing may be sent. */
  readonly stale: readonly { readonly address: string; readonly text: string }[];
  /** Chains that an earlier run of the same plan carried out partly or completely; for `ApplyDeps.positions`. */
  readonly positions: ReadonlyMap<string, Position>;
}

/**
 * Compares a saved plan with the live state (DESIGN 6): every change must be as planned, or exactly as one of its chain's
 * operations would have left it. Project, service and account are compared by the caller. Pure.
 */
export function checkFresh(plan: Plan, live: LiveState): Freshness {
  const stale: { address: string; text: string }[] = [];
  const positions = new Map<string, Position>();
  const view = new LiveView(plan, live);
  const { project, previous_project: previousProject, source } = plan;
  const isOld = newestNumber({ project, previousProject }, live) > (source.number ?? Infinity);
  for (const change of plan.changes) {
    const operations = view.chain(change.address);
    if (operations.length === 0) continue;
    const { address, actions, starts_trading: starts } = change;
    const found = wrongLabel(change, operations, view) ?? positionOf(change, operations, view);
    if (typeof found === 'string') stale.push({ address, text: found });
    // Nothing on the service tells whether a newer commit removed it or stopped it.
    else if (isOld && found.done < operations.length && (starts || actions.includes('create')))
      stale.push({ address, text: 'a newer commit was applied since, which may not want it' });
    else if (found.done > 0) positions.set(address, found);
  }
  return { stale, positions };
}

class LiveView {
  readonly plan: Plan;
  readonly byId: ReadonlyMap<string, LiveResource>;
  private readonly chains: ReadonlyMap<string, readonly Operation[]>;
  private readonly changes: ReadonlyMap<string, Change>;
  private readonly planned: ReadonlySet<string>;
  private readonly observed: ReadonlySet<string>;
  private readonly named: ReadonlyMap<string | undefined, readonly LiveResource[]>;
  /** Labels that the plan deletes and that are already gone. */
  private readonly lostLabels: ReadonlySet<string>;

  constructor(plan: Plan, live: LiveState) {
    this.plan = plan;
    const all: readonly LiveResource[] = [...live.tasks, ...live.templates, ...live.labels];
    this.byId = new Map(all.map((resource) => [resource.id, resource]));
    this.chains = byKey(plan.operations, ({ address }) => address);
    this.changes = new Map(plan.changes.map((change) => [change.address, change]));
    this.planned = new Set(plan.changes.flatMap(idsBefore));
    this.observed = new Set(plan.observations.map(({ id }) => id));
    this.lostLabels = new Set(
      plan.changes.flatMap(({ kind, actions, id }) =>
        kind === 'label' && actions.includes('delete') && id !== null && !this.byId.has(id) ? [id] : [],
      ),
    );
    this.named = byKey(all, (resource) => this.keyOf(resource));
  }

  /** The key of a resource: for a task the name in its marker of this project, for others the name on the service. */
  private keyOf(resource: LiveResource): string | undefined {
    if (!isTask(resource)) return `${resource.collection} ${resource.name}`;
    const { project, previous_project: previousProject } = this.plan;
    const marker = ownMarkerOf(resource, { project, previousProject });
    return marker && `${resource.collection} ${marker.name}`;
  }

  chain(address: string): readonly Operation[] {
    return this.chains.get(address) ?? [];
  }

  /** Resources with the marker or name of the address that did not exist when the plan was made. */
  owners(change: Change): readonly LiveResource[] {
    const create = this.chain(change.address).find(({ verb }) => verb === 'create');
    const shown = create?.body?.name;
    const name = kindOf(change.kind).family === 'task' ? change.name : shown;
    const owners = typeof name === 'string' ? this.named.get(`${change.kind} ${name}`) : undefined;
    // Where nothing was, no other task had its marker: whoever edits the file could call what an earlier run created a stranger's.
    const rivals = idsBefore(change).length > 0;
    return (owners ?? []).filter(({ id }) => !this.planned.has(id) && !(rivals && this.observed.has(id)));
  }

  /**
   * A label is deleted after the chains of all tasks that use it, and tasks lose it then; it is not documented whether
   * that creates a version.
   */
  withoutLostLabels(expected: ChainView, present: ReadonlyMap<string, LiveResource>): ChainView {
    if (this.lostLabels.size === 0) return expected;
    return new Map(
      [...expected].map(([key, wanted]) => {
        const found = present.get(key);
        if (!isTask(wanted) || found === undefined || !isTask(found)) return [key, wanted];
        if (!this.lostLabels.has(wanted.risk_label_id ?? '')) return [key, wanted];
        const version = writesBetween(wanted, found) === 1 ? found.version : wanted.version;
        return [key, { ...wanted, risk_label_id: null, version }];
      }),
    );
  }

  /** The name of a label after the plan. */
  labelName(id: string): string | undefined {
    const renamed = this.plan.operations.find(
      ({ subject, body }) => subject === id && body?.name !== undefined,
    );
    const label = this.byId.get(id);
    return (
      (renamed?.body?.name as string | undefined) ??
      (label !== undefined && isLabel(label) ? label.name.trim() : undefined)
    );
  }

  /** Id of the resource that an earlier run created at an address. */
  created(address: string): string | undefined {
    const change = this.changes.get(address);
    const owners = change === undefined ? [] : this.owners(change);
    return owners.length === 1 ? owners[0]?.id : undefined;
  }
}

/** A body names a label by its id, and the list of fields by its name. A label that an earlier run deleted has no name any more. */
function wrongLabel(change: Change, operations: readonly Operation[], live: LiveView): string | undefined {
  const told = change.fields.find(({ path }) => path === 'label');
  const wrong = (id: unknown, shown: unknown) =>
    typeof id === 'string' && typeof shown === 'string' && live.labelName(id) !== shown.trim();
  const ids = resourcesBefore(change).flatMap(({ risk_label_id: id }) =>
    live.labelName(String(id)) === undefined ? [] : [id],
  );
  const differs =
    (ids.length > 0 && ids.every((id) => wrong(id, told?.before))) ||
    operations.some(({ body }) => wrong(body?.risk_label_id, told?.after));
  return differs ? 'On the service its label does not have the name that the plan shows.' : undefined;
}

function positionOf(change: Change, operations: readonly Operation[], live: LiveView): Position | string {
  const owners = live.owners(change);
  const [owner] = owners;
  const present = new Map<string, LiveResource>(owner && [[placeholder(change.address), owner]]);
  if (owners.length > 1) return `${owners.length} resources now have this name.`;

  const owns = ownerOf(live.plan, change);
  // As they were sent where the service validates the stored config again.
  const renewed = operations.map(({ body_if_refused: body, ...step }) => (body ? { ...step, body } : step));
  for (const steps of [operations, renewed]) {
    const views = predictChain(change, steps, owns, (address) => live.created(address));
    const keys = [...views.flatMap((view) => [...view.keys()]), ...steps.map(({ subject }) => subject)];
    for (const key of new Set(keys)) {
      const resource = live.byId.get(key);
      if (resource !== undefined) present.set(key, resource);
    }
    for (const [done, expected] of views.entries()) {
      if (isAmbiguous(change, steps, done)) continue;
      const settled = done === steps.length ? live.withoutLostLabels(expected, present) : expected;
      if (matches(settled, present)) return { done, resources: present };
    }
  }
  return whatMoved(change, owner, live);
}

function matches(expected: ChainView, present: ReadonlyMap<string, LiveResource>): boolean {
  return [...new Set([...expected.keys(), ...present.keys()])].every((key) => {
    const wanted = expected.get(key);
    const found = present.get(key);
    return wanted === undefined || found === undefined ? wanted === found : same(wanted, found);
  });
}

/** Every field counts, also of a resource that no operation has touched: at one version only an edited file shows another one. */
function same(wanted: LiveResource, found: LiveResource): boolean {
  if (isLabel(wanted)) return isLabel(found) && sameLabel(found, wanted);
  if (versionOf(wanted) !== versionOf(found) || isLabel(found)) return false;
  if (isTask(wanted)) return isTask(found) && sameTask(wanted, found);
  return !isTask(found) && wanted.name === found.name && sameConfig(wanted, found);
}

/**
 * Without a mark, a pause by tradeform cannot be told from a pause by somebody else, or from the first trade of
 * `buy_once` (DESIGN 3): such a chain is not continued.
 */
function isAmbiguous(change: Change, operations: readonly Operation[], done: number): boolean {
  const last = operations[done - 1];
  if (last?.verb !== 'pause' || !operations.slice(done).some(({ verb }) => verb === 'resume')) return false;
  const marked = operations.some(({ verb, subject }) => verb === 'mark' && subject === last.subject);
  return !marked || isBuyOnce(change.former?.config as JsonObject | undefined);
}

function whatMoved(change: Change, owner: LiveResource | undefined, live: LiveView): string {
  for (const shown of resourcesBefore(change)) {
    const { id } = shown;
    if (typeof id !== 'string') continue;
    const found = live.byId.get(id);
    const what = kindOf(change.kind).family;
    if (found === undefined) return `The ${what} ${id} was deleted in the meantime.`;
    const planned = shown as unknown as LiveResource;
    if (isLabel(found)) return `The name or order of the label ${id} differs from the plan.`;
    if (versionOf(found) === versionOf(planned) && !isTask(found)) continue;
    const fields = isTask(found) && isTask(planned) ? movedFields(planned, found) : [];
    const which = fields.length === 0 ? '' : `: ${fields.join(', ')}`;
    if (versionOf(found) !== versionOf(planned) || fields.length > 0) {
      return `The ${what} ${id} was at version ${versionOf(planned)} and is now at ${versionOf(found)}${which}.`;
    }
  }
  if (owner !== undefined) return `${owner.id} now has this name and differs from the plan.`;
  return 'It differs from the plan now.';
}
