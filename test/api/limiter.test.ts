import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLimiter } from '../../src/api/limiter.ts';

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
