import { createHash } from 'node:crypto';
import { resourcesBefore } from '../../model/change.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { Change, Plan } from '../../model/generated/plan.ts';
import { isTaskCollection } from '../../model/kind.ts';

/** The part of a plan that `--canary` leaves for later. */
export interface Canary {
  /** As requested: `5%` or a number of tasks. */
  readonly share: string;
  /** Tasks that are changed now. */
  readonly tasks: number;
  /** Tasks that the whole plan changes. */
  readonly of: number;
  /** Addresses at which nothing is done. */
  readonly exclude: ReadonlySet<string>;
}

/** `5%`, from 1 to 100, or a number of tasks. */
export function isShare(text: string): boolean {
  return /^(?:[1-9]\d{0,4}|(?:100|[1-9]\d?)%)$/.test(text);
}

/**
 * Chooses this part of the tasks that a plan changes, at least one, by SHA-256 over the plan's digest and the address. The same
 * plan gives the same tasks on any machine. What is left afterwards is another plan, which gives other tasks. Tasks that share a
 * wallet are changed together, chosen by the first of their addresses, even if they are more than `share`. Labels and templates
 * follow the tasks that need them; the others are left too. A plan that changes no task is left whole. `share` must satisfy {@link
 * isShare}.
 */
export function canaryOf({ changes, digest }: Pick<Plan, 'changes' | 'digest'>, share: string): Canary {
  const worked = changes.filter(({ operations }) => operations.length > 0);
  const tasks = worked.filter(({ kind }) => isTaskCollection(kind));
  const asked = share.endsWith('%')
    ? Math.ceil((tasks.length * Number(share.slice(0, -1))) / 100)
    : Number(share);
  const weight = (address = '') => createHash('sha256').update(`${digest}\0${address}`).digest('hex');
  const ranked = groupsOf(tasks)
    .map((addresses) => ({ addresses, weight: weight(addresses[0]) }))
    .sort((a, b) => compareTexts(a.weight, b.weight));
  const chosen = new Set<string>();
  for (const { addresses } of ranked) {
    if (chosen.size >= asked) break;
    for (const address of addresses) chosen.add(address);
  }
  const left = tasks.length === 0 ? [] : worked.filter(({ address }) => !chosen.has(address));
  const exclude = new Set(left.map(({ address }) => address));
  return { share, tasks: chosen.size, of: tasks.length, exclude };
}

/**
 * The addresses of tasks of one kind that are connected by a target wallet that one of them has, and others have or get. Each
 * group is in order. Changing one without the others would leave two tasks on a wallet, or none.
 */
function groupsOf(tasks: readonly Change[]): readonly (readonly string[])[] {
  const holders = new Map(tasks.flatMap(held).map((wallet) => [wallet, [] as Change[]]));
  const walletsOf = (task: Change) => [...held(task), ...wanted(task)];
  for (const task of tasks) for (const wallet of walletsOf(task)) holders.get(wallet)?.push(task);
  const left = new Set(tasks);
  return tasks.flatMap((first) => {
    if (!left.delete(first)) return [];
    const group = [first];
    // The group grows during this loop.
    for (const task of group)
      for (const wallet of walletsOf(task)) {
        for (const other of holders.get(wallet) ?? []) if (left.delete(other)) group.push(other);
        holders.delete(wallet);
      }
    return [group.map(({ address }) => address).sort(compareTexts)];
  });
}

function held(change: Change): readonly string[] {
  return resourcesBefore(change).flatMap(({ target_wallet: wallet }) => keysOf(change.kind, wallet));
}

function wanted({ kind, fields }: Change): readonly string[] {
  return fields.flatMap(({ path, after }) => (path === 'target_wallet' ? keysOf(kind, after) : []));
}

/** The key includes the kind, because tasks of two kinds may trade one wallet. */
function keysOf(kind: string, wallet: unknown): readonly string[] {
  return typeof wallet === 'string' ? [`${kind} ${wallet}`] : [];
}
