import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Limiter } from '../../../src/ports/limiter.ts';
import { createLimiter, createReadLimiter } from '../../../src/service/limits/limiter.ts';

const settle = () => new Promise(setImmediate);

it('lets as many in as the limit, first come first served', async () => {
  const limiter = createLimiter(2);
  const order: number[] = [];
  const releases: (() => void)[] = [];
  for (const index of [0, 1, 2, 3]) {
    void limiter.acquire().then((release) => {
      order.push(index);
      releases.push(release);
    });
  }
  await settle();
  expect(order).toEqual([0, 1]);
  releases[0]?.();
  releases[0]?.();
  await settle();
  expect(order).toEqual([0, 1, 2]);
  releases[1]?.();
  await settle();
  expect(order).toEqual([0, 1, 2, 3]);
});

it('shrinks by half, down to one, and lets nobody in until enough have left', async () => {
  const limiter = createLimiter(4);
  const releases = await Promise.all([1, 2, 3, 4].map(() => limiter.acquire()));
  limiter.throttled(limiter.epoch);
  expect(limiter.limit).toBe(2);
  let entered = false;
  void limiter.acquire().then(() => {
    entered = true;
  });
  releases[0]?.();
  releases[1]?.();
  await settle();
  expect(entered).toBe(false);
  releases[2]?.();
  await settle();
  expect(entered).toBe(true);
  for (let index = 0; index < 9; index += 1) limiter.throttled(limiter.epoch);
  expect(limiter.limit).toBe(1);
});

it('one slot more after as many successes as there are slots', () => {
  const limiter = createLimiter(8);
  limiter.throttled(limiter.epoch);
  for (let index = 0; index < 3; index += 1) limiter.succeeded();
  expect(limiter.limit).toBe(4);
  limiter.succeeded();
  expect(limiter.limit).toBe(5);
});

it('stays between one and the most, whatever happens', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -3, max: 40 }),
      fc.array(fc.boolean(), { maxLength: 300 }),
      (most, events) => {
        const limiter = createLimiter(most);
        for (const good of events) {
          if (good) limiter.succeeded();
          else limiter.throttled(limiter.epoch);
          expect(limiter.limit).toBeGreaterThanOrEqual(1);
          expect(limiter.limit).toBeLessThanOrEqual(Math.max(1, most));
        }
      },
    ),
  );
});

describe('slots for reading', () => {
  const clock = { at: 0, now: () => clock.at };

  /** As many answers as there are slots, side by side; each takes so long. Returns the limit afterwards. */
  async function round(limiter: Limiter, milliseconds: (index: number) => number): Promise<number> {
    const begun = clock.at;
    const releases = await Promise.all(Array.from({ length: limiter.limit }, () => limiter.acquire()));
    const answers = releases.map((release, index) => ({ release, at: begun + milliseconds(index) }));
    for (const { release, at } of answers.sort((left, right) => left.at - right.at)) {
      clock.at = at;
      release();
    }
    return limiter.limit;
  }
  const twenty = () => 20;

  it('double with every round trip as long as answers come as fast, up to the most', async () => {
    const limiter = createReadLimiter(createLimiter(8), 32, clock);
    const limits = [limiter.limit];
    for (let rounds = 0; rounds < 4; rounds += 1) limits.push(await round(limiter, twenty));
    expect(limits).toEqual([8, 16, 32, 32, 32]);
  });

  it('settle where more at a time is slower, and never fall below those they began with', async () => {
    const limiter = createReadLimiter(createLimiter(8), 1_000, clock);
    // A service that can do ten at a time: what is more waits for its turn.
    const limits: number[] = [];
    for (let rounds = 0; rounds < 12; rounds += 1) {
      limits.push(await round(limiter, (index) => 20 * Math.ceil((index + 1) / 10)));
    }
    expect(Math.max(...limits)).toBeLessThanOrEqual(40);
    expect(Math.min(...limits)).toBeGreaterThanOrEqual(16);
    for (let rounds = 0; rounds < 12; rounds += 1) limits.push(await round(limiter, () => 500));
    expect(limiter.limit).toBe(8);
  });

  it('are those of the others from the first throttle on', async () => {
    const base = createLimiter(8);
    const limiter = createReadLimiter(base, 32, clock);
    await round(limiter, twenty);
    const held = await Promise.all(Array.from({ length: 16 }, () => limiter.acquire()));
    base.throttled(base.epoch);
    expect(limiter.limit).toBe(4);
    let entered = false;
    void limiter.acquire().then(() => {
      entered = true;
    });
    for (const release of held.slice(0, 12)) release();
    await settle();
    expect(entered).toBe(false);
    held[12]?.();
    await settle();
    expect(entered).toBe(true);
    for (let answers = 0; answers < 100; answers += 1) base.succeeded();
    expect(limiter.limit).toBe(8);
  });

  it('do not grow where the most is what there is: --concurrency has said how many', async () => {
    const limiter = createReadLimiter(createLimiter(3), 3, clock);
    for (let rounds = 0; rounds < 4; rounds += 1) await round(limiter, twenty);
    expect(limiter.limit).toBe(3);
  });

  it('count an answer once', async () => {
    const limiter = createReadLimiter(createLimiter(2), 8, clock);
    const release = await limiter.acquire();
    release();
    release();
    expect(limiter.limit).toBe(3);
  });
});
