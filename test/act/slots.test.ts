import { describe, expect, test } from 'vitest';
import { type Claim, Slots } from '../../src/core/act/scheduler.ts';
import type { Limiter } from '../../src/core/ports/limiter.ts';
import fc from '../properties.ts';
import { fixedLimiter } from '../support/fixed-limiter.ts';

const settle = () => new Promise(setImmediate);

/** A limiter whose number of restarts the test sets. */
function limiterOf(slots: number): Limiter & { restarts: number } {
  const { limit, acquire } = fixedLimiter(slots);
  return { limit, acquire, restarts: Number.POSITIVE_INFINITY };
}

type Named = Claim & { readonly name: string };

/** What {@link Slots} promises, looking through everybody for each slot. */
class Model {
  readonly granted: string[] = [];
  restarts = Number.POSITIVE_INFINITY;
  private waiting: Named[] = [];
  private held: Named[] = [];
  private readonly slots: number;

  constructor(slots: number) {
    this.slots = slots;
  }

  claim(claim: Named): void {
    this.waiting.push(claim);
    this.grant();
  }

  release(name: string): void {
    this.held = this.held.filter((one) => one.name !== name);
    this.grant();
  }

  refuse(index: number): void {
    this.waiting = this.waiting.filter((one) => one.inHand || one.index !== index);
  }

  private grant(): void {
    while (this.held.length < this.slots) {
      const restarting = this.held.filter(({ restarts }) => restarts).length;
      const allowed = this.waiting.filter(
        ({ inHand, restarts }) => inHand || !restarts || restarting < this.restarts,
      );
      const [inHand] = allowed.filter((one) => one.inHand);
      const [first] = allowed.toSorted((left, right) => left.index - right.index);
      const best = inHand ?? first;
      if (best === undefined) return;
      this.waiting = this.waiting.filter((one) => one !== best);
      this.held.push(best);
      this.granted.push(best.name);
    }
  }
}

type Command =
  | { readonly type: 'claim'; readonly inHand: boolean; readonly restarts: boolean; readonly index: number }
  | { readonly type: 'release' | 'refuse' | 'allow'; readonly pick: number };

const COMMAND: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('claim' as const),
      inHand: fc.boolean(),
      restarts: fc.boolean(),
      index: fc.nat(1_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('release' as const), pick: fc.nat(1_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('refuse' as const, 'allow' as const), pick: fc.nat(1_000) }),
  },
);

test('slots are given by the simple rule, in its order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(COMMAND, { maxLength: 60 }),
      async (count, commands) => {
        const limiter = limiterOf(count);
        const slots = new Slots(limiter);
        const model = new Model(count);
        const granted: string[] = [];
        const refused: string[] = [];
        const held: { readonly name: string; readonly release: () => void }[] = [];
        const taken = new Set<number>();
        for (const [number, command] of commands.entries()) {
          if (command.type === 'claim') {
            // A chain has one claim.
            if (taken.has(command.index)) continue;
            taken.add(command.index);
            const claim = { ...command, raises: false, name: `${number}` };
            model.claim(claim);
            void slots.acquire(claim).then((release) => {
              if (release === undefined) refused.push(claim.name);
              else {
                granted.push(claim.name);
                held.push({ name: claim.name, release });
              }
            });
          } else if (command.type === 'release') {
            const [one] = held.splice(command.pick % Math.max(1, held.length), 1);
            one?.release();
            one?.release();
            if (one !== undefined) model.release(one.name);
          } else if (command.type === 'refuse') {
            slots.refuse((index) => index === command.pick);
            model.refuse(command.pick);
          } else {
            // More of them become allowed only when something else happens.
            const restarts = Math.min(limiter.restarts, 1 + (command.pick % 3));
            limiter.restarts = restarts;
            model.restarts = restarts;
          }
          await settle();
          expect(granted).toEqual(model.granted);
        }
        expect(new Set(refused).size).toBe(refused.length);
      },
    ),
    { numRuns: 300 },
  );
});

describe('restarts', () => {
  const claim = (index: number, over: Partial<Claim> = {}): Claim => ({
    index,
    inHand: false,
    restarts: true,
    raises: false,
    ...over,
  });

  test('while few restarts are allowed, others go first, and one in progress is not delayed', async () => {
    const limiter = limiterOf(3);
    limiter.restarts = 1;
    const slots = new Slots(limiter);
    const order: number[] = [];
    const take = async (one: Claim) => {
      const release = await slots.acquire(one);
      order.push(one.index);
      return release;
    };
    const first = take(claim(1));
    await settle();
    void take(claim(2));
    void take(claim(3, { restarts: false }));
    void take(claim(4, { inHand: true }));
    await settle();
    expect(order).toEqual([1, 4, 3]);
    (await first)?.();
    await settle();
    // Number 4 restarts a task, too.
    expect(order).toEqual([1, 4, 3]);
  });

  test('one slot is enough, however few restarts are allowed', async () => {
    const limiter = limiterOf(1);
    limiter.restarts = 1;
    const slots = new Slots(limiter);
    const order: number[] = [];
    const all = [1, 2, 3].map(async (index) => {
      const release = await slots.acquire(claim(index));
      order.push(index);
      await settle();
      release?.();
    });
    await Promise.all(all);
    expect(order).toEqual([1, 2, 3]);
  });
});
