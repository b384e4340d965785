import type { DesiredTask } from '../../desired/state.ts';
import { byKey, madeOnce } from '../../model/by-key.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import { canonicalJson, type JsonObject } from '../../model/json.ts';
import type { TaskKind } from '../../model/kind.ts';
import { markerOf, mayBeOwn, type ProjectNames, remarkOf, replacesTag } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { currentConfig } from '../../model/shape.ts';
import { OTHERS } from './known-task.ts';
import { LiveIndex } from './live-index.ts';
import {
  type Blocked,
  type Bystander,
  idNotFound,
  type NameOwners,
  type Orphan,
  type OwnedTask,
  ownedBy,
  type ReplacementPair,
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

/** Matches the desired tasks of one kind with the live ones of all kinds. Pure; the order of either list does not matter. */
export function matchTasks(
  kind: TaskKind,
  project: ProjectNames,
  desired: readonly DesiredTask[],
  live: readonly LiveTask[],
  from: TakeOver = [],
): Matching {
  const index = new LiveIndex(project, kind, live);
  const matches = new Map<DesiredTask, TaskMatch>();
  const ownerless: DesiredTask[] = [];
  const names = new Set(desired.map((task) => task.name));
  for (const task of desired) {
    const match = matchIdentity(task, index, names, from) ?? takeOverByName(task, index, from);
    if (match === undefined) ownerless.push(task);
    else matches.set(task, match);
  }
  const claimed = claimedIds(matches);
  const lost = withLostMarkers(kind, ownerless, index, claimed);
  for (const [task, match] of lost) matches.set(task, match);
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
    const byId = matchId(desired, desired.id, group, index, names, from);
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
      const text = `${ids.length} tasks carry the marker of ${desired.name}, and none is touched until you keep one: release the others, or write its id as metadata.id.`;
      return { type: 'blocked', reason: 'conflict', text, ids };
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

function matchId(
  desired: DesiredTask,
  id: string,
  group: NameOwners | undefined,
  index: LiveIndex,
  names: ReadonlySet<string>,
  from: TakeOver,
): TaskMatch | undefined {
  const task = index.byId.get(id);
  if (task?.collection !== desired.collection) {
    if (group !== undefined) return undefined;
    const text = idNotFound(id, 'task', task);
    return { type: 'blocked', reason: 'id-not-found', text, ids: [id] };
  }
  const marker = markerOf(task);
  if (marker !== undefined) {
    if (!index.isOurs(task)) {
      if (from.includes(marker.project)) {
        return group === undefined
          ? takeOver(desired, { task, marker }, index)
          : rivalled(desired, id, index.ownersOf(desired.name));
      }
      const text = `The task ${id} of metadata.id belongs to project ${marker.project}. ${waysToForeign(marker.project, true)}.`;
      return { type: 'blocked', reason: 'foreign', text, ids: [id] };
    }
    if (marker.name !== desired.name && (names.has(marker.name) || group !== undefined)) {
      const text = `The task ${id} of metadata.id carries the marker of ${marker.name}. Remove metadata.id from this manifest.`;
      return { type: 'blocked', reason: 'conflict', text, ids: [id] };
    }
    return { type: 'owned', owned: { task, marker }, staleId: false };
  }
  if (group !== undefined) return rivalled(desired, id, index.ownersOf(desired.name));
  if (task.target_wallet !== desired.target_wallet) {
    const text = `The task ${id} of metadata.id has the target wallet ${task.target_wallet}, and a target cannot be changed. Write that target, or remove metadata.id.`;
    return { type: 'blocked', reason: 'uncertain', text, ids: [id] };
  }
  return { type: 'adopt', task, reason: 'id-given' };
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
  const orphans = index.names('now').flatMap((name) => unclaimed(name, index.ownersOf(name)));
  const left = index
    .names('before')
    .filter((name) => index.ownersOf(name).length === 0)
    .flatMap((name) => unclaimed(name, index.ownersBefore(name)));
  // A task that blocks a manifest is claimed, and not managed by it.
  const alone = orphans.filter(({ type }) => type !== 'conflict').flatMap(ownedBy);
  const managed = new Set([...claims.keys(), ...alone.map(({ task }) => task.id)]);
  return { matches: decided, orphans, left, bystanders: bystandersOf(index, managed, claimed, names) };
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

function bystandersOf(
  index: LiveIndex,
  managed: ReadonlySet<string>,
  claimed: ReadonlySet<string>,
  names: ReadonlySet<string>,
): readonly Bystander[] {
  const bystanders: Bystander[] = [];
  for (const task of index.ofKind) {
    if (managed.has(task.id)) continue;
    const remark = remarkOf(task);
    const contested = index.isOfNow(task) || (index.isOurs(task) && claimed.has(task.id));
    const before = contested ? undefined : beforeOf(task, index, names);
    const { project, previousProject } = index.project;
    const nobodys = remark.type === 'damaged' && !mayBeOwn(remark, [project, previousProject, ...names]);
    bystanders.push({
      class: contested ? 'conflict' : nobodys ? 'unmanaged' : OTHERS[remark.type],
      task,
      ...(before === undefined ? {} : { before }),
    });
  }
  return bystanders.sort((a, b) => compareTexts(a.task.id, b.task.id));
}

function beforeOf(task: LiveTask, index: LiveIndex, names: ReadonlySet<string>): Bystander['before'] {
  const name = index.isOurs(task) ? markerOf(task)?.name : undefined;
  if (name === undefined) return undefined;
  return names.has(name) || index.ownersOf(name).length > 0 ? 'beside' : 'unnamed';
}

/** The projects of `--take-over`; empty without the option. */
type TakeOver = readonly string[];

/**
 * Matches a desired task without an owner with a task of one of these projects with the same name; undefined if there
 * is none.
 */
function takeOverByName(desired: DesiredTask, index: LiveIndex, projects: TakeOver): TaskMatch | undefined {
  if (desired.adopt === 'never') return undefined;
  const found = [...new Set(projects)].flatMap((project) => index.markedBy(project, desired.name));
  const [only, second] = found;
  if (only === undefined) return undefined;
  if (second === undefined) return takeOver(desired, only, index);
  const pair = found.length === 2 ? pairOf(only, second) : undefined;
  if (pair !== undefined) return unfinished(only);
  const ids = found.map(({ task }) => task.id).sort();
  const text = `${ids.length} tasks of the --take-over projects have the name ${desired.name}: ${ids.join(', ')}. Set metadata.id to the right one.`;
  return { type: 'blocked', reason: 'conflict', text, ids };
}

/** Matches a foreign task that the manifest names, by its name or by `metadata.id`. */
export function takeOver(desired: DesiredTask, found: OwnedTask, index: LiveIndex): TaskMatch {
  const { task, marker } = found;
  const others = index.markedBy(marker.project, marker.name);
  if (others.some((other) => pairOf(found, other) !== undefined)) return unfinished(found);
  if (task.target_wallet === desired.target_wallet) return { type: 'take-over', task, marker };
  const text = `The task ${task.id} of project ${marker.project} has the target wallet ${task.target_wallet}, and a target cannot be changed. Write that target, or set lifecycle.adopt: never to create another task.`;
  return { type: 'blocked', reason: 'uncertain', text, ids: [task.id] };
}

/**
 * What to do if a manifest names a task with another project's marker; `named`: the task has the manifest's name, or
 * its id.
 */
function waysToForeign(project: string, named: boolean): string {
  const id = named ? '' : ' with metadata.id';
  return `If that project took the task over, remove this manifest; if ${project} is the former name of this project, set previous_name: ${project} in the project file. \`tradeform apply --take-over ${project}\`${id} takes the task over`;
}

/** A half of a replacement cannot be taken over: its project would start the other half. */
function unfinished({ task, marker }: OwnedTask): Blocked {
  const text = `Project ${marker.project} is replacing ${marker.name} (${task.id}) at the moment: let an apply of that project complete this first.`;
  return { type: 'blocked', reason: 'conflict', text, ids: [task.id] };
}

function grouped(owners: readonly OwnedTask[]): NameOwners | undefined {
  const [first, second] = owners;
  if (first === undefined) return undefined;
  if (second === undefined) return { type: 'single', owned: first };
  const pair = owners.length === 2 ? pairOf(first, second) : undefined;
  return pair === undefined ? { type: 'conflict', owned: owners } : { type: 'pair', pair };
}

/**
 * The owners of a name. After a rename of the project, tasks with the former name count only if no task has the current
 * one; beside such a task, only as the other half of its replacement that an apply left part-way.
 */
function ownersOfName(index: LiveIndex, name: string): NameOwners | undefined {
  const now = index.ownersOf(name);
  const before = index.ownersBefore(name);
  const [only, another] = now;
  if (only === undefined) return grouped(before);
  if (another !== undefined) return grouped(now);
  const [pair, second] = before.flatMap((task) => pairOf(only, task) ?? []);
  return pair === undefined || second !== undefined
    ? { type: 'single', owned: only }
    : { type: 'pair', pair };
}

/**
 * The pair, if one task replaces the other: it has another target and is not older. The four hex digits alone could be
 * chance.
 */
function pairOf(a: OwnedTask, b: OwnedTask): ReplacementPair | undefined {
  if (a.task.target_wallet === b.task.target_wallet) return undefined;
  const leftNames = a.marker.replaces === replacesTag(b.task.id);
  const rightNames = b.marker.replaces === replacesTag(a.task.id);
  if (leftNames === rightNames) return undefined;
  const pair = leftNames ? { successor: a, predecessor: b } : { successor: b, predecessor: a };
  const older = Date.parse(pair.successor.task.created_at) < Date.parse(pair.predecessor.task.created_at);
  return older ? undefined : pair;
}

/**
 * Finds desired tasks whose marker may have been lost (DESIGN 3, "Lost marker"). A certain match is adopted; a weaker
 * one blocks the create, because a duplicate would trade twice. A task that is adopted is not a candidate for other manifests,
 * which may decide those, too.
 */
function withLostMarkers(
  kind: TaskKind,
  ownerless: readonly DesiredTask[],
  index: LiveIndex,
  claimed: ReadonlySet<string>,
): ReadonlyMap<DesiredTask, TaskMatch> {
  const free = index.ofKind.filter((task) => !claimed.has(task.id) && !index.isOfNow(task));
  const candidates = byKey(free, ({ target_wallet }) => target_wallet);
  const configs = new Map<JsonObject, string>();
  const configText = ({ config }: Pick<DesiredTask, 'config'>) =>
    madeOnce(configs, config, () => canonicalJson(currentConfig(kind.config, config)));
  const fingerprint = (task: DesiredTask) => `${task.target_wallet}\n${task.note}\n${configText(task)}`;
  const wanted = byKey(
    ownerless.filter(({ adopt }) => adopt !== 'never'),
    fingerprint,
  );
  const adopted = new Set<string>();
  const matches = new Map<DesiredTask, TaskMatch>();

  const match = (desired: DesiredTask): TaskMatch => {
    const found = (candidates.get(desired.target_wallet) ?? []).filter(({ id }) => !adopted.has(id));
    if (desired.adopt === 'never') return besides(kind, desired, found);
    const others = found.filter((task) => remarkOf(task).type !== 'plain');
    const obstacle = others.find((task) => kind.uniqueTarget || markerOf(task) === undefined);
    if (obstacle !== undefined) return heldBy(index, desired, obstacle);
    const twin = others.find((task) => {
      const { note, marker } = remarkOf(task);
      const sameNote = desired.note !== '' && note === desired.note;
      return sameNote || marker?.name === desired.name || configText(task) === configText(desired);
    });
    if (twin !== undefined) return foreignTwin(index, desired, twin);
    const plain = found.filter((task) => remarkOf(task).type === 'plain');
    const [holder] = plain;
    if (kind.uniqueTarget && holder !== undefined && plain.length === 1)
      return { type: 'adopt', task: holder, reason: 'target-held' };
    return fromPlain(desired, plain);
  };
  const fromPlain = (desired: DesiredTask, plain: readonly LiveTask[]): TaskMatch => {
    const similar = plain
      .map((task) => ({
        task,
        config: configText(task) === configText(desired),
        note: desired.note !== '' && remarkOf(task).note === desired.note,
      }))
      .filter((candidate) => candidate.config || candidate.note);
    const [only] = similar;
    if (only === undefined) return { type: 'create' };
    const isOnly = similar.length === 1 && wanted.get(fingerprint(desired))?.length === 1;
    if (isOnly && only.config && only.note) return { type: 'adopt', task: only.task, reason: 'marker-lost' };
    const ids = similar.map(({ task }) => task.id).sort();
    const text = `${ids.length === 1 ? 'An unmanaged task' : `${ids.length} unmanaged tasks`} with the same target ${ids.length === 1 ? 'looks' : 'look'} like this one: ${ids.join(', ')}. Set metadata.id to adopt one of them, or lifecycle.adopt: never to create another task.`;
    return { type: 'blocked', reason: 'uncertain', text, ids };
  };

  for (let open = ownerless; ; open = open.filter((desired) => matches.get(desired)?.type === 'blocked')) {
    for (const desired of open) matches.set(desired, match(desired));
    const before = adopted.size;
    for (const one of matches.values()) if (one.type === 'adopt') adopted.add(one.task.id);
    if (adopted.size === before) return matches;
  }
}

function besides(kind: TaskKind, desired: DesiredTask, [holder]: readonly LiveTask[]): TaskMatch {
  if (!kind.uniqueTarget || holder === undefined) return { type: 'create' };
  const text = `The task ${holder.id} has the target ${desired.target_wallet} already, and only one task can copy a target. Set metadata.id to adopt that task, or remove it.`;
  return { type: 'blocked', reason: 'target-held', text, ids: [holder.id] };
}

function heldBy(index: LiveIndex, desired: DesiredTask, task: LiveTask): Blocked {
  const marker = markerOf(task);
  if (marker !== undefined) {
    const { project, name } = marker;
    const way = index.isOurs(task)
      ? `of ${project}/${name}, the former name of this project: set metadata.previous_name: ${name}, or metadata.id.`
      : `of project ${project}. ${waysToForeign(project, name === desired.name)}.`;
    const text = `The target is already used by the task ${task.id} ${way}`;
    return { type: 'blocked', reason: 'foreign', text, ids: [task.id] };
  }
  const text = `The task ${task.id} with the same target has a damaged marker. Set metadata.id to adopt it, or repair its remark in the web application.`;
  return { type: 'blocked', reason: 'damaged', text, ids: [task.id] };
}

/**
 * The current task of this name, if somebody else owns it now: a plan of an earlier commit must not create another
 * one.
 */
function foreignTwin(index: LiveIndex, desired: DesiredTask, task: LiveTask): Blocked {
  const { project, name } = markerOf(task) ?? { project: '', name: '' };
  const way = index.isOurs(task)
    ? `of ${project}/${name}, the former name of this project, has the same target and looks like this one. If it is the same task, set metadata.previous_name: ${name}`
    : `of project ${project} has the same target and looks like this one. ${waysToForeign(project, name === desired.name)}`;
  const text = `The task ${task.id} ${way}; lifecycle.adopt: never creates another task.`;
  return { type: 'blocked', reason: 'uncertain', text, ids: [task.id] };
}
