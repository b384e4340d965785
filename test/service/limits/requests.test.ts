import { describe, expect, it } from 'vitest';
import { AdaptiveLimiter, type LimiterPass } from '../../../src/core/service/limits/limiter.ts';
import { VirtualTime } from '../../support/virtual-time.ts';

const LATE = Number.POSITIVE_INFINITY;

function setUp(most: number, random = 0.5) {
  const time = new VirtualTime(1_000);
  const limiter = new AdaptiveLimiter({ most, clock: time, random: () => random });
  const order: string[] = [];
  const passes = new Map<string, LimiterPass>();
  const pass = async (name: string, urgent = false, deadline = LATE) => {
    const passed = await limiter.pass(urgent, deadline);
    if (passed === undefined) return 'too late' as const;
    order.push(`${name} at ${time.now()}`);
    passes.set(name, passed);
    return 'passed' as const;
  };
  const leave = (name: string) => passes.get(name)?.leave();
  /** A request of before, which is throttled now. */
  const throttledBy = (ms: number) => earlier.then((one) => one?.throttled(ms));
  const earlier = limiter.pass(true, LATE);
  void earlier.then((one) => one?.leave());
  return { time, limiter, order, pass, leave, throttledBy };
}

describe('requests', () => {
  it('none starts during a pause, then the urgent ones at once and the others a little later', async () => {
    const { time, order, pass, throttledBy } = setUp(8);
    expect(await throttledBy(2_000)).toBe(true);
    expect(await throttledBy(1_000)).toBe(false);
    await time.until(Promise.all([pass('a'), pass('b', true), pass('c'), pass('d', true)]));
    expect(order).toEqual(['b at 3000', 'd at 3000', 'a at 3125', 'c at 3125']);
  });

  it('after a throttle no more are in flight than there are slots, the urgent ones first', async () => {
    const { time, order, pass, leave, throttledBy } = setUp(2);
    await throttledBy(0);
    await time.until(pass('a'));
    const rest = [pass('b'), pass('c'), pass('d', true)];
    for (const name of ['a', 'd', 'b', 'c']) {
      leave(name);
      leave(name);
      await time.until(time.sleep(10));
    }
    await Promise.all(rest);
    expect(order.map((line) => line[0])).toEqual(['a', 'd', 'b', 'c']);
  });

  it('one that continues after an answer keeps its place, if it is urgent', async () => {
    const { time, order, pass, leave, throttledBy } = setUp(2);
    await throttledBy(0);
    await time.until(pass('patch', true));
    const waiting = pass('other');
    leave('patch');
    const next = Promise.resolve().then(() => pass('resume', true));
    await time.until(next);
    await time.until(time.sleep(5));
    expect(order).toEqual(['patch at 1000', 'resume at 1000']);
    leave('resume');
    await time.until(waiting);
    expect(order.at(-1)).toMatch(/^other/);
  });

  it('before any throttle there is no limit; after one, none starts until enough have left', async () => {
    const { time, order, pass, leave, throttledBy } = setUp(3);
    await time.until(Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => pass(name))));
    await throttledBy(0);
    const waiting = pass('f', true);
    for (const name of ['a', 'b', 'c', 'd']) leave(name);
    await time.until(time.sleep(50));
    expect(order).toHaveLength(5);
    leave('e');
    expect(await time.until(waiting)).toBe('passed');
  });

  it('one for which the pause is too long fails at once, also when the pause gets longer', async () => {
    const { time, pass, throttledBy } = setUp(4);
    await throttledBy(500);
    const patient = pass('a', false, 5_000);
    const hasty = pass('b', false, 2_000);
    await throttledBy(2_000);
    expect(await hasty).toBe('too late');
    expect(await pass('c', true, 2_000)).toBe('too late');
    expect(await time.until(patient)).toBe('passed');
  });
});

describe('restarts after a pause', () => {
  it('one running task at a time, and twice as many after each such period without a throttle', async () => {
    const { time, limiter, throttledBy } = setUp(4);
    expect(limiter.restarts).toBe(Number.POSITIVE_INFINITY);
    await throttledBy(2_000);
    const seen: number[] = [];
    for (let second = 0; second < 10; second += 1) {
      seen.push(limiter.restarts);
      await time.until(time.sleep(1_000));
    }
    expect(seen).toEqual([1, 1, 1, 1, 2, 2, 4, 4, 8, 8]);
    await throttledBy(500);
    expect(limiter.restarts).toBe(1);
  });
});
