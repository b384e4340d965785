import type { Operation } from '../model/generated/plan.ts';
import type { Chain } from './chains.ts';
import type { Release, Slots } from './slots.ts';
import { Interrupted } from './wire.ts';

/** Why an operation may not be done. */
export type Hindrance =
  /** An operation of another chain was not done. */
  | { readonly type: 'needs'; readonly operation: string }
  /** Nothing new is started: interrupted, or the credential is refused. */
  | { readonly type: 'closed' };

/** A chain's place in the run: asked before every operation, told after it. */
export interface Turn {
  /** Waits for the operation's needs and for a slot; undefined where it may be done now. */
  ready(place: number): Promise<Hindrance | undefined>;
  done(operation: Operation): void;
}

/**
 * Runs chains side by side. A chain holds a slot while it works and gives it back while it waits for another chain, so
 * that one slot is enough for any plan; whoever is in hand goes before whoever is not.
 */
export class Scheduler {
  private readonly chains: readonly Chain[];
  private readonly slots: Slots;
  private readonly hard: AbortSignal;
  /** By operation: resolves with whether it was done. */
  private readonly outcomes = new Map<string, Deferred>();
  private readonly owner = new Map<string, Chain>();
  private readonly inHand = new Set<Chain>();
  private readonly ended = new Set<Chain>();
  private closed = false;

  constructor(chains: readonly Chain[], slots: Slots, stop: { soft: AbortSignal; hard: AbortSignal }) {
    this.chains = chains;
    this.slots = slots;
    this.hard = stop.hard;
    for (const chain of chains) {
      for (const { id } of chain.operations) {
        this.outcomes.set(id, deferred());
        this.owner.set(id, chain);
      }
      for (const { id } of chain.operations.slice(0, chain.done)) this.outcomes.get(id)?.resolve(true);
    }
    if (stop.soft.aborted) this.closed = true;
    else stop.soft.addEventListener('abort', () => this.close(), { once: true });
  }

  /** No chain is started any more, except one that a chain in hand waits for. */
  close(): void {
    this.closed = true;
    this.slots.refuse((index) => {
      const chain = this.chains.find((candidate) => candidate.index === index);
      return chain !== undefined && !this.mayStart(chain);
    });
  }

  async run(work: (chain: Chain, turn: Turn) => Promise<void>): Promise<void> {
    await Promise.all(this.chains.map((chain) => this.runOne(chain, work)));
  }

  private async runOne(chain: Chain, work: (chain: Chain, turn: Turn) => Promise<void>): Promise<void> {
    let slot: Release | undefined;
    // A chain that an earlier run left part-way may have left its task paused.
    if (chain.done > 0 && chain.done < chain.operations.length) this.inHand.add(chain);
    const ready = async (place: number): Promise<Hindrance | undefined> => {
      const needs = chain.needs[place] ?? [];
      const open = needs.filter((id) => this.outcomes.get(id)?.value === undefined);
      if (open.length > 0) {
        slot?.();
        slot = undefined;
      }
      for (const id of needs) {
        if (!(await this.outcome(id))) return { type: 'needs', operation: id };
      }
      if (slot !== undefined) return undefined;
      if (!this.mayStart(chain)) return { type: 'closed' };
      slot = await this.slots.acquire({ inHand: this.inHand.has(chain), index: chain.index });
      if (slot === undefined) return { type: 'closed' };
      this.inHand.add(chain);
      return undefined;
    };
    try {
      await work(chain, { ready, done: ({ id }) => this.outcomes.get(id)?.resolve(true) });
    } finally {
      slot?.();
      this.inHand.delete(chain);
      this.ended.add(chain);
      for (const { id } of chain.operations) this.outcomes.get(id)?.resolve(false);
    }
  }

  private async outcome(id: string): Promise<boolean> {
    const entry = this.outcomes.get(id);
    if (entry === undefined) return false;
    if (entry.value !== undefined) return entry.value;
    if (this.hard.aborted) throw new Interrupted(false);
    let stop: () => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(new Interrupted(false));
      this.hard.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([entry.promise, stopped]);
    } finally {
      this.hard.removeEventListener('abort', stop);
    }
  }

  private mayStart(chain: Chain): boolean {
    return !this.closed || this.inHand.has(chain) || this.isNeededInHand(chain);
  }

  private isNeededInHand(chain: Chain): boolean {
    const seen = new Set<Chain>();
    const open = [...this.inHand];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === chain) return true;
      if (seen.has(next) || this.ended.has(next)) continue;
      seen.add(next);
      for (const id of next.needs.flat()) {
        const owner = this.owner.get(id);
        if (owner !== undefined && this.outcomes.get(id)?.value === undefined) open.push(owner);
      }
    }
    return false;
  }
}

interface Deferred {
  readonly promise: Promise<boolean>;
  value: boolean | undefined;
  resolve(value: boolean): void;
}

function deferred(): Deferred {
  let settle: (value: boolean) => void = () => undefined;
  const promise = new Promise<boolean>((resolve) => {
    settle = resolve;
  });
  const result: Deferred = {
    promise,
    value: undefined,
    resolve: (value) => {
      if (result.value !== undefined) return;
      result.value = value;
      settle(value);
    },
  };
  return result;
}
