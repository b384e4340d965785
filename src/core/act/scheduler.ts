import type { Operation } from '../model/generated/plan.ts';
import type { Effect } from '../plan/order/turn.ts';
import type { Limiter } from '../ports/limiter.ts';
import { whyStopped } from '../ports/stop.ts';
import { once } from '../service/limits/semaphore.ts';
import type { Chain } from './chains.ts';
import { type Aside, unlessStopped } from './requests.ts';

/** Returns a slot; a second call does nothing. */
export type Release = () => void;

/** The turn of a chain: it is asked before every operation and informed after it. */
export interface Turn {
  /** Waits for the needs of the operation and for a slot; resolves to why it must not be carried out, if it must not. */
  ready(place: number): Promise<string | undefined>;
  done(operation: Operation): void;
  /** Returns the slot until `work` has ended. */
  readonly aside: Aside;
  /** The chain goes no further: returns the slot. */
  readonly end: () => void;
}

/** An operation that another chain waits for. */
interface Needed {
  readonly chain: Chain;
  /** Undefined while the operation is open. */
  done: boolean | undefined;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/**
 * Which chain may send, while many run in parallel. A chain holds a slot while it works and returns it while it waits for another chain, so one
 * slot is enough for any plan. Chains in progress go before new ones, and chains that lower before those that raise (DESIGN 7).
 */
export class Scheduler {
  readonly slots: Slots;
  private readonly hard: AbortSignal;
  private readonly needed = new Map<string, Needed>();
  private readonly inHand = new Set<Chain>();
  /** Chains that lower and have not begun. */
  private readonly lowering: Set<Chain>;
  /** Why nothing new is started; undefined while new chains may start. */
  private closed: string | undefined;

  constructor(chains: readonly Chain[], limiter: Limiter, stop: { soft: AbortSignal; hard: AbortSignal }) {
    this.slots = new Slots(limiter, () => this.raising());
    this.lowering = new Set(chains.filter(({ effect }) => effect === 'lowers'));
    this.hard = stop.hard;
    const needed = new Set(chains.flatMap(({ needs }) => needs.flat()));
    for (const chain of chains) {
      for (const { id } of chain.operations) if (needed.has(id)) this.needed.set(id, neededOf(chain));
    }
    const interrupted = () => `Not started: ${whyStopped(stop.soft).text}.`;
    if (stop.soft.aborted) this.closed = interrupted();
    else stop.soft.addEventListener('abort', () => this.close(interrupted()), { once: true });
  }

  /** Starts no further chains, except those that a chain in progress waits for. */
  close(why: string): void {
    this.closed ??= why;
    const started = new Set([...this.neededBy(this.inHand)].map(({ index }) => index));
    this.slots.refuse((index) => !started.has(index));
  }

  turn(chain: Chain): Turn {
    const verbs = chain.operations.map(({ verb }) => verb);
    const restarts = verbs.includes('pause') && verbs.includes('resume');
    const claim = { restarts, raises: RAISING.has(chain.effect), index: chain.index };
    let slot: Release | undefined;
    const giveBack = () => {
      slot?.();
      slot = undefined;
    };
    const ready = async (place: number): Promise<string | undefined> => {
      const needs = (chain.needs[place] ?? []).flatMap((id) => this.needed.get(id) ?? []);
      if (needs.some(({ done }) => done === undefined)) giveBack();
      for (const need of needs) {
        if (need.done === undefined) await unlessStopped(this.hard, () => need.ended, false);
        if (need.done !== true) return `${need.chain.change.address}, which this needs, was not carried out.`;
      }
      if (slot !== undefined) return undefined;
      if (this.closed !== undefined && !this.neededBy(this.inHand).has(chain)) return this.closed;
      slot = await this.slots.acquire({ ...claim, inHand: this.inHand.has(chain) });
      if (slot === undefined) return this.closed ?? 'Not started.';
      this.inHand.add(chain);
      if (this.lowering.delete(chain)) void this.slots.pump();
      return undefined;
    };
    const aside: Aside = async (waiting) => {
      giveBack();
      try {
        return await waiting();
      } finally {
        slot = await this.slots.acquire({ ...claim, inHand: true });
      }
    };
    const end = () => {
      giveBack();
      this.inHand.delete(chain);
      for (const { id } of chain.operations) this.conclude(id, false);
      if (this.lowering.delete(chain)) void this.slots.pump();
    };
    return { ready, done: ({ id }) => this.conclude(id, true), aside, end };
  }

  /** The first result is kept. */
  private conclude(id: string, done: boolean): void {
    const needed = this.needed.get(id);
    if (needed === undefined || needed.done !== undefined) return;
    needed.done = done;
    needed.end();
  }

  /**
   * The chains that may raise now; undefined: all. While a chain that lowers has not begun, only those that it waits for, and none while
   * one waits for nothing but what changes no stake.
   */
  private raising(): ReadonlySet<number> | undefined {
    const { lowering } = this;
    if (lowering.size === 0) return undefined;
    for (const chain of lowering)
      if ([...this.neededBy([chain])].every((one) => one === chain || one.effect === 'none'))
        return new Set();
    return new Set([...this.neededBy(lowering)].map(({ index }) => index));
  }

  private neededBy(chains: Iterable<Chain>): ReadonlySet<Chain> {
    const found = new Set<Chain>();
    const open = [...chains];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      for (const id of next.needs.flat()) {
        const needed = this.needed.get(id);
        if (needed !== undefined && needed.done === undefined) open.push(needed.chain);
      }
    }
    return found;
  }
}

const RAISING: ReadonlySet<Effect> = new Set(['finishes', 'raises', 'starts']);

function neededOf(chain: Chain): Needed {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { chain, done: undefined, ended, end };
}

/**
 * Chains in progress come before new ones, and new ones start in the order of the plan: a paused task loses money. If the limiter
 * bounds how many running tasks may be restarted at once, a new chain that restarts a task lets others go first, but no raise.
 */
export interface Claim {
  readonly inHand: boolean;
  /** The chain pauses a running task and starts it again. */
  readonly restarts: boolean;
  /** The chain raises or starts. */
  readonly raises: boolean;
  readonly index: number;
}

interface Waiting extends Claim {
  readonly resolve: (release: Release | undefined) => void;
}

/** Distributes the limiter's slots by priority: only one acquisition is open at a time, and the best claim gets it. */
export class Slots {
  /** Chains in progress, first come, first served; then new chains, in the order of the plan. */
  private queue: Waiting[] = [];
  /** Slots of chains that restart a task. */
  private restarts = 0;
  private acquiring = false;

  /** `raising`: the new chains that may raise now; undefined: all. */
  constructor(
    private readonly limiter: Limiter,
    private readonly raising: () => ReadonlySet<number> | undefined = () => undefined,
  ) {}

  /** Resolves with the slot, or with undefined if `refuse` removed the claim. */
  acquire(claim: Claim): Promise<Release | undefined> {
    return new Promise((resolve) => {
      // Claims arrive nearly in the order of the plan, so the search begins at the end.
      const place = this.queue.findLastIndex((other) => rankOf(other) <= rankOf(claim)) + 1;
      this.queue.splice(place, 0, { ...claim, resolve });
      void this.pump();
    });
  }

  /** Removes the waiting claims of new chains that `which` selects. */
  refuse(which: (index: number) => boolean): void {
    const refused = this.queue.filter(({ inHand, index }) => !inHand && which(index));
    this.queue = this.queue.filter(({ inHand, index }) => inHand || !which(index));
    for (const { resolve } of refused) resolve(undefined);
  }

  async pump(): Promise<void> {
    if (this.acquiring) return;
    this.acquiring = true;
    while (this.best() >= 0) {
      const release = await this.limiter.acquire();
      const place = this.best();
      const claim = this.queue[place];
      if (claim === undefined) {
        release();
        continue;
      }
      this.queue.splice(place, 1);
      claim.resolve(this.slotOf(claim, release));
    }
    this.acquiring = false;
  }

  /** The place of the next claim in the queue; -1 if nobody may have a slot now. */
  private best(): number {
    const full = this.restarts >= (this.limiter.restarts ?? Number.POSITIVE_INFINITY);
    const first = (raising?: ReadonlySet<number>) =>
      this.queue.findIndex(
        ({ inHand, restarts, raises, index }) =>
          inHand || !((restarts && full) || (raises && raising?.has(index) === false)),
      );
    const place = first();
    return this.queue[place]?.raises === true ? first(this.raising()) : place;
  }

  private slotOf({ restarts }: Claim, release: Release): Release {
    if (!restarts) return release;
    this.restarts += 1;
    return once(() => {
      this.restarts -= 1;
      release();
      void this.pump();
    });
  }
}

function rankOf({ inHand, index }: Claim): number {
  return inHand ? Number.NEGATIVE_INFINITY : index;
}
