import type { Limiter } from '../ports/limiter.ts';
import { Heap } from './heap.ts';

/** Gives a slot back; twice does nothing. */
export type Release = () => void;

/**
 * Chains in hand come before new ones, new ones in the order of the plan: a paused task loses money. Where the limiter says
 * how many running tasks may be restarted at once, a new chain that does that lets the others go first.
 */
export interface Claim {
  readonly inHand: boolean;
  /** The chain pauses a running task and starts it again. */
  readonly restarts: boolean;
  readonly index: number;
}

interface Waiting extends Claim {
  readonly order: number;
  readonly resolve: (release: Release | undefined) => void;
}

/** Hands the limiter's slots out by priority: only one acquisition is open at a time, and the best claim gets it. */
export class Slots {
  private readonly limiter: Limiter;
  private readonly inHand = new Heap<Waiting>(({ order }) => order);
  private readonly restarting = new Heap<Waiting>(({ index }) => index);
  private readonly others = new Heap<Waiting>(({ index }) => index);
  /** Slots of chains that restart a task. */
  private restarts = 0;
  private acquiring = false;
  private count = 0;

  constructor(limiter: Limiter) {
    this.limiter = limiter;
  }

  /** Resolves with the slot, or with undefined where `refuse` took the claim back. */
  acquire(claim: Claim): Promise<Release | undefined> {
    return new Promise((resolve) => {
      this.count += 1;
      const queue = claim.inHand ? this.inHand : claim.restarts ? this.restarting : this.others;
      queue.put({ ...claim, order: this.count, resolve });
      void this.pump();
    });
  }

  /** Takes back the waiting claims of new chains that `which` names. */
  refuse(which: (index: number) => boolean): void {
    for (const queue of [this.restarting, this.others]) {
      for (const { resolve } of queue.remove(({ index }) => which(index))) resolve(undefined);
    }
  }

  private async pump(): Promise<void> {
    if (this.acquiring) return;
    this.acquiring = true;
    while (this.best().first() !== undefined) {
      const release = await this.limiter.acquire();
      const claim = this.best().take();
      if (claim === undefined) release();
      else claim.resolve(this.slotOf(claim, release));
    }
    this.acquiring = false;
  }

  /** The queue that comes next; an empty one where nobody may have a slot now. */
  private best(): Heap<Waiting> {
    if (this.inHand.first() !== undefined) return this.inHand;
    const restart = this.restarting.first();
    const other = this.others.first();
    const full = this.restarts >= (this.limiter.restarts ?? Number.POSITIVE_INFINITY);
    if (restart === undefined || full) return this.others;
    return other === undefined || restart.index < other.index ? this.restarting : this.others;
  }

  private slotOf({ restarts }: Claim, release: Release): Release {
    if (!restarts) return release;
    this.restarts += 1;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.restarts -= 1;
      release();
      void this.pump();
    };
  }
}

/** A limiter whose limit never changes. */
export function fixedLimiter(limit: number): Limiter {
  const most = Math.max(1, Math.floor(limit));
  const waiting: (() => void)[] = [];
  let held = 0;
  return {
    limit: most,
    acquire: async () => {
      if (held >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      else held += 1;
      let released = false;
      return () => {
        if (released) return;
        released = true;
        const next = waiting.shift();
        if (next === undefined) held -= 1;
        else next();
      };
    },
  };
}
