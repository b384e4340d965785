import type { Operation } from '../model/generated/plan.ts';
import type { Chain } from './chains.ts';
import type { Release, Slots } from './slots.ts';
import { type Aside, Interrupted } from './wire.ts';

/** Why an operation may not be done. */
export type Hindrance =
  /** An operation of the chain of that address was not done. */
  | { readonly type: 'needs'; readonly address: string }
  /** Nothing new is started: interrupted, or the credential is refused. */
  | { readonly type: 'closed' };

/** A chain's place in the run: asked before every operation, told after it. */
export interface Turn {
  /** Waits for the operation's needs and for a slot; undefined where it may be done now. */
  ready(place: number): Promise<Hindrance | undefined>;
  done(operation: Operation): void;
  /** Gives the slot away until `work` has ended. */
  readonly aside: Aside;
}

/**
 * Runs chains side by side. A chain holds a slot while it works and gives it back while it waits for another chain, so
 * that one slot is enough for any plan; whoever is in hand goes before whoever is not.
 */
export class Scheduler {
  private readonly chains: readonly Chain[];
  private readonly slots: Slots;
  private readonly outcomes: Outcomes;
  /** By operation that another chain needs. */
  private readonly owner = new Map<string, Chain>();
  private readonly inHand = new Set<Chain>();
  private readonly ended = new Set<Chain>();
  private closed = false;

  constructor(chains: readonly Chain[], slots: Slots, stop: { soft: AbortSignal; hard: AbortSignal }) {
    this.chains = chains;
    this.slots = slots;
    const needed = new Set(chains.flatMap(({ needs }) => needs.flat()));
    this.outcomes = new Outcomes(needed, stop.hard);
    for (const chain of chains) {
      for (const { id } of chain.operations) if (needed.has(id)) this.owner.set(id, chain);
      for (const { id } of chain.operations.slice(0, chain.done)) this.outcomes.settle(id, true);
    }
    if (stop.soft.aborted) this.closed = true;
    else stop.soft.addEventListener('abort', () => this.close(), { once: true });
  }

  /** No chain is started any more, except one that a chain in hand waits for. */
  close(): void {
    this.closed = true;
    const started = new Set([...this.neededInHand()].map(({ index }) => index));
    this.slots.refuse((index) => !started.has(index));
  }

  async run(work: (chain: Chain, turn: Turn) => Promise<void>): Promise<void> {
    await Promise.all(this.chains.map((chain) => this.runOne(chain, work)));
  }

  private async runOne(chain: Chain, work: (chain: Chain, turn: Turn) => Promise<void>): Promise<void> {
    const { outcomes } = this;
    const verbs = new Set(chain.operations.map(({ verb }) => verb));
    const restarts = verbs.has('pause') && verbs.has('resume');
    let slot: Release | undefined;
    // A chain that an earlier run left part-way may have left its task paused.
    if (chain.done > 0 && chain.done < chain.operations.length) this.inHand.add(chain);
    const ready = async (place: number): Promise<Hindrance | undefined> => {
      const needs = chain.needs[place] ?? [];
      if (needs.some((id) => outcomes.of(id) === undefined)) {
        slot?.();
        slot = undefined;
      }
      for (const id of needs) {
        if (!(outcomes.of(id) ?? (await outcomes.wait(id))))
          return { type: 'needs', address: this.owner.get(id)?.change.address ?? id };
      }
      if (slot !== undefined) return undefined;
      if (!this.mayStart(chain)) return { type: 'closed' };
      slot = await this.slots.acquire({ inHand: this.inHand.has(chain), restarts, index: chain.index });
      if (slot === undefined) return { type: 'closed' };
      this.inHand.add(chain);
      return undefined;
    };
    const aside: Aside = async (waiting) => {
      slot?.();
      slot = undefined;
      try {
        return await waiting();
      } finally {
        slot = await this.slots.acquire({ inHand: true, restarts, index: chain.index });
      }
    };
    try {
      await work(chain, { ready, done: ({ id }) => outcomes.settle(id, true), aside });
    } finally {
      slot?.();
      this.inHand.delete(chain);
      this.ended.add(chain);
      for (const { id } of chain.operations) outcomes.settle(id, false);
    }
  }

  private mayStart(chain: Chain): boolean {
    return !this.closed || this.neededInHand().has(chain);
  }

  /** The chains in hand, and those that they wait for. */
  private neededInHand(): ReadonlySet<Chain> {
    const needed = new Set<Chain>();
    const open = [...this.inHand];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (needed.has(next) || this.ended.has(next)) continue;
      needed.add(next);
      for (const id of next.needs.flat()) {
        const owner = this.owner.get(id);
        if (owner !== undefined && this.outcomes.of(id) === undefined) open.push(owner);
      }
    }
    return needed;
  }
}

/** Whether operations that others need were done; nothing is kept of the rest. */
class Outcomes {
  private readonly values = new Map<string, boolean | undefined>();
  private readonly waiting = new Map<string, ((done: boolean) => void)[]>();
  /** Everybody who waits, told of the second Ctrl-C. */
  private readonly stops = new Set<() => void>();
  private readonly hard: AbortSignal;

  constructor(needed: ReadonlySet<string>, hard: AbortSignal) {
    for (const id of needed) this.values.set(id, undefined);
    this.hard = hard;
    const stopAll = () => {
      for (const stop of this.stops) stop();
    };
    hard.addEventListener('abort', stopAll, { once: true });
  }

  /** Undefined as long as it is open. */
  of(id: string): boolean | undefined {
    return this.values.get(id);
  }

  /** The first word counts. */
  settle(id: string, done: boolean): void {
    if (!this.values.has(id) || this.values.get(id) !== undefined) return;
    this.values.set(id, done);
    for (const tell of this.waiting.get(id) ?? []) tell(done);
    this.waiting.delete(id);
  }

  async wait(id: string): Promise<boolean> {
    if (this.hard.aborted) throw new Interrupted(false);
    let stop: () => void = () => undefined;
    try {
      return await new Promise<boolean>((resolve, reject) => {
        stop = () => reject(new Interrupted(false));
        this.stops.add(stop);
        const waiting = this.waiting.get(id);
        if (waiting === undefined) this.waiting.set(id, [resolve]);
        else waiting.push(resolve);
      });
    } finally {
      this.stops.delete(stop);
    }
  }
}
