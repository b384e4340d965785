import { type Collection, kindOf } from '../../model/kind.ts';
import { type Marker, ownMarkerOf, type ProjectNames } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';

export interface OwnedTask {
  readonly task: LiveTask;
  readonly marker: Marker;
}

/** A replacement that an earlier run left part-way: `successor` names `predecessor` by `~`. */
export interface ReplacementPair {
  readonly successor: OwnedTask;
  readonly predecessor: OwnedTask;
}

type BlockReason = 'conflict' | 'uncertain' | 'damaged' | 'foreign' | 'target-held' | 'id-not-found';

export interface Blocked {
  readonly type: 'blocked';
  readonly reason: BlockReason;
  readonly text: string;
  readonly ids: readonly string[];
}

/** Identity: the live task of a desired task (DESIGN 3). */
export type TaskMatch =
  | { readonly type: 'create' }
  | { readonly type: 'owned'; readonly owned: OwnedTask; readonly staleId: boolean }
  | {
      readonly type: 'adopt';
      readonly task: LiveTask;
      readonly reason: 'marker-lost' | 'target-held' | 'id-given';
    }
  /** A task of another project, named by `--take-over`; `marker` is that project's. */
  | { readonly type: 'take-over'; readonly task: LiveTask; readonly marker: Marker }
  | { readonly type: 'pair'; readonly pair: ReplacementPair }
  | Blocked;

/** Why `metadata.id` matches nothing. `other`: what has the id, of another kind than the manifest. */
export function idNotFound(
  id: string,
  what: 'task' | 'resource',
  other?: { collection: Collection },
): string {
  return other === undefined
    ? `No ${what} has the id ${id} of metadata.id. Remove metadata.id to create it, or check the account.`
    : `The id ${id} of metadata.id is that of a ${kindOf(other.collection).manifestKind}. Write that kind, or correct metadata.id.`;
}

export type NameOwners =
  | { readonly type: 'single'; readonly owned: OwnedTask }
  | { readonly type: 'pair'; readonly pair: ReplacementPair }
  | { readonly type: 'conflict'; readonly owned: readonly OwnedTask[] };

/** Owned on the service and claimed by no manifest. */
export type Orphan = NameOwners & { readonly name: string };

export interface Bystander {
  readonly class: 'unmanaged' | 'foreign' | 'damaged' | 'conflict';
  readonly task: LiveTask;
  /** The marker has the project's former name; `beside`: another task has its name under the current one. */
  readonly before?: 'unnamed' | 'beside';
}

/** Both tasks of a pair, the new one first. */
export function bothOf({ successor, predecessor }: ReplacementPair): readonly OwnedTask[] {
  return [successor, predecessor];
}

/** The tasks with the marker of an orphan; of a pair, the new task first. */
export function ownedBy(orphan: Orphan): readonly OwnedTask[] {
  if (orphan.type === 'single') return [orphan.owned];
  return orphan.type === 'pair' ? bothOf(orphan.pair) : orphan.owned;
}

/** The tasks of a match; none if it is blocked, whatever its `ids` are. */
export function tasksOf(match: TaskMatch): readonly LiveTask[] {
  switch (match.type) {
    case 'owned':
      return [match.owned.task];
    case 'adopt':
    case 'take-over':
      return [match.task];
    case 'pair':
      return bothOf(match.pair).map(({ task }) => task);
    case 'blocked':
    case 'create':
      return [];
  }
}

/** The tasks whose marker names this project by its current or former name. */
export function ownedTasks(
  project: ProjectNames,
  live: { readonly tasks: readonly LiveTask[] },
): readonly LiveTask[] {
  return live.tasks.filter((task) => ownMarkerOf(task, project) !== undefined);
}

/** The largest number of a commit in the markers of a project; 0 for none. */
export function newestNumber(project: ProjectNames, live: { readonly tasks: readonly LiveTask[] }): number {
  return Math.max(0, ...live.tasks.map((task) => ownMarkerOf(task, project)?.version?.number ?? 0));
}
