import { expect, test } from 'vitest';
import type { SeedTask } from '../../src/core/model/generated/sandbox.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import { uuid, wallet } from '../support/builders.ts';
import { prepare, type WorldSpec } from './base.ts';
import { PLAIN, SAVED, type Verdict } from './case.ts';
import { namedCase } from './cases.ts';
import { LEGACY_GAP, OUTDATED_GAP, REST_GAPS, START_GAPS, UNNAMED_GAP } from './gaps.ts';
import { type Disturbance, tell } from './kinds.ts';
import { SCENE_WORLDS } from './scenes.ts';
import { play } from './shrink.ts';

/** The gaps that DESIGN section 3 leaves open: each shows in its case, and nowhere else is it an excuse. */

function scene(world: string): WorldSpec {
  const spec = SCENE_WORLDS.find(({ name }) => name === world);
  if (spec === undefined) throw new Error(`no world is called ${world}`);
  return spec;
}

function withTasks(spec: WorldSpec, changed: (task: SeedTask) => Partial<SeedTask>): WorldSpec {
  const tasks = (spec.account.tasks ?? []).map((task) => ({ ...task, ...changed(task) }));
  return { ...spec, account: { ...spec.account, tasks } };
}

function on(
  spec: WorldSpec,
  disturbances: readonly Disturbance[],
  { choices = {}, saved, seed = 1 }: Pick<GapCase, 'choices' | 'saved' | 'seed'>,
): Promise<Verdict> {
  const way = saved === true ? SAVED : PLAIN;
  return play({ base: prepare({ ...spec, choices }), disturbances, seed, concurrency: 1, way });
}

const at = (index: number, kind: Disturbance['kind'], pick = 0): Disturbance => ({ at: index, kind, pick });

interface GapCase {
  readonly gap: string;
  readonly world: string;
  readonly disturbances: readonly Disturbance[];
  readonly choices?: Partial<Choices>;
  readonly seed?: number;
  readonly saved?: true;
  /** The world is another one in this. */
  readonly but?: (spec: WorldSpec) => WorldSpec;
}

// Requests of a scene: 0 to 7 read, 8 reads the labels before the start, 9 marks, 10 pauses, 11 patches, 12 starts.
const CASES: readonly GapCase[] = [
  {
    gap: 'pause-on-our-mark',
    world: 'config of a running sniper',
    disturbances: [at(10, 'pause'), at(10, 'crash-before')],
  },
  {
    gap: 'pause-on-our-mark',
    world: 'config of a running sniper',
    disturbances: [at(10, 'pause'), at(10, 'lost-before')],
  },
  {
    gap: 'pause-on-our-mark',
    world: 'config of a running sniper',
    disturbances: [at(10, 'pause'), at(11, 'runner-same')],
  },
  {
    gap: 'fire-hidden-by-pause',
    world: 'config of a running buy_once',
    disturbances: [at(10, 'fire')],
    choices: { fire_version: 'same', pause_paused: 'new-version' },
  },
  {
    gap: 'stopped-task-deleted',
    world: 'config of a held task',
    disturbances: [at(0, 'delete')],
  },
  {
    gap: UNNAMED_GAP,
    world: 'replace a running task',
    disturbances: [at(9, 'pause'), at(11, 'strip'), at(12, 'crash-after')],
  },
  {
    gap: 'edited-between-applies',
    world: 'config of a running sniper',
    disturbances: [at(11, 'crash-after'), at(12, 'note')],
  },
  {
    gap: 'edited-under-apply',
    world: 'config of a running sniper',
    disturbances: [at(11, 'config')],
  },
  {
    gap: 'buy-once-unmarked',
    world: 'config of a running buy_once',
    disturbances: [at(10, 'crash-after')],
  },
  {
    gap: 'mark-refused',
    world: 'config of a running sniper',
    disturbances: [at(9, 'refused'), at(10, 'lost-after')],
  },
  {
    gap: 'pause-throttled-after',
    world: 'config of a running sniper',
    disturbances: [at(10, 'throttled-after')],
  },
  {
    gap: 'pause-throttled-after',
    world: 'config of a running sniper',
    disturbances: [at(10, 'unavailable-after')],
  },
  {
    gap: 'started-and-taken-away',
    world: 'replace a held task',
    disturbances: [at(9, 'resume'), at(11, 'strip')],
  },
  {
    // The wanted target is neither the one of the present task nor the one of its new half.
    gap: 'undone-half-unmarked',
    world: 'replace a running task',
    but: (spec) => ({
      ...spec,
      account: {
        ...spec.account,
        tasks: (spec.account.tasks ?? []).flatMap((task) => {
          if (task.remark?.includes('/moved') !== true) return [task];
          const half = { remark: 'Note moved [git:core/moved@2~0009]', version: 3, target_wallet: wallet(4) };
          const stopped = { remark: 'Note moved [git:core/moved@5]', is_active: false };
          return [
            { ...task, ...stopped },
            { ...task, ...half, id: uuid(0x34) },
          ];
        }),
      },
    }),
    disturbances: [at(9, 'lost-after')],
  },
  {
    gap: 'mark-in-doubt',
    world: 'replace a running task',
    disturbances: [at(10, 'lost-before'), at(11, 'html-before'), at(11, 'runner-same-mixed')],
  },
  {
    gap: 'counts-otherwise',
    world: 'config of a running sniper',
    disturbances: [at(10, 'crash-after')],
    choices: { version_step: 2 },
  },
  {
    gap: 'pause-answered-twice',
    world: 'config of a running sniper',
    disturbances: [at(10, 'twice', 1)],
  },
  {
    gap: OUTDATED_GAP,
    world: 'config of a running sniper',
    disturbances: [at(1, 'stale', 1), at(9, 'stale', 1), at(14, 'stale', 1)],
  },
  {
    gap: 'clone-took-over',
    world: 'note of a running task',
    disturbances: [at(0, 'clone', 1)],
  },
  {
    // The clone is at the version of an old mark.
    gap: 'clone-took-over',
    world: 'config of a task whose switch is manual',
    but: (spec) => withTasks(spec, ({ remark }) => ({ remark: remark?.replace('/hands', '/hands@1') ?? '' })),
    disturbances: [at(0, 'clone', 1)],
  },
  {
    // The runner that is to stop it has paused it when the second watched run gets that far.
    gap: 'stop-interrupted',
    world: 'note of a running task',
    but: (spec) => {
      const tasks = spec.desired.tasks.map((task) => ({ ...task, state: 'paused' as const }));
      return { ...spec, other: { ...spec.other, tasks } };
    },
    disturbances: [at(7, 'runner-other-mixed'), at(19, 'rotate')],
  },
  {
    gap: LEGACY_GAP,
    world: 'note of a running task',
    but: (spec) => withTasks(spec, ({ config }) => ({ config: { ...config, since_dropped: true } })),
    disturbances: [],
    choices: { remark_patch_revalidates: 'always' },
  },
];

test.each(CASES)('$gap: $world', async ({ gap, world, disturbances, but = (spec) => spec, ...rest }) => {
  const verdict = await on(but(scene(world)), disturbances, rest);
  expect(verdict.violations, disturbances.map(tell).join(' ')).toEqual([]);
  expect([...verdict.gaps.keys()]).toEqual([gap]);
});

/** A case of the swarm, where no scene has a past that a list could show. */
const SEEN: Readonly<Record<string, string>> = { 'settled-from-the-past': 'swarm 1322789 +hold' };

test.each(Object.entries(SEEN))('%s: %s', async (gap, name) => {
  const { options } = await namedCase(name);
  const verdict = await play(options);
  expect(verdict.violations).toEqual([]);
  expect([...verdict.gaps.keys()]).toEqual([gap]);
});

test('every gap that excuses anything has its case', () => {
  const named = new Set([...CASES.map(({ gap }) => gap), ...Object.keys(SEEN)]);
  const names = [...START_GAPS, ...REST_GAPS].map(({ name }) => name);
  for (const name of [...names, LEGACY_GAP, OUTDATED_GAP, UNNAMED_GAP]) expect(named).toContain(name);
});
