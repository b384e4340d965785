import { expect, test } from 'vitest';
import fc from '../properties.ts';
import { runs } from '../support/sample.ts';
import { play } from './play.ts';
import { type Scene, scene } from './scenes.ts';

async function expectKept(one: Scene): Promise<void> {
  const world = await play(one);
  expect(world.violations, [...world.story, JSON.stringify(one.histories.lines)].join('\n')).toEqual([]);
}

/** A scene takes some 30 ms; the night plays them all. */
const RUNS = { numRuns: runs(600) };
const MOST_MS = 600_000;

test(
  'nobody edits: kills, lost answers, runners at several commits',
  () => fc.assert(fc.asyncProperty(scene(false), expectKept), RUNS),
  MOST_MS,
);

test('people at every step', () => fc.assert(fc.asyncProperty(scene(true), expectKept), RUNS), MOST_MS);
