import { byKey } from '../model/by-key.ts';
import type { Change, Operation, Plan } from '../model/generated/plan.ts';
import { reaches } from '../model/reaches.ts';
import { type Effect, effectOf } from '../plan/order/turn.ts';

/** The operations of one address, in order: carried out one after another. */
export interface Chain {
  /** Place among the plan's operations: of the chains that may go, the first one goes. */
  readonly index: number;
  readonly change: Change;
  readonly effect: Effect;
  readonly operations: readonly Operation[];
  /**
   * For each operation: the operations of other chains that must be done before it, including those hoisted from later
   * operations.
   */
  readonly needs: readonly (readonly string[])[];
}

/** The chains of a plan. Throws for a plan that contradicts itself: unknown needs, or a cycle. */
export function buildChains(plan: Plan): readonly Chain[] {
  const byAddress = byKey(plan.operations, ({ address }) => address);
  const places = new Map(plan.operations.map(({ id, address }) => [id, address]));
  const changes = new Map(plan.changes.map((change) => [change.address, change]));
  /** What an operation waits for: its needs, the operation before it in its chain, and what is hoisted to it. */
  const waits = new Map<string, readonly string[]>();
  for (const operations of byAddress.values())
    operations.forEach(({ id, needs }, place) => {
      const before = operations[place - 1];
      waits.set(id, before === undefined ? needs : [...needs, before.id]);
    });
  requireOrder(waits);

  /**
   * The operations for which the operation at `place` waits. A chain that pauses a running task first waits for
   * everything that its later steps need, so that no task is paused while its chain waits for another. The exception is
   * an operation that itself waits for this pause.
   */
  const needsAt = (chain: readonly Operation[], { id, address, verb, needs }: Operation, place: number) => {
    const isElsewhere = (need: string) => places.get(need) !== address;
    const own = needs.filter(isElsewhere);
    if (verb !== 'mark' && verb !== 'pause') return own;
    const later = chain.slice(place + 1).flatMap((step) => step.needs.filter(isElsewhere));
    const hoisted = later.filter((need) => {
      if (reaches(need, id, (one) => waits.get(one) ?? [])) return false;
      waits.set(id, [...(waits.get(id) ?? []), need]);
      return true;
    });
    return [...new Set([...own, ...hoisted])];
  };

  return [...byAddress].map(([address, operations], index) => {
    const change = changes.get(address);
    if (change === undefined) throw new Error(`the plan has operations on ${address} without a change`);
    const needs = operations.map((operation, place) => needsAt(operations, operation, place));
    return { index, change, effect: effectOf(change), operations, needs };
  });
}

function requireOrder(waits: ReadonlyMap<string, readonly string[]>): void {
  const open = new Map(waits);
  for (const [id, needs] of waits)
    for (const need of needs)
      if (!waits.has(need)) throw new Error(`the plan's ${id} needs ${need}, which is not in it`);
  for (let before = Number.POSITIVE_INFINITY; open.size < before; ) {
    before = open.size;
    for (const [id, needs] of open) if (!needs.some((need) => open.has(need))) open.delete(id);
  }
  if (open.size > 0)
    throw new Error(`the plan's operations wait for each other: ${[...open.keys()].join(', ')}`);
}
