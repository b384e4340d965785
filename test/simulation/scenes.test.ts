import { describe, expect, test } from 'vitest';
import { told } from './budget.ts';
import { singlesOf } from './cases.ts';
import { KINDS } from './kinds.ts';
import { SCENE_WORLDS } from './scenes.ts';
import { play } from './shrink.ts';
import { Tally } from './tally.ts';

const together = new Tally();

describe.each(SCENE_WORLDS.map(({ name }, scene) => [name, scene] as const))('%s', (_name, scene) => {
  test('whatever befalls one request of an apply, every invariant holds', { timeout: 600_000 }, async () => {
    const tally = new Tally();
    for (const one of await singlesOf(scene)) {
      const verdict = await play(one.options);
      tally.add(one, verdict);
      together.add(one, verdict);
    }
    expect(told(tally)).toBe('');
    expect(tally.cases).toBeGreaterThanOrEqual(Math.floor(KINDS.length / 2));
  });
});

test('everything that can befall a request has befallen one', () => {
  process.stdout.write(`\n${together.report('scenes')}\n`);
  expect(together.unfired).toEqual([]);
});
