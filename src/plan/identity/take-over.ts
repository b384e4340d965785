import type { DesiredTask } from '../../desired/state.ts';
import { replacesTag } from '../../model/marker.ts';
import type { LiveIndex } from './live-index.ts';
import type { Blocked, OwnedTask, ReplacementPair, TaskMatch } from './task-match.ts';

/** The projects of `--take-over`; empty without the option. */
export type TakeOver = readonly string[];

/**
 * Matches a desired task without an owner with a task of one of these projects with the same name; undefined if there
 * is none.
 */
export function takeOverByName(
  desired: DesiredTask,
  index: LiveIndex,
  projects: TakeOver,
): TaskMatch | undefined {
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
  const { task, note, marker } = found;
  const others = index.markedBy(marker.project, marker.name);
  if (others.some((other) => pairOf(found, other) !== undefined)) return unfinished(found);
  if (task.target_wallet === desired.target_wallet) return { type: 'take-over', task, note, marker };
  const text = `The task ${task.id} of project ${marker.project} has the target wallet ${task.target_wallet}, and a target cannot be changed. Write that target, or set lifecycle.adopt: never to create another task.`;
  return { type: 'blocked', reason: 'uncertain', text, ids: [task.id] };
}

/**
 * What to do if a manifest names a task with another project's marker; `named`: the task has the manifest's name, or
 * its id.
 */
export function waysToForeign(project: string, named: boolean): string {
  const id = named ? '' : ' with metadata.id';
  return `If that project took the task over, remove this manifest; if ${project} is the former name of this project, set previous_name: ${project} in the project file. --take-over ${project}${id} takes the task over`;
}

/** A half of a replacement cannot be taken over: its project would start the other half. */
function unfinished({ task, marker }: OwnedTask): Blocked {
  const text = `Project ${marker.project} is replacing ${marker.name} (${task.id}) at the moment: let an apply of that project complete this first.`;
  return { type: 'blocked', reason: 'conflict', text, ids: [task.id] };
}

/** The tasks that carry one name of the project. */
export type NameOwners =
  | { readonly type: 'single'; readonly owned: OwnedTask }
  | { readonly type: 'pair'; readonly pair: ReplacementPair }
  | { readonly type: 'conflict'; readonly owned: readonly OwnedTask[] };

export function grouped(owners: readonly OwnedTask[]): NameOwners | undefined {
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
export function ownersOfName(index: LiveIndex, name: string): NameOwners | undefined {
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
export function pairOf(a: OwnedTask, b: OwnedTask): ReplacementPair | undefined {
  if (a.task.target_wallet === b.task.target_wallet) return undefined;
  const leftNames = a.marker.replaces === replacesTag(b.task.id);
  const rightNames = b.marker.replaces === replacesTag(a.task.id);
  if (leftNames === rightNames) return undefined;
  const pair = leftNames ? { successor: a, predecessor: b } : { successor: b, predecessor: a };
  const older = Date.parse(pair.successor.task.created_at) < Date.parse(pair.predecessor.task.created_at);
  return older ? undefined : pair;
}
