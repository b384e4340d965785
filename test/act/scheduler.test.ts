import { describe, expect, test } from 'vitest';
import { buildChains, type Chain } from '../../src/core/act/chains.ts';
import { Scheduler, type Turn } from '../../src/core/act/scheduler.ts';
import type { Change, Operation, Plan } from '../../src/core/model/generated/plan.ts';
import type { Limiter } from '../../src/core/ports/limiter.ts';
import { fixedLimiter } from '../support/fixed-limiter.ts';

type Sketch = Readonly<Record<string, readonly (readonly [verb: Operation['verb'], ...needs: string[]])[]>>;

const NEUTRAL = { actions: [], fields: [], exposure: { before: '0', after: '0' } };
const LOWERS = { ...NEUTRAL, exposure: { before: '9', after: '1' } };
const RAISES = { ...NEUTRAL, exposure: { before: '1', after: '9' } };

/**
 * A plan of nothing but chains: `{ a: [['mark'], ['patch', 'b#1']] }`. Where the name of one begins with `lower` or `raise`, its change
 * does that.
 */
function planOf(sketch: Sketch): Plan {
  const operations = Object.entries(sketch).flatMap(([address, steps]) =>
    steps.map(([verb, ...needs], index) => ({ id: `${address}#${index + 1}`, address, verb, needs })),
  );
  const changes = Object.entries(sketch).map(([address, steps]) => {
    const about = address.startsWith('lower') ? LOWERS : address.startsWith('raise') ? RAISES : NEUTRAL;
    return { address, operations: steps.map(() => ''), ...about } as unknown as Change;
  });
  return { operations, changes } as unknown as Plan;
}

interface Course {
  readonly log: readonly string[];
  readonly most: number;
}

/** Runs every chain to its end; `work` is told of each operation and may fail the chain by answering false. */
async function course(
  sketch: Sketch,
  slots: number | Limiter,
  work: (id: string) => Promise<boolean> | boolean = () => true,
  stop = { soft: new AbortController().signal, hard: new AbortController().signal },
): Promise<Course> {
  const chains = buildChains(planOf(sketch));
  const scheduler = new Scheduler(chains, typeof slots === 'number' ? fixedLimiter(slots) : slots, stop);
  const log: string[] = [];
  let busy = 0;
  let most = 0;
  const runChain = async (chain: Chain, turn: Turn) => {
    for (const [place, operation] of chain.operations.entries()) {
      const why = await turn.ready(place);
      if (why !== undefined) {
        log.push(
          `${operation.id} ${why.replace(/^(.*), which this needs, was not.*/, 'without $1').replace(/^Not started.*/, 'closed')}`,
        );
        return;
      }
      busy += 1;
      most = Math.max(most, busy);
      await Promise.resolve();
      const went = await work(operation.id);
      busy -= 1;
      log.push(went ? operation.id : `${operation.id} failed`);
      if (!went) return;
      turn.done(operation);
    }
  };
  await Promise.all(
    chains.map((chain) => {
      const turn = scheduler.turn(chain);
      return runChain(chain, turn).finally(turn.end);
    }),
  );
  return { log, most };
}

describe('order', () => {
  test('chains start in the order of the plan and never more at once than there are slots', async () => {
    const sketch = Object.fromEntries(
      Array.from({ length: 9 }, (_, n) => [`c${n}`, [['patch'], ['resume']]]),
    );
    for (const slots of [1, 2, 3]) {
      const { log, most } = await course(sketch as unknown as Sketch, slots);
      expect(log).toHaveLength(18);
      expect(most).toBe(slots);
      expect(log.filter((id) => id.endsWith('#1'))).toEqual(Array.from({ length: 9 }, (_, n) => `c${n}#1`));
    }
  });

  test('changes that only stop or start a task do not wait for the restart limit', async () => {
    const sketch: Sketch = {
      a: [['pause'], ['resume']],
      b: [['pause'], ['resume']],
      stops: [['pause'], ['patch']],
      starts: [['patch'], ['resume']],
    };
    const { log } = await course(sketch, { ...fixedLimiter(3), restarts: 1 });
    for (const other of ['a#2', 'stops#1', 'starts#1'])
      expect(log.indexOf(other)).toBeLessThan(log.indexOf('b#1'));
  });

  test('while few restarts are allowed, what raises lets a change that lowers begin first', async () => {
    const sketch: Sketch = {
      lower1: [['pause'], ['resume']],
      lower2: [['pause'], ['resume']],
      none: [['patch']],
      raise: [['patch'], ['resume']],
    };
    const { log, most } = await course(sketch, { ...fixedLimiter(4), restarts: 1 });
    expect(log.indexOf('none#1')).toBeLessThan(log.indexOf('lower1#2'));
    expect(log.indexOf('lower1#2')).toBeLessThan(log.indexOf('raise#1'));
    // One that lowers and is in progress delays nothing.
    expect(log.indexOf('raise#1')).toBeLessThan(log.indexOf('lower2#2'));
    expect(most).toBe(2);
  });

  test('what raises waits where a change that lowers waits for one that changes no stake', async () => {
    const { log } = await course(
      {
        label: [['create']],
        lower1: [['patch', 'label#1']],
        lower2: [['patch', 'raise2#1']],
        raise2: [['patch']],
        raise: [['patch']],
      },
      3,
      async (id) => {
        if (id === 'label#1') await new Promise(setImmediate);
        return true;
      },
    );
    expect(log.slice(0, 2)).toEqual(['label#1', 'lower1#1']);
    expect(log.indexOf('lower2#1')).toBeLessThan(log.indexOf('raise#1'));
  });

  test.each<[string, Sketch, string]>([
    ['waits for it', { lower: [['patch', 'raise#1']], raise: [['patch']] }, 'lower#1'],
    [
      'waits for another raise',
      { lower: [['patch', 'none#1']], none: [['patch', 'raise#1']], raise: [['patch']] },
      'lower#1',
    ],
    [
      'cannot be done any more',
      { none: [['patch']], lower: [['patch', 'none#1']], raise: [['patch']] },
      'lower#1 without none',
    ],
  ])('what raises does not wait for a change that lowers and %s', async (_, sketch, end) => {
    const { log } = await course(sketch, 1, (id) => !end.includes('without') || id !== 'none#1');
    expect(log).toContain('raise#1');
    expect(log).toContain(end);
  });

  test('one slot is enough for chains that wait for each other’s steps', async () => {
    const { log } = await course(
      {
        a: [['pause'], ['delete'], ['create', 'b#2'], ['resume']],
        b: [['pause'], ['delete'], ['create', 'a#2'], ['resume']],
      },
      1,
    );
    expect(log).toHaveLength(8);
    expect(log.indexOf('b#2')).toBeLessThan(log.indexOf('a#3'));
  });

  test('a chain in progress goes before a new one', async () => {
    const { log } = await course(
      { a: [['patch'], ['patch', 'b#1'], ['resume']], b: [['create']], c: [['create']], d: [['create']] },
      1,
    );
    expect(log).toEqual(['a#1', 'b#1', 'a#2', 'a#3', 'c#1', 'd#1']);
  });

  test('nothing is paused before the needs of its later steps are met', async () => {
    const { log } = await course(
      { a: [['mark'], ['pause'], ['patch', 'l#1'], ['resume']], l: [['create']] },
      2,
    );
    expect(log[0]).toBe('l#1');
  });

  test('except for needs that themselves wait for this pause', async () => {
    const { log } = await course(
      { a: [['mark'], ['pause'], ['delete'], ['create', 'b#1']], b: [['create', 'a#3']] },
      1,
    );
    expect(log).toEqual(['a#1', 'a#2', 'a#3', 'b#1', 'a#4']);
  });
});

describe('failure', () => {
  test('dependent changes are not begun and name the reason; the others continue', async () => {
    const { log } = await course(
      { l: [['create']], a: [['mark'], ['pause'], ['patch', 'l#1'], ['resume']], b: [['patch']] },
      2,
      (id) => id !== 'l#1',
    );
    expect([...log].sort()).toEqual(['a#1 without l', 'b#1', 'l#1 failed']);
  });

  test('it is passed on', async () => {
    const { log } = await course(
      { a: [['create']], b: [['create', 'a#1']], c: [['create', 'b#1']] },
      1,
      () => false,
    );
    expect(log).toEqual(['a#1 failed', 'b#1 without a', 'c#1 without b']);
  });
});

describe('interruption', () => {
  test('after the first one, only chains in progress continue, and chains that they wait for', async () => {
    const soft = new AbortController();
    const { log } = await course(
      { a: [['pause'], ['delete'], ['create', 'b#2']], b: [['pause'], ['delete', 'a#2']], c: [['patch']] },
      1,
      (id) => {
        if (id === 'a#1') soft.abort();
        return true;
      },
      { soft: soft.signal, hard: new AbortController().signal },
    );
    expect(log.filter((line) => !line.startsWith('c'))).toEqual(['a#1', 'a#2', 'b#1', 'b#2', 'a#3']);
    expect(log).toContain('c#1 closed');
  });

  test('a waiting chain gets a slot only if a chain in progress waits for it', async () => {
    const soft = new AbortController();
    const { log } = await course(
      { a: [['patch'], ['patch', 'c#1']], b: [['create']], c: [['create']] },
      1,
      (id) => {
        if (id === 'a#1') soft.abort();
        return true;
      },
      { soft: soft.signal, hard: new AbortController().signal },
    );
    expect(log.filter((line) => !line.startsWith('b'))).toEqual(['a#1', 'c#1', 'a#2']);
    expect(log).toContain('b#1 closed');
  });

  test('the second one ends the waiting for other chains at once', async () => {
    const hard = new AbortController();
    const running = course(
      { a: [['create', 'b#1']], b: [['create']] },
      2,
      () => {
        setImmediate(() => hard.abort());
        // Its request never ends.
        return new Promise(() => undefined);
      },
      { soft: new AbortController().signal, hard: hard.signal },
    );
    await expect(running).rejects.toThrow('interrupted');
  });

  test('before anything, nothing is begun', async () => {
    const soft = new AbortController();
    soft.abort();
    const { log } = await course({ a: [['patch']], b: [['patch', 'a#1']] }, 1, undefined, {
      soft: soft.signal,
      hard: new AbortController().signal,
    });
    expect(log).toEqual(['a#1 closed', 'b#1 without a']);
  });
});

describe('a plan that contradicts itself', () => {
  test.each<[string, Sketch]>([
    ['a circle', { a: [['create', 'b#1']], b: [['create', 'a#1']] }],
    ['a step that needs a later one of its chain', { a: [['create', 'a#2'], ['resume']] }],
    ['an operation that is not there', { a: [['create', 'b#7']] }],
  ])('%s is refused before anything is sent', (_name, sketch) => {
    expect(() => buildChains(planOf(sketch))).toThrow(/wait for each other|not in it/);
  });
});
