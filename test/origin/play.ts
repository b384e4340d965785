import { differing } from './promises.ts';
import type { Scene } from './scenes.ts';
import type { Step } from './steps.ts';
import { World } from './world.ts';

function clean(way: 'only' | 'plain', base: 'none' | 'whole' | 'previous'): Extract<Step, { type: 'run' }> {
  return { type: 'run', way, behind: 0, base, strikes: [] };
}

const MOST_RUNS = 4;

/** Plays a scene, then runs at the head that nobody disturbs, and asks for promise A. */
export async function play({ kind, histories, first, steps }: Scene): Promise<World> {
  const world = new World(kind, histories);
  await world.step({ type: 'merge' });
  await world.run(clean(first, 'previous'));
  for (const step of steps) await world.step(step);
  await heal(world);
  return world;
}

/** Runs at the head until nothing is left to do. */
export async function heal(world: World): Promise<void> {
  await world.deliver();
  while (world.head.at < world.line(world.head).length - 1) await world.step({ type: 'merge' });
  for (let run = 0; run < MOST_RUNS; run += 1) {
    const { writes } = await world.run(clean('only', 'whole'));
    if (writes === 0) break;
    if (run === MOST_RUNS - 1)
      world.violation('A', `something is still written in run ${MOST_RUNS} at the head`);
  }
  arrived(world);
}

/** A: if nobody edited, the head arrives. What does not is said, which every run checks. */
function arrived(world: World): void {
  const { edited, head } = world;
  if (edited || head.line > 0) return;
  for (const { address, ids, paused } of differing(world, world.line(head)[head.at] ?? [])) {
    // A base that had it before a run removed it cannot tell that from a person's deletion: left, and said.
    const slot = address.split('/')[1]?.[0];
    const removed = [...world.gone].some(([name, { by }]) => name[0] === slot && by === 'run');
    if (ids.length === 0 && removed) world.gap('A: removed by a run, and the base names it already');
    else if (paused && world.memories.get(ids[0] ?? '')?.stoppedByRun === true)
      world.gap('A: a stop of git was killed half-way, then git wants it on again: held, said');
    else world.violation('A', `nobody edited, and the head does not arrive at ${address}`);
  }
}
