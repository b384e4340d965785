import { describe, expect, it } from 'vitest';
import { VirtualTime } from '../../../src/features/rehearse/virtual-time.ts';
import { createCaution } from '../../../src/service/limits/caution.ts';
import { createGate, type Leave } from '../../../src/service/limits/gate.ts';

const LATE = Number.POSITIVE_INFINITY;

function setUp(most: number, random = 0.5) {
  const time = new VirtualTime(1_000);
  const slots = { most };
  const gate = createGate({ clock: time, random: () => random, most: () => slots.most });
  const order: string[] = [];
  const left = new Map<string, Leave>();
  const pass = async (name: string, urgent = false, deadline = LATE) => {
    const leave = await gate.pass(urgent, deadline);
    if (leave === undefined) return 'too late' as const;
    order.push(`${name} at ${time.now()}`);
    left.set(name, leave);
    return 'passed' as const;
  };
  const leave = (name: string) => left.get(name)?.();
  return { time, slots, gate, order, pass, leave };
}

describe('the gate', () => {
  it('lets nobody out during a pause, then the urgent at once and the others a little later', async () => {
    const { time, gate, order, pass } = setUp(8);
    expect(gate.pause(2_000)).toBe(true);
    expect(gate.pause(1_000)).toBe(false);
    await time.until(Promise.all([pass('a'), pass('b', true), pass('c'), pass('d', true)]));
    expect(order).toEqual(['b at 3000', 'd at 3000', 'a at 3125', 'c at 3125']);
  });

  it('lets no more in flight than may be, the urgent first', async () => {
    const { time, order, pass, leave } = setUp(1);
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

  it('lets whoever goes on after an answer keep its place, if it is urgent', async () => {
    const { time, order, pass, leave } = setUp(1);
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

  it('lets fewer in flight after it has shrunk, until enough have left', async () => {
    const { time, slots, order, pass, leave } = setUp(4);
    await time.until(Promise.all(['a', 'b', 'c', 'd'].map((name) => pass(name))));
    slots.most = 2;
    const waiting = pass('e', true);
    for (const name of ['a', 'b']) leave(name);
    await time.until(time.sleep(50));
    expect(order).toHaveLength(4);
    leave('c');
    expect(await time.until(waiting)).toBe('passed');
  });

  it('tells those for whom the pause is too long at once, also when it gets longer', async () => {
    const { time, gate, pass } = setUp(4);
    gate.pause(500);
    const patient = pass('a', false, 5_000);
    const hasty = pass('b', false, 2_000);
    gate.pause(2_000);
    expect(await hasty).toBe('too late');
    expect(await pass('c', true, 2_000)).toBe('too late');
    expect(await time.until(patient)).toBe('passed');
  });
});

describe('caution after a wait', () => {
  it('one running task at a time, and twice as many for each such time that passes in peace', async () => {
    const time = new VirtualTime(1_000);
    const caution = createCaution(time);
    expect(caution.restarts).toBe(Number.POSITIVE_INFINITY);
    caution.waits(2_000);
    const seen: number[] = [];
    for (let second = 0; second < 10; second += 1) {
      seen.push(caution.restarts);
      await time.until(time.sleep(1_000));
    }
    expect(seen).toEqual([1, 1, 1, 1, 2, 2, 4, 4, 8, 8]);
    caution.waits(500);
    expect(caution.restarts).toBe(1);
  });
});
