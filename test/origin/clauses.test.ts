import { describe, expect, test } from 'vitest';
import { markerOf } from '../../src/core/model/marker.ts';
import { type Content, valuesOf } from './history.ts';
import { heal } from './play.ts';
import type { BaseName, Deed, Step } from './steps.ts';
import { World } from './world.ts';

/** One scene for each clause and each row of "The version" (DESIGN 3). The world checks the promises at every request. */

const A: Content = { name: 'a', amount: 1, tip: 1, note: 1, target: 0, state: 'active' };
const B = { ...A, amount: 2 };
const C = { ...A, amount: 3 };

const merge: Step = { type: 'merge' };
const rewrite: Step = { type: 'rewrite' };

function only(behind = 0, base: BaseName = 'whole'): Step {
  return { type: 'run', way: 'only', behind, base, strikes: [] };
}

function plain(behind = 0): Step {
  return { type: 'run', way: 'plain', behind, base: 'none', strikes: [] };
}

function killed(at: number): Step {
  return { type: 'run', way: 'only', behind: 0, base: 'whole', strikes: [{ at, type: 'before' }] };
}

function person(deed: Deed, pick = 0): Step {
  return { type: 'person', deed, pick };
}

const set = (amount: number) => person({ type: 'set', values: { amount } });

/** The second commit is applied; then these steps. */
async function played(line: readonly (readonly Content[])[], ...steps: readonly Step[]): Promise<World> {
  const world = new World('sniper', { lines: [[[], ...line]] });
  for (const step of [merge, only(0, 'previous'), ...steps]) await world.step(step);
  expect(world.violations, world.story.join('\n')).toEqual([]);
  return world;
}

async function arrived(world: World): Promise<void> {
  await heal(world);
  expect(world.violations, world.story.join('\n')).toEqual([]);
}

function amounts({ tasks }: World): readonly number[] {
  return tasks.map((task) => valuesOf(task).amount);
}

function numbers({ tasks }: World): readonly (number | undefined)[] {
  return tasks.map((task) => markerOf(task)?.version?.number);
}

describe('rule 1: the version is written with the values', () => {
  test('killed between mark and pause, git goes on to a third value', async () => {
    await arrived(await played([[A], [B], [C]], merge, killed(1)));
  });

  test('killed between mark and pause, git takes the note back', async () => {
    await arrived(await played([[A], [{ ...B, note: 2 }], [A]], merge, killed(1)));
  });

  test('a replacement is killed after its mark', async () => {
    await arrived(await played([[A], [{ ...B, target: 1, note: 2 }]], merge, killed(3)));
  });
});

describe('rule 2: a run that has decided every field writes the version of its commit', () => {
  test('a person sets what git wants next, git goes on', async () => {
    const world = await played([[A], [B], [C]], merge, set(2), only(0, 'none'), merge, only(0, 'none'));
    expect(amounts(world)).toEqual([3]);
  });

  test('a field is left, git changes another one and that one again', async () => {
    const tip = (value: number) => [{ ...A, tip: value }];
    const world = await played([[A], tip(2), tip(1)], merge, set(9), only(), merge, only());
    expect(world.tasks.map((task) => valuesOf(task).tip)).toEqual([1]);
    expect(amounts(world)).toEqual([9]);
  });
});

test('rule 3: the number is renewed where the base had another version', async () => {
  // The second run finds its values in place, left by a commit before that another one followed.
  const world = await played([[A], [B], [A]], merge, merge, only(0, 'previous'));
  expect(numbers(world)).toEqual([4]);
  await world.step(only(1, 'none'));
  expect(amounts(world)).toEqual([1]);
});

describe('rule 3: the number is renewed where a commit since the base had another version', () => {
  test.each([
    ['another amount', B],
    ['paused', { ...A, state: 'paused' as const }],
  ])('%s: the late job of that commit changes nothing', async (_title, late) => {
    // The run at A again has the same base as the late job.
    const world = await played([[A], [late], [A]], merge, merge, only());
    expect(numbers(world)).toEqual([4]);
    await world.step(only(1, 'previous'));
    expect(amounts(world)).toEqual([1]);
    expect(world.tasks[0]?.is_active).toBe(true);
  });

  test('without the task: the late job of that commit deletes nothing', async () => {
    const world = await played([[A], [], [A]], merge, merge, only());
    await world.step(only(1, 'previous'));
    expect(amounts(world)).toEqual([1]);
  });
});

test('rule 2: a rename writes the number, and nothing else', async () => {
  const world = await played([[A], [{ ...A, name: 'a2', previous: 'a' }]], merge, only(0, 'none'));
  expect(numbers(world)).toEqual([3]);
});

test('rule 3: the number is renewed where a commit since the base had another name', async () => {
  const [names, back] = [[{ ...A, name: 'a2', previous: 'a' }], [{ ...A, previous: 'a2' }]];
  const world = await played([[A], names, back], merge, merge, only());
  expect(numbers(world)).toEqual([4]);
  await world.step(only(1, 'previous'));
  expect(world.tasks.map((task) => markerOf(task)?.name)).toEqual(['a']);
});

describe('rule 4: an apply without --only', () => {
  test('writes no number', async () => {
    const world = await played([[A], [B]], merge, plain());
    expect(numbers(world)).toEqual([0]);
  });

  test('takes a larger number away, so that the head arrives', async () => {
    const world = new World('sniper', {
      lines: [
        [[], [A], [B], [A]],
        [[], [A], [B]],
      ],
      rewrite: { at: 3, to: 1 },
    });
    for (const step of [
      merge,
      only(0, 'previous'),
      merge,
      merge,
      only(0, 'previous'),
      rewrite,
      plain(),
      merge,
      only(),
    ])
      await world.step(step);
    expect(world.violations, world.story.join('\n')).toEqual([]);
    expect(amounts(world)).toEqual([2]);
  });
});

describe('rule 5: the base decides creates, and nothing else', () => {
  test('nothing is created without a base', async () => {
    const world = await played([[], [A]], merge, only(0, 'none'));
    expect(world.tasks).toEqual([]);
  });

  test('what the base names is not created again', async () => {
    const world = await played([[A], [A]], merge, person({ type: 'delete' }), only(0, 'previous'));
    expect(world.tasks).toEqual([]);
  });

  test('what has another target since the base is created: its replacement may have been interrupted', async () => {
    const targets = (target: number) => [{ ...A, target }];
    const deleted = person({ type: 'delete' });
    const world = await played([targets(0), targets(1), targets(0)], only(), merge, merge, deleted, only());
    expect(world.tasks).toHaveLength(1);
  });

  test('what is new since the base is created', async () => {
    await arrived(await played([[], [A]], merge, only()));
  });

  test('it does not stand in for an unknown version', async () => {
    const world = await played([[A], [B]], merge, person({ type: 'strip-version' }), only(0, 'previous'));
    expect(amounts(world)).toEqual([1]);
  });
});

test('rule 8: a task that a newer commit renamed is not created under its former name', async () => {
  const world = await played(
    [[A], [{ ...A, name: 'a2', previous: 'a' }]],
    merge,
    only(),
    only(1, 'previous'),
  );
  expect(world.tasks).toHaveLength(1);
});

describe('rule 7: nothing is created on the target of a task of unknown version and another name', () => {
  const renamed = { ...A, name: 'b' };

  test('git names it no longer', async () => {
    const strip = person({ type: 'strip-version' });
    const world = await played([[A], [renamed]], strip, merge, only(0, 'previous'));
    expect(world.tasks.map((task) => markerOf(task)?.name)).toEqual(['a']);
  });

  test('git never named it: its history was rewritten', async () => {
    const world = new World('sniper', {
      lines: [
        [[], [A], [A]],
        [[], [], [renamed]],
      ],
      rewrite: { at: 2, to: 1 },
    });
    for (const step of [merge, only(0, 'previous'), merge, rewrite, merge, only(0, 'previous')])
      await world.step(step);
    expect(world.violations, world.story.join('\n')).toEqual([]);
    expect(world.tasks.map((task) => markerOf(task)?.name)).toEqual(['a']);
  });
});

test('rule 8: a newer commit was applied: what it removed is not created again', async () => {
  const added = { ...A, name: 'b', target: 1 };
  const world = await played([[A], [A, added], [B]], merge, only(), merge, only(), only(1, 'previous'));
  expect(amounts(world)).toEqual([2]);
});

test('a start that waits for the values of a person arrives when they are gone', async () => {
  const tip = (value: number) => person({ type: 'set', values: { tip: value } });
  const world = await played([[{ ...A, state: 'paused' }], [B]], tip(9), merge, only());
  expect(world.tasks[0]?.is_active).toBe(false);
  await world.step(tip(1));
  await world.step(only());
  expect(world.tasks[0]?.is_active).toBe(true);
});

test('a stopped task of a newer commit is said', async () => {
  // A world asks after each run whether all that differs was said.
  const strip = person({ type: 'strip-version' });
  await played([[A], [A]], person({ type: 'stop' }), strip, merge, only(), only(1, 'none'));
});

test('a pause of our own is finished with a new rearm value, and nothing is left to write', async () => {
  const again = { ...B, rearm: '2' };
  const tip = person({ type: 'set', values: { tip: 9 } });
  const killed: Step = {
    type: 'run',
    way: 'plain',
    behind: 2,
    base: 'none',
    strikes: [{ at: 2, type: 'before' }],
  };
  await played([[A], [B], [again]], merge, tip, only(), merge, only(), killed, only(), only());
});

describe('the table', () => {
  test('live = base, git differs: written', async () => {
    await arrived(await played([[A], [B]], merge, only()));
  });

  test('live differs, base = git: left', async () => {
    expect(amounts(await played([[A], [A]], set(9), only()))).toEqual([9]);
  });

  test('all three differ: left', async () => {
    expect(amounts(await played([[A], [B]], set(9), merge, only()))).toEqual([9]);
  });

  test('the target differs, and another field was edited: left whole', async () => {
    const world = await played([[A], [{ ...A, target: 1 }]], set(9), merge, only());
    expect(amounts(world)).toEqual([9]);
  });

  test('git no longer names it: deleted', async () => {
    await arrived(await played([[A], []], merge, only()));
  });

  test('git no longer names it, and it was edited: left', async () => {
    expect(amounts(await played([[A], []], set(9), merge, only()))).toEqual([9]);
  });

  test('written from a newer commit: nothing is done', async () => {
    const world = await played(
      [[A], [B], [A]],
      merge,
      only(),
      merge,
      only(),
      only(1, 'none'),
      only(2, 'none'),
    );
    expect(amounts(world)).toEqual([1]);
    expect(numbers(world)).toEqual([4]);
  });

  test('written from a newer commit, and a person set what this one wants: nothing is done', async () => {
    expect(numbers(await played([[A], [B]], merge, only(), set(1), only(1, 'none')))).toEqual([3]);
  });

  test('written from a newer commit that stopped it: not started', async () => {
    const stopped = { ...A, state: 'paused' } as const;
    const world = await played([[A], [stopped]], merge, only(), only(1, 'none'));
    expect(world.tasks.map(({ is_active }) => is_active)).toEqual([false]);
  });

  test('written from a commit that is not in this history: nothing is done', async () => {
    const world = new World('sniper', {
      lines: [
        [[], [A], [B]],
        [[], [C], [C]],
      ],
      rewrite: { at: 2, to: 1 },
    });
    for (const step of [
      merge,
      only(0, 'previous'),
      merge,
      only(),
      rewrite,
      only(0, 'none'),
      merge,
      only(0, 'previous'),
    ])
      await world.step(step);
    expect(world.violations, world.story.join('\n')).toEqual([]);
    expect(amounts(world)).toEqual([2]);
  });

  test('a name that git changed is said where the version is unknown', async () => {
    const renamed = [[], [A], [{ ...A, name: 'a2', previous: 'a' }]];
    const world = new World('sniper', { lines: [[[], [A], [B], [A]], renamed], rewrite: { at: 3, to: 1 } });
    const applied = [merge, only(0, 'previous'), merge, merge, only(0, 'previous')];
    for (const step of [...applied, rewrite, merge, only(0, 'none')]) await world.step(step);
    expect(world.violations, world.story.join('\n')).toEqual([]);
    expect(world.tasks.map((task) => markerOf(task)?.name)).toEqual(['a']);
  });

  test('no version, all equal: the version is written', async () => {
    const world = await played([[A]], person({ type: 'strip-version' }), only());
    expect(numbers(world)).toEqual([2]);
  });
});

describe('a replacement that was interrupted', () => {
  const replaced = [[A], [{ ...A, target: 1 }]];

  test('a person changes the former half: nothing is deleted', async () => {
    const world = await played(replaced, merge, killed(2), set(9), only());
    expect(world.tasks).toHaveLength(2);
  });

  test('one half is unknown: nothing is deleted', async () => {
    const world = await played(replaced, merge, killed(2), person({ type: 'strip-version' }), only());
    expect(world.tasks).toHaveLength(2);
  });
});

describe('what the version is made of: a change of nothing else arrives', () => {
  test.each<[string, Partial<Content>]>([
    ['state', { state: 'paused' }],
    ['target', { target: 1 }],
    ['note', { note: 2 }],
    ['config', { tip: 2 }],
  ])('%s', async (_, over) => {
    await arrived(await played([[A], [{ ...A, ...over }]], merge, only()));
  });
});
