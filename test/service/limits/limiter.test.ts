import { describe, expect, it } from 'vitest';
import type { Limiter } from '../../../src/core/ports/limiter.ts';
import { AdaptiveLimiter } from '../../../src/core/service/limits/limiter.ts';
import fc from '../../properties.ts';

const settle = () => new Promise(setImmediate);
const clock = { at: 1_000, now: () => clock.at, sleep: () => Promise.resolve() };

function limiterOf(most: number, mostPages = most): AdaptiveLimiter {
  return new AdaptiveLimiter({ most, mostPages, clock, random: () => 0 });
}

/** A request that passes and is throttled or answered. */
async function request(limiter: AdaptiveLimiter, end: 'throttled' | 'answered'): Promise<void> {
  const pass = await limiter.pass(false, Number.POSITIVE_INFINITY);
  if (end === 'throttled') pass?.throttled(0);
  else pass?.answered();
  pass?.leave();
}

it('admits as many as the limit, in order of arrival', async () => {
  const limiter = limiterOf(2);
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

it('shrinks by half, down to one, and admits nobody until enough have left', async () => {
  const limiter = limiterOf(4);
  const releases = await Promise.all([1, 2, 3, 4].map(() => limiter.acquire()));
  await request(limiter, 'throttled');
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
  for (let index = 0; index < 9; index += 1) await request(limiter, 'throttled');
  expect(limiter.limit).toBe(1);
});

it('grows by one slot after as many answers as there are slots', async () => {
  const limiter = limiterOf(8);
  await request(limiter, 'throttled');
  for (let index = 0; index < 3; index += 1) await request(limiter, 'answered');
  expect(limiter.limit).toBe(4);
  await request(limiter, 'answered');
  expect(limiter.limit).toBe(5);
});

it('stays between one and the maximum, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: -3, max: 40 }),
      fc.array(fc.boolean(), { maxLength: 300 }),
      async (most, events) => {
        const limiter = limiterOf(most);
        for (const good of events) {
          if (good) await request(limiter, 'answered');
          else await request(limiter, 'throttled');
          expect(limiter.limit).toBeGreaterThanOrEqual(1);
          expect(limiter.limit).toBeLessThanOrEqual(Math.max(1, most));
        }
      },
    ),
  );
});

describe('slots for reading', () => {
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

  it('double with every round trip while answers are as fast, up to the maximum', async () => {
    const limiter = limiterOf(8, 32).pages;
    const limits = [limiter.limit];
    for (let rounds = 0; rounds < 4; rounds += 1) limits.push(await round(limiter, twenty));
    expect(limits).toEqual([8, 16, 32, 32, 32]);
  });

  it('settle where more at a time is slower, and never fall below the starting number', async () => {
    const limiter = limiterOf(8, 1_000).pages;
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

  it('are shared with the others from the first throttle on', async () => {
    const base = limiterOf(8, 32);
    const limiter = base.pages;
    await round(limiter, twenty);
    const held = await Promise.all(Array.from({ length: 16 }, () => limiter.acquire()));
    await request(base, 'throttled');
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
    for (let answers = 0; answers < 100; answers += 1) await request(base, 'answered');
    expect(limiter.limit).toBe(8);
  });

  it('do not grow if --concurrency sets the maximum', async () => {
    const limiter = limiterOf(3, 3).pages;
    for (let rounds = 0; rounds < 4; rounds += 1) await round(limiter, twenty);
    expect(limiter.limit).toBe(3);
  });

  it('count an answer once', async () => {
    const limiter = limiterOf(2, 8).pages;
    const release = await limiter.acquire();
    release();
    release();
    expect(limiter.limit).toBe(3);
  });
});
