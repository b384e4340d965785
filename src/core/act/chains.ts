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
  const graph = new Graph(byAddress);
  const changes = new Map(plan.changes.map((change) => [change.address, change]));
  return [...byAddress].map(([address, operations], index) => {
    const change = changes.get(address);
    if (change === undefined) throw new Error(`the plan has operations on ${address} without a change`);
    const needs = operations.map((_, place) => graph.needsAt(operations, place));
    return { index, change, effect: effectOf(change), operations, needs };
  });
}

class Graph {
  private readonly byId = new Map<string, { operation: Operation; before: Operation | undefined }>();

  /** Needs of later steps for which an operation already waits; from then on they count as its own. */
  private readonly hoisted = new Map<string, readonly string[]>();

  constructor(byAddress: ReadonlyMap<string, readonly Operation[]>) {
    for (const operations of byAddress.values()) {
      operations.forEach((operation, index) => {
        this.byId.set(operation.id, { operation, before: operations[index - 1] });
      });
    }
    this.check();
  }

  /**
   * The operations for which the operation at `place` waits. A chain that pauses a running task first waits for
   * everything that its later steps need, so that no task is paused while its chain waits for another. The exception is
   * an operation that itself waits for this pause.
   */
  needsAt(chain: readonly Operation[], place: number): readonly string[] {
    const operation = chain[place];
    if (operation === undefined) return [];
    const own = operation.needs.filter((id) => this.byId.get(id)?.operation.address !== operation.address);
    const opens = operation.verb === 'mark' || operation.verb === 'pause';
    if (!opens) return own;
    const later = chain.slice(place + 1).flatMap(({ needs }) => needs);
    const elsewhere = later.filter((id) => this.byId.get(id)?.operation.address !== operation.address);
    for (const id of elsewhere) {
      if (reaches(id, operation.id, (one) => this.prerequisites(one))) continue;
      this.hoisted.set(operation.id, [...(this.hoisted.get(operation.id) ?? []), id]);
    }
    return [...new Set([...own, ...(this.hoisted.get(operation.id) ?? [])])];
  }

  private prerequisites(id: string): readonly string[] {
    const node = this.byId.get(id);
    if (node === undefined) return [];
    const needs = [...node.operation.needs, ...(this.hoisted.get(id) ?? [])];
    return node.before === undefined ? needs : [...needs, node.before.id];
  }

  private check(): void {
    const open = new Set(this.byId.keys());
    for (const [id, { operation }] of this.byId)
      for (const need of operation.needs)
        if (!open.has(need)) throw new Error(`the plan's ${id} needs ${need}, which is not in it`);
    for (let before = Number.POSITIVE_INFINITY; open.size < before; ) {
      before = open.size;
      for (const id of open) if (!this.prerequisites(id).some((need) => open.has(need))) open.delete(id);
    }
    if (open.size > 0) throw new Error(`the plan's operations wait for each other: ${[...open].join(', ')}`);
  }
}
