import type { SeedTask } from '../../src/core/model/generated/sandbox.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import { account, desired } from '../e2e/arbitrary.ts';
import fc from '../properties.ts';
import { drawChoices } from '../support/choices.ts';
import { prepare, type WorldSpec } from './base.ts';
import type { CaseOptions, Way } from './case.ts';
import { ACTIONS, type Disturbance, FAULTS } from './kinds.ts';
import { markOf } from './marks.ts';
import { type Dice, dice } from './random.ts';
import { laterRevision } from './scenes.ts';

const world = desired.chain((state) => fc.record({ state: fc.constant(state), seed: account(state) }));

/** How likely each request is struck; another mixture in every run. */
const RATES = [0, 0, 0.01, 0.03, 0.1, 0.3];
const LONGEST = 80;

/** A random world, random answers to what is not shown, and disturbances at random; all from one number. */
export function swarmCase(seed: number): CaseOptions {
  const random = dice(seed);
  const [drawn] = fc.sample(world, { seed, numRuns: 1 });
  if (drawn === undefined) throw new Error('nothing was drawn');
  const spec: WorldSpec = {
    name: `swarm ${seed}`,
    account: { ...drawn.seed, tasks: (drawn.seed.tasks ?? []).map(withoutImpossibleMark) },
    desired: drawn.state,
    other: laterRevision(drawn.state),
    choices: drawnChoices(random),
  };
  return {
    base: prepare(spec),
    disturbances: drawDisturbances(random),
    seed,
    concurrency: 1 + random.below(4),
    way: drawnWay(random),
  };
}

function drawnWay(random: Dice): Way {
  return { onFailure: random.below(4) === 0 ? 'hold' : 'restore', saved: random.below(4) === 0 };
}

/**
 * Marks further ahead than requests can bring them, which only `clone` makes; those of a pause to come on a running `buy_once`, which
 * gets none (DESIGN 3); and those of the present version on a running task: its start was a write, too.
 */
function withoutImpossibleMark(task: SeedTask): SeedTask {
  const armed = markOf(task.remark ?? '')?.armed;
  const announced = task.is_active === true && task.config?.buy_once !== true;
  const furthest = (task.version ?? 1) + (announced ? 1 : 0);
  const pending = task.is_active === true && armed === (task.version ?? 1);
  const impossible = typeof armed === 'number' && (armed > furthest || pending);
  return impossible ? { ...task, remark: task.remark?.replace(/@\d+/, '@0') ?? '' } : task;
}

/** Mostly a service that counts by one, since marks mean nothing under any other. */
function drawnChoices(random: Dice): Choices {
  const drawn = drawChoices((count) => random.below(count));
  // Lists of several pages, and clocks that do not agree: what a single reading cannot be sure of.
  const choices: Choices =
    random.below(6) === 0 ? { ...drawn, page_size: 'at-most-2', date_header: 'ahead' } : drawn;
  return random.below(4) === 0 ? choices : { ...choices, version_step: 1 };
}

function drawDisturbances(random: Dice): readonly Disturbance[] {
  const faults = random.pick(RATES);
  const actions = random.pick(RATES) / 2;
  // Some runs know a few kinds only, so that these meet each other.
  const few = random.below(2) === 0;
  const faultKinds = few ? [random.pick(FAULTS), random.pick(FAULTS)] : FAULTS;
  const actionKinds = few ? [random.pick(ACTIONS), random.pick(ACTIONS)] : ACTIONS;
  const drawn: Disturbance[] = [];
  for (let at = 0; at < LONGEST; at += 1) {
    if (random.next() < actions) drawn.push({ at, kind: random.pick(actionKinds), pick: random.below(24) });
    if (random.next() < faults) drawn.push({ at, kind: random.pick(faultKinds), pick: random.below(4) });
  }
  return drawn;
}
