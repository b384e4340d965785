import { replacesTag } from '../../model/marker.ts';
import type { LiveIndex } from './live-index.ts';
import type { OwnedTask, ReplacementPair } from './task-match.ts';

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
