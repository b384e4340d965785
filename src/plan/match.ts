import type { DesiredTask } from '../desired/state.ts';
import type { TaskKind } from '../model/kind.ts';
import { replacesTag } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import type { Blocked, Bystander, Orphan, OwnedTask, Pair, TaskMatch } from './identity.ts';
import { LiveIndex } from './live-index.ts';
import { LostMarkers } from './lost-marker.ts';

export interface Matching {
  readonly matches: ReadonlyMap<DesiredTask, TaskMatch>;
  readonly orphans: readonly Orphan[];
  readonly bystanders: readonly Bystander[];
}

type Group =
  | { readonly type: 'single'; readonly owned: OwnedTask }
  | { readonly type: 'pair'; readonly pair: Pair }
  | { readonly type: 'conflict'; readonly owned: readonly OwnedTask[] };

/** Matches the desired tasks of one kind with its live ones. Pure; the order of either list does not matter. */
export function matchTasks(
  kind: TaskKind,
  project: string,
  desired: readonly DesiredTask[],
  live: readonly LiveTask[],
): Matching {
  const index = new LiveIndex(project, live);
  const matches = new Map<DesiredTask, TaskMatch>();
  const ownerless: DesiredTask[] = [];
  const names = new Set(desired.map((task) => task.name));
  for (const task of desired) {
    const match = matchIdentity(task, index, names);
    if (match === undefined) ownerless.push(task);
    else matches.set(task, match);
  }
  const claimed = claimedIds(matches);
  const lost = new LostMarkers(kind, ownerless, index, claimed);
  for (const [task, match] of lost.matchAll()) matches.set(task, match);
  return withoutDoubleClaims(index, matches);
}

function grouped(owners: readonly OwnedTask[]): Group | undefined {
  const [first, second] = owners;
  if (first === undefined) return undefined;
  if (second === undefined) return { type: 'single', owned: first };
  const pair = owners.length === 2 ? pairOf(first, second) : undefined;
  return pair === undefined ? { type: 'conflict', owned: owners } : { type: 'pair', pair };
}

/** A replacement has another target than what it replaces, and is not older: four hex digits alone could be chance. */
function pairOf(left: OwnedTask, right: OwnedTask): Pair | undefined {
  if (left.task.target_wallet === right.task.target_wallet) return undefined;
  const leftNames = left.marker.replaces === replacesTag(right.task.id);
  const rightNames = right.marker.replaces === replacesTag(left.task.id);
  if (leftNames === rightNames) return undefined;
  const pair = leftNames ? { successor: left, predecessor: right } : { successor: right, predecessor: left };
  const older = Date.parse(pair.successor.task.created_at) < Date.parse(pair.predecessor.task.created_at);
  return older ? undefined : pair;
}

/** By `metadata.id`, by marker, by `previous_name`; undefined where none of them finds anything. */
function matchIdentity(
  desired: DesiredTask,
  index: LiveIndex,
  names: ReadonlySet<string>,
): TaskMatch | undefined {
  const group = grouped(index.ownersOf(desired.name)) ?? undefined;
  if (desired.id !== undefined && group?.type !== 'pair') {
    const byId = matchId(desired, desired.id, group, index, names);
    if (byId !== undefined) return byId;
  }
  const former = formerGroup(desired, index, names);
  if (group === undefined) return former === undefined ? undefined : fromGroup(former, desired, false);
  if (group.type === 'single' && former?.type === 'single') {
    // A replacement that also renames: the new task has the new name, the one it replaces still the former one.
    const pair = pairOf(group.owned, former.owned);
    if (pair !== undefined) return { type: 'pair', pair };
  }
  return fromGroup(group, desired, desired.id !== undefined);
}

function formerGroup(desired: DesiredTask, index: LiveIndex, names: ReadonlySet<string>): Group | undefined {
  const { previousName } = desired;
  if (previousName === undefined || names.has(previousName)) return undefined;
  return grouped(index.ownersOf(previousName));
}

function fromGroup(group: Group, desired: DesiredTask, staleId: boolean): TaskMatch {
  switch (group.type) {
    case 'single':
      return { type: 'owned', owned: group.owned, staleId };
    case 'pair':
      return { type: 'pair', pair: group.pair };
    case 'conflict': {
      const ids = group.owned.map(({ task }) => task.id).sort();
      return {
        type: 'blocked',
        reason: 'conflict',
        text: `${ids.length} tasks carry the marker of ${desired.name}: ${ids.join(', ')}. Set metadata.id to the one that is meant.`,
        ids,
      };
    }
  }
}

function matchId(
  desired: DesiredTask,
  id: string,
  group: Group | undefined,
  index: LiveIndex,
  names: ReadonlySet<string>,
): TaskMatch | undefined {
  const found = index.byId.get(id);
  if (found === undefined) {
    if (group !== undefined) return undefined;
    const text = `No task has the id ${id} of metadata.id. Remove metadata.id to create the task, or check the account.`;
    return { type: 'blocked', reason: 'id-not-found', text, ids: [id] };
  }
  const { task, remark } = found;
  if (remark.type === 'marked') {
    const { marker, note } = remark;
    if (!index.isOurs(remark)) {
      const text = `The task ${id} of metadata.id belongs to project ${marker.project}.`;
      return { type: 'blocked', reason: 'foreign', text, ids: [id] };
    }
    if (marker.name !== desired.name && (names.has(marker.name) || group !== undefined)) {
      const text = `The task ${id} of metadata.id carries the marker of ${marker.name}.`;
      return { type: 'blocked', reason: 'conflict', text, ids: [id] };
    }
    return { type: 'owned', owned: { task, note, marker }, staleId: false };
  }
  if (group !== undefined) {
    const text = `metadata.id names ${id}, and another task carries the marker of ${desired.name}. Release one of them.`;
    return { type: 'blocked', reason: 'conflict', text, ids: [id] };
  }
  if (task.target_wallet !== desired.target_wallet) {
    const text = `The task ${id} of metadata.id has the target wallet ${task.target_wallet}, and a target cannot be changed. Write that target, or remove metadata.id.`;
    return { type: 'blocked', reason: 'uncertain', text, ids: [id] };
  }
  const note = remark.type === 'plain' ? remark.note : '';
  return { type: 'adopt', task, note, reason: 'id-given' };
}

function claimedIds(matches: ReadonlyMap<DesiredTask, TaskMatch>): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const match of matches.values()) for (const id of idsOf(match)) ids.add(id);
  return ids;
}

function idsOf(match: TaskMatch): readonly string[] {
  switch (match.type) {
    case 'owned':
      return [match.owned.task.id];
    case 'adopt':
      return [match.task.id];
    case 'pair':
      return [match.pair.successor.task.id, match.pair.predecessor.task.id];
    case 'blocked':
      return match.ids;
    case 'create':
      return [];
  }
}

/** One live task claimed by two manifests blocks both; what nobody claims is an orphan or a bystander. */
function withoutDoubleClaims(index: LiveIndex, matches: Map<DesiredTask, TaskMatch>): Matching {
  const claims = new Map<string, DesiredTask[]>();
  for (const [desired, match] of matches) {
    if (match.type === 'blocked') continue;
    for (const id of idsOf(match)) claims.set(id, [...(claims.get(id) ?? []), desired]);
  }
  const settled = new Map<DesiredTask, TaskMatch>();
  for (const [desired, match] of matches) {
    const rivals = match.type === 'blocked' ? [] : idsOf(match).flatMap((id) => claims.get(id) ?? []);
    const other = rivals.find((rival) => rival !== desired);
    settled.set(desired, other === undefined ? match : contested(match, other));
  }
  const claimed = claimedIds(matches);
  const names = new Set([...matches.keys()].map(({ name }) => name));
  const orphans = index.names().flatMap((name) => orphansOf(name, index, claimed, names));
  return {
    matches: settled,
    orphans,
    bystanders: bystandersOf(index, new Set(claims.keys()), orphans),
  };
}

function contested(match: TaskMatch, other: DesiredTask): Blocked {
  const ids = idsOf(match);
  const text = `The task ${ids.join(', ')} is claimed by ${other.address} as well.`;
  return { type: 'blocked', reason: 'conflict', text, ids };
}

function orphansOf(
  name: string,
  index: LiveIndex,
  claimed: ReadonlySet<string>,
  names: ReadonlySet<string>,
): readonly Orphan[] {
  const owners = index.ownersOf(name);
  // What carries the name of a manifest is never deleted: beside the task that metadata.id names it is reported.
  if (names.has(name)) return [];
  const group = grouped(owners.filter(({ task }) => !claimed.has(task.id)));
  if (group === undefined) return [];
  if (owners.some(({ task }) => claimed.has(task.id))) return [];
  return [{ ...group, name }];
}

function bystandersOf(
  index: LiveIndex,
  matched: ReadonlySet<string>,
  orphans: readonly Orphan[],
): readonly Bystander[] {
  const orphaned = new Set(
    orphans.flatMap((orphan) =>
      orphan.type === 'single'
        ? [orphan.owned.task.id]
        : orphan.type === 'pair'
          ? [orphan.pair.successor.task.id, orphan.pair.predecessor.task.id]
          : [],
    ),
  );
  const bystanders: Bystander[] = [];
  for (const { task, remark } of index.byId.values()) {
    if (index.isOurs(remark)) {
      if (!matched.has(task.id) && !orphaned.has(task.id))
        bystanders.push({ class: 'conflict', task, remark });
    } else if (!matched.has(task.id)) {
      const kind = remark.type === 'plain' ? 'unmanaged' : remark.type === 'marked' ? 'foreign' : 'damaged';
      bystanders.push({ class: kind, task, remark });
    }
  }
  return bystanders.sort((a, b) => (a.task.id < b.task.id ? -1 : 1));
}
