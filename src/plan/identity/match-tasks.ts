import type { DesiredTask } from '../../desired/state.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { TaskKind } from '../../model/kind.ts';
import type { ProjectNames, Remark } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { LiveIndex } from './live-index.ts';
import { LostMarkers } from './lost-marker.ts';
import {
  grouped,
  type NameOwners,
  ownersOfName,
  pairOf,
  type TakeOver,
  takeOver,
  takeOverByName,
  waysToForeign,
} from './take-over.ts';
import {
  type Blocked,
  type Bystander,
  type Orphan,
  type OwnedTask,
  ownedBy,
  type TaskMatch,
  tasksOf,
} from './task-match.ts';

export interface Matching {
  readonly matches: ReadonlyMap<DesiredTask, TaskMatch>;
  readonly orphans: readonly Orphan[];
  /** With the project's former name in the marker, and in no manifest; they are bystanders as well. */
  readonly left: readonly Orphan[];
  readonly bystanders: readonly Bystander[];
}

/** Matches the desired tasks of one kind with its live ones. Pure; the order of either list does not matter. */
export function matchTasks(
  kind: TaskKind,
  project: ProjectNames,
  desired: readonly DesiredTask[],
  live: readonly LiveTask[],
  from: TakeOver = [],
): Matching {
  const index = new LiveIndex(project, live);
  const matches = new Map<DesiredTask, TaskMatch>();
  const ownerless: DesiredTask[] = [];
  const names = new Set(desired.map((task) => task.name));
  for (const task of desired) {
    const match = matchIdentity(task, index, names, from) ?? takeOverByName(task, index, from);
    if (match === undefined) ownerless.push(task);
    else matches.set(task, match);
  }
  const claimed = claimedIds(matches);
  const lost = new LostMarkers(kind, ownerless, index, claimed);
  for (const [task, match] of lost.matchAll()) matches.set(task, match);
  return withoutDoubleClaims(index, matches);
}

/** Finds a task by `metadata.id`, by marker, or by `previous_name`; undefined if none matches. */
function matchIdentity(
  desired: DesiredTask,
  index: LiveIndex,
  names: ReadonlySet<string>,
  from: TakeOver,
): TaskMatch | undefined {
  const group = ownersOfName(index, desired.name);
  if (desired.id !== undefined && group?.type !== 'pair') {
    const byId = matchId(desired, desired.id, group, { index, names, from });
    if (byId !== undefined) return byId;
  }
  const former = formerGroup(desired, index, names);
  if (group === undefined) return former === undefined ? undefined : fromGroup(former, desired, index, false);
  if (group.type === 'single' && former?.type === 'single') {
    // In a replacement that also renames, the new task has the new name, and the replaced one still the former name.
    const pair = pairOf(group.owned, former.owned);
    if (pair !== undefined) return { type: 'pair', pair };
  }
  return fromGroup(group, desired, index, desired.id !== undefined);
}

function formerGroup(
  desired: DesiredTask,
  index: LiveIndex,
  names: ReadonlySet<string>,
): NameOwners | undefined {
  const { previousName } = desired;
  if (previousName === undefined || names.has(previousName)) return undefined;
  return ownersOfName(index, previousName);
}

function fromGroup(group: NameOwners, desired: DesiredTask, index: LiveIndex, staleId: boolean): TaskMatch {
  switch (group.type) {
    case 'single':
      return halfReplacement(group.owned, index) ?? { type: 'owned', owned: group.owned, staleId };
    case 'pair':
      return { type: 'pair', pair: group.pair };
    case 'conflict': {
      const ids = group.owned.map(({ task }) => task.id).sort();
      return {
        type: 'blocked',
        reason: 'conflict',
        text: `${ids.length} tasks carry the marker of ${desired.name}: ${ids.join(', ')}. Set metadata.id to the right one; \`tradeform release --id ID\` removes the marker from the other.`,
        ids,
      };
    }
  }
}

/**
 * A paused task that should have been replaced by another project's task of this name: if it started, it would run
 * beside that task.
 */
function halfReplacement(owned: OwnedTask, index: LiveIndex): Blocked | undefined {
  if (owned.task.is_active) return undefined;
  const other = index
    .foreignOf(owned.marker.name)
    .find((foreign) => pairOf(owned, foreign)?.successor === owned);
  if (other === undefined) return undefined;
  const { project } = other.marker;
  const ids = [owned.task.id, other.task.id];
  const text = `An apply was interrupted while ${ids[0]} was replacing ${ids[1]}, which has the marker of project ${project} and still exists. If ${project} is the former name of this project, restore metadata.previous_name: ${project} and let an apply finish; otherwise delete the task that is not wanted.`;
  return { type: 'blocked', reason: 'conflict', text, ids };
}

interface View {
  readonly index: LiveIndex;
  readonly names: ReadonlySet<string>;
  readonly from: TakeOver;
}

function matchId(
  desired: DesiredTask,
  id: string,
  group: NameOwners | undefined,
  { index, names, from }: View,
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
      if (from.includes(marker.project)) {
        return group === undefined
          ? takeOver(desired, { task, note, marker }, index)
          : rivalled(desired, id, index.ownersOf(desired.name));
      }
      const text = `The task ${id} of metadata.id belongs to project ${marker.project}. ${waysToForeign(marker.project, true)}.`;
      return { type: 'blocked', reason: 'foreign', text, ids: [id] };
    }
    if (marker.name !== desired.name && (names.has(marker.name) || group !== undefined)) {
      const text = `The task ${id} of metadata.id carries the marker of ${marker.name}. Remove metadata.id from this manifest.`;
      return { type: 'blocked', reason: 'conflict', text, ids: [id] };
    }
    return { type: 'owned', owned: { task, note, marker }, staleId: false };
  }
  if (group !== undefined) return rivalled(desired, id, index.ownersOf(desired.name));
  if (task.target_wallet !== desired.target_wallet) {
    const text = `The task ${id} of metadata.id has the target wallet ${task.target_wallet}, and a target cannot be changed. Write that target, or remove metadata.id.`;
    return { type: 'blocked', reason: 'uncertain', text, ids: [id] };
  }
  const note = remark.type === 'plain' ? remark.note : '';
  return { type: 'adopt', task, note, reason: 'id-given' };
}

function rivalled({ name }: DesiredTask, id: string, owners: readonly OwnedTask[]): Blocked {
  const others = owners.map(({ task }) => task.id).sort();
  const text = `metadata.id names ${id}, but another task carries the marker of ${name}: ${others.join(', ')}. Remove metadata.id, or remove the marker from that task with \`tradeform release --id ID\`.`;
  return { type: 'blocked', reason: 'conflict', text, ids: [id] };
}

function claimedIds(matches: ReadonlyMap<DesiredTask, TaskMatch>): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const match of matches.values()) for (const id of idsOf(match)) ids.add(id);
  return ids;
}

function idsOf(match: TaskMatch): readonly string[] {
  return match.type === 'blocked' ? match.ids : tasksOf(match).map(({ id }) => id);
}

/** A live task that two manifests claim blocks both; a task that nobody claims is an orphan or a bystander. */
function withoutDoubleClaims(index: LiveIndex, matches: Map<DesiredTask, TaskMatch>): Matching {
  const claims = new Map<string, DesiredTask[]>();
  for (const [desired, match] of matches) {
    if (match.type === 'blocked') continue;
    for (const id of idsOf(match)) claims.set(id, [...(claims.get(id) ?? []), desired]);
  }
  const decided = new Map<DesiredTask, TaskMatch>();
  for (const [desired, match] of matches) {
    const rivals = match.type === 'blocked' ? [] : idsOf(match).flatMap((id) => claims.get(id) ?? []);
    const other = rivals.find((rival) => rival !== desired);
    decided.set(desired, other === undefined ? match : contested(match, other));
  }
  const claimed = claimedIds(matches);
  const names = new Set([...matches.keys()].map(({ name }) => name));
  const unclaimed = (name: string, owners: readonly OwnedTask[]) => orphansOf(name, owners, claimed, names);
  const orphans = index.namesOfNow().flatMap((name) => unclaimed(name, index.ownersOf(name)));
  const left = index
    .namesBefore()
    .filter((name) => index.ownersOf(name).length === 0)
    .flatMap((name) => unclaimed(name, index.ownersBefore(name)));
  const taken = { matched: new Set(claims.keys()), claimed };
  return { matches: decided, orphans, left, bystanders: bystandersOf(index, taken, orphans, names) };
}

function contested(match: TaskMatch, other: DesiredTask): Blocked {
  const ids = idsOf(match);
  const text = `${other.address} claims the task ${ids.join(', ')} as well. Remove metadata.id or previous_name from one of the two.`;
  return { type: 'blocked', reason: 'conflict', text, ids };
}

function orphansOf(
  name: string,
  owners: readonly OwnedTask[],
  claimed: ReadonlySet<string>,
  names: ReadonlySet<string>,
): readonly Orphan[] {
  // A task with the name of a manifest is never deleted: beside the task of metadata.id, it is reported.
  if (names.has(name) || owners.some(({ task }) => claimed.has(task.id))) return [];
  const group = grouped(owners);
  return group === undefined ? [] : [{ ...group, name }];
}

interface Taken {
  /** Tasks that a manifest manages, unless it is blocked. */
  readonly matched: ReadonlySet<string>;
  /** These tasks, and tasks that block a manifest. */
  readonly claimed: ReadonlySet<string>;
}

function bystandersOf(
  index: LiveIndex,
  { matched, claimed }: Taken,
  orphans: readonly Orphan[],
  names: ReadonlySet<string>,
): readonly Bystander[] {
  const orphaned = new Set(
    orphans.flatMap((orphan) =>
      orphan.type === 'conflict' ? [] : ownedBy(orphan).map(({ task }) => task.id),
    ),
  );
  const bystanders: Bystander[] = [];
  for (const { task, remark } of index.byId.values()) {
    if (matched.has(task.id) || orphaned.has(task.id)) continue;
    const contested = index.isOfNow(remark) || (index.isOurs(remark) && claimed.has(task.id));
    const before = contested ? undefined : beforeOf(remark, index, names);
    bystanders.push({
      class: contested ? 'conflict' : CLASSES[remark.type],
      task,
      remark,
      ...(before === undefined ? {} : { before }),
    });
  }
  return bystanders.sort((a, b) => compareTexts(a.task.id, b.task.id));
}

const CLASSES = { plain: 'unmanaged', marked: 'foreign', damaged: 'damaged' } as const;

function beforeOf(remark: Remark, index: LiveIndex, names: ReadonlySet<string>): Bystander['before'] {
  if (remark.type !== 'marked' || !index.isOurs(remark)) return undefined;
  const { name } = remark.marker;
  return names.has(name) || index.ownersOf(name).length > 0 ? 'beside' : 'unnamed';
}
