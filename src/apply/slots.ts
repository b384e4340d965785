import type { Limiter } from '../ports/limiter.ts';

/** Gives a slot back; twice does nothing. */
export type Release = () => void;

/** Chains in hand come before new ones, new ones in the order of the plan: a paused task loses money. */
export interface Claim {
  readonly inHand: boolean;
  readonly index: number;
}

interface Waiting extends Claim {
  readonly order: number;
  readonly resolve: (release: Release | undefined) => void;
}

/** Hands the limiter's slots out by priority: only one acquisition is open at a time, and the best claim gets it. */
export class Slots {
  private readonly limiter: Limiter;
  private waiting: Waiting[] = [];
  private acquiring = false;
  private count = 0;

  constructor(limiter: Limiter) {
    this.limiter = limiter;
  }

  /** Resolves with the slot, or with undefined where `refuse` took the claim back. */
  acquire(claim: Claim): Promise<Release | undefined> {
    return new Promise((resolve) => {
      this.count += 1;
      this.waiting.push({ ...claim, order: this.count, resolve });
      void this.pump();
    });
  }

  /** Takes back the waiting claims of new chains that `which` names. */
  refuse(which: (index: number) => boolean): void {
    const refused = this.waiting.filter((claim) => !claim.inHand && which(claim.index));
    this.waiting = this.waiting.filter((claim) => !refused.includes(claim));
    for (const { resolve } of refused) resolve(undefined);
  }

  private async pump(): Promise<void> {
    if (this.acquiring) return;
    this.acquiring = true;
    while (this.waiting.length > 0) {
      const release = await this.limiter.acquire();
      const best = this.waiting.reduce<Waiting | undefined>(
        (most, claim) => (most === undefined || before(claim, most) ? claim : most),
        undefined,
      );
      if (best === undefined) {
        release();
        break;
      }
      this.waiting = this.waiting.filter((claim) => claim !== best);
      best.resolve(release);
    }
    this.acquiring = false;
  }
}

function before(left: Waiting, right: Waiting): boolean {
  if (left.inHand !== right.inHand) return left.inHand;
  return left.inHand ? left.order < right.order : left.index < right.index;
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
