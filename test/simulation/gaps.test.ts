import { expect, test } from 'vitest';
import type { Choices } from '../../src/sandbox/choices.ts';
import { prepare } from './base.ts';
import { REST_GAPS, START_GAPS } from './gaps.ts';
import { type Disturbance, tell } from './kinds.ts';
import { SCENE_WORLDS } from './scenes.ts';
import { play } from './shrink.ts';
import type { Verdict } from './simulation.ts';

/** The gaps that DESIGN section 3 leaves open: each shows in its case, and nowhere else is it an excuse. */

function on(
  world: string,
  disturbances: readonly Disturbance[],
  choices: Partial<Choices> = {},
): Promise<Verdict> {
  const spec = SCENE_WORLDS.find(({ name }) => name === world);
  if (spec === undefined) throw new Error(`no world is called ${world}`);
  return play({ base: prepare({ ...spec, choices }), disturbances, seed: 1, concurrency: 1 });
}

const at = (index: number, kind: Disturbance['kind'], pick = 0): Disturbance => ({ at: index, kind, pick });

// Requests of a scene: 0 to 7 read, 8 marks, 9 pauses, 10 patches, 11 starts.
const CASES: readonly {
  readonly gap: string;
  readonly world: string;
  readonly disturbances: readonly Disturbance[];
  readonly choices?: Partial<Choices>;
}[] = [
  {
    gap: 'pause-on-our-mark',
    world: 'config of a running sniper',
    disturbances: [at(9, 'pause'), at(9, 'crash-before')],
  },
  {
    gap: 'pause-on-our-mark',
    world: 'config of a running sniper',
    disturbances: [at(9, 'pause'), at(9, 'lost-before')],
  },
  {
    gap: 'pause-on-our-mark',
    world: 'config of a running sniper',
    disturbances: [at(9, 'pause'), at(10, 'runner-same')],
  },
  {
    gap: 'fire-hidden-by-pause',
    world: 'config of a running buy_once',
    disturbances: [at(9, 'fire')],
    choices: { fire_version: 'same', pause_paused: 'new-version' },
  },
  {
    gap: 'stopped-task-deleted',
    world: 'config of a held task',
    disturbances: [at(0, 'delete')],
  },
  {
    gap: 'edited-between-applies',
    world: 'config of a running sniper',
    disturbances: [at(10, 'crash-after'), at(11, 'note')],
  },
  {
    gap: 'edited-under-apply',
    world: 'config of a running sniper',
    disturbances: [at(10, 'config')],
  },
  {
    gap: 'buy-once-unmarked',
    world: 'config of a running buy_once',
    disturbances: [at(9, 'crash-after')],
  },
  {
    gap: 'counts-otherwise',
    world: 'config of a running sniper',
    disturbances: [at(9, 'crash-after')],
    choices: { version_step: 2 },
  },
  {
    gap: 'pause-answered-twice',
    world: 'config of a running sniper',
    disturbances: [at(9, 'twice', 1)],
  },
  {
    gap: 'clone-took-over',
    world: 'note of a running task',
    disturbances: [at(0, 'clone', 1)],
  },
];

test.each(CASES)('$gap: $world', async ({ gap, world, disturbances, choices }) => {
  const verdict = await on(world, disturbances, choices);
  expect(verdict.violations, disturbances.map(tell).join(' ')).toEqual([]);
  expect([...verdict.gaps.keys()]).toEqual([gap]);
});

test('every gap that excuses anything has its case', () => {
  const named = new Set(CASES.map(({ gap }) => gap));
  for (const { name } of [...START_GAPS, ...REST_GAPS]) expect(named).toContain(name);
});
