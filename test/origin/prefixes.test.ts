import { describe, expect, test } from 'vitest';
import { FULL, sampled } from '../support/sample.ts';
import type { Commit, Content, Kind, Line } from './history.ts';
import { heal } from './play.ts';
import type { Deed, Strike } from './steps.ts';
import { World } from './world.ts';

/** Every chain that carries out a change: killed after each of its requests, then run again at the head. */

const A: Content = { name: 'a', amount: 1, tip: 1, note: 1, target: 0, state: 'active' };

const CHAINS: Readonly<Record<string, readonly [Commit, Commit]>> = {
  create: [[], [A]],
  'create paused': [[], [{ ...A, state: 'paused' }]],
  change: [[A], [{ ...A, amount: 2 }]],
  'change with the note': [[A], [{ ...A, amount: 2, note: 2 }]],
  'change of a paused task': [[{ ...A, state: 'paused' }], [{ ...A, state: 'paused', amount: 2 }]],
  note: [[A], [{ ...A, note: 2 }]],
  stop: [[A], [{ ...A, state: 'paused' }]],
  'stop and change': [[A], [{ ...A, state: 'paused', amount: 2 }]],
  start: [[{ ...A, state: 'paused' }], [A]],
  'start and change': [[{ ...A, state: 'paused' }], [{ ...A, amount: 2 }]],
  replacement: [[A], [{ ...A, target: 1 }]],
  'replacement with other values': [[A], [{ ...A, target: 1, amount: 2, note: 2 }]],
  'replacement of a paused task': [[{ ...A, state: 'paused' }], [{ ...A, state: 'paused', target: 1 }]],
  removal: [[A], []],
  rename: [[A], [{ ...A, name: 'a2', previous: 'a' }]],
  'rename and change': [[A], [{ ...A, name: 'a2', previous: 'a', amount: 2, note: 2 }]],
};

const MOST_REQUESTS = 6;
const ENDS: readonly Strike['type'][] = ['before', 'after', 'late', 'lost', 'unheard'];

/** What the head is when the run comes that nobody kills: the same, one further, or the former content again. */
const THEN: Readonly<Record<string, (before: Commit, after: Commit) => readonly Commit[]>> = {
  'the same head': () => [],
  'the former content': (before) => [before],
  'another content': (_, after) => [after.map((content) => ({ ...content, amount: 3, note: 3 }))],
};

async function begun(kind: Kind, before: Commit, later: readonly Commit[]): Promise<World> {
  const line: Line = [[], before, ...later];
  const world = new World(kind, { lines: [line] });
  await world.step({ type: 'merge' });
  await world.run({ type: 'run', way: 'only', behind: 0, base: 'previous', strikes: [] });
  await world.step({ type: 'merge' });
  return world;
}

function struck(strikes: readonly Strike[]) {
  return { type: 'run', way: 'only', behind: 0, base: 'previous', strikes } as const;
}

const DEEDS: readonly Deed[] = [
  { type: 'set', values: { amount: 9 } },
  { type: 'set', values: { note: 9 } },
  { type: 'as-in-git', back: 0 },
  { type: 'as-in-git', back: 1 },
  { type: 'stop' },
  { type: 'start' },
  { type: 'delete' },
  { type: 'strip-version' },
];

const KINDS: readonly Kind[] = FULL ? ['sniper', 'copy-trade'] : ['sniper'];
const PLAYED = FULL ? ENDS : (['before'] as const);
const CASES = Object.entries(CHAINS).map(([name, pair], index) => [name, pair, index] as const);

describe.each(CASES)('%s', (_, [before, after], index) => {
  test.each(Object.keys(THEN))('killed at every request, then a run at %s', async (then) => {
    for (const kind of KINDS)
      for (const type of PLAYED)
        for (let at = 0; at < MOST_REQUESTS; at += 1) {
          const world = await begun(kind, before, [after, ...(THEN[then]?.(before, after) ?? [])]);
          const { writes } = await world.run(struck([{ at, type }]));
          await heal(world);
          expect(world.violations, world.story.join('\n')).toEqual([]);
          if (writes <= at) break;
        }
  });

  test.each(sampled(DEEDS, 4, index))('killed at every request, then a person: %j', async (deed) => {
    for (let at = 0; at < MOST_REQUESTS; at += 1)
      for (let pick = 0; pick < 2; pick += 1) {
        const world = await begun('sniper', before, [after]);
        const { writes } = await world.run(struck([{ at, type: 'before' }]));
        if (pick >= Math.max(1, world.tasks.length)) break;
        world.act(deed, pick);
        await heal(world);
        expect(world.violations, world.story.join('\n')).toEqual([]);
        if (writes <= at) break;
      }
  });
});
