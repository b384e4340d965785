import { prepare, type WorldSpec } from './base.ts';
import { type CaseOptions, PLAIN, type Verdict } from './case.ts';
import type { Disturbance } from './kinds.ts';
import { Simulation } from './simulation.ts';

/** Plays a case; what the simulation itself cannot bring to an end counts as a violation, too. */
export async function play(options: CaseOptions): Promise<Verdict> {
  const simulation = new Simulation(options);
  try {
    return await simulation.run();
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return simulation.broken(text);
  }
}

/**
 * The smallest case found that still breaks the same invariant: disturbances are left out one by one, then made plainer
 * and earlier, then tasks are taken out of the world.
 */
export async function shrink(options: CaseOptions, invariant: string): Promise<CaseOptions> {
  const fails = async (candidate: CaseOptions) =>
    (await play(candidate)).violations.some((violation) => violation.invariant === invariant);
  let smallest = options;
  for (let rounds = 0; rounds < 6; rounds += 1) {
    const before = smallest;
    for (const candidates of [fewerDisturbances, plainerDisturbances, smallerWorlds]) {
      smallest = await improve(smallest, candidates, fails);
    }
    if (smallest === before) break;
  }
  return smallest;
}

async function improve(
  start: CaseOptions,
  candidates: (options: CaseOptions) => Iterable<CaseOptions>,
  fails: (options: CaseOptions) => Promise<boolean>,
): Promise<CaseOptions> {
  let smallest = start;
  for (;;) {
    let found: CaseOptions | undefined;
    for (const candidate of candidates(smallest)) {
      if (!(await fails(candidate))) continue;
      found = candidate;
      break;
    }
    if (found === undefined) return smallest;
    smallest = found;
  }
}

function* fewerDisturbances(options: CaseOptions): Generator<CaseOptions> {
  const { disturbances } = options;
  for (
    let size = Math.ceil(disturbances.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < disturbances.length; at += size) {
      yield { ...options, disturbances: disturbances.filter((_, index) => index < at || index >= at + size) };
    }
    if (size === 1) return;
  }
}

function* plainerDisturbances(options: CaseOptions): Generator<CaseOptions> {
  const { disturbances, concurrency, seed, way } = options;
  if (way.onFailure !== PLAIN.onFailure) yield { ...options, way: { ...way, onFailure: PLAIN.onFailure } };
  if (way.saved) yield { ...options, way: { ...way, saved: false } };
  if (concurrency > 1) yield { ...options, concurrency: 1 };
  if (seed !== 1) yield { ...options, seed: 1 };
  for (const [index, disturbance] of disturbances.entries()) {
    const plainer: Disturbance[] = [];
    if (disturbance.pick > 1) plainer.push({ ...disturbance, pick: disturbance.pick % 2 });
    if (disturbance.pick > 0) plainer.push({ ...disturbance, pick: 0 });
    for (const other of plainer) {
      yield { ...options, disturbances: disturbances.map((one, at) => (at === index ? other : one)) };
    }
  }
}

function* smallerWorlds(options: CaseOptions): Generator<CaseOptions> {
  const { spec } = options.base;
  for (const world of smallerSpecs(spec)) yield { ...options, base: prepare(world) };
}

function* smallerSpecs(spec: WorldSpec): Generator<WorldSpec> {
  const { account, desired, other } = spec;
  const tasks = account.tasks ?? [];
  for (const index of tasks.keys()) {
    yield { ...spec, account: { ...account, tasks: tasks.filter((_, at) => at !== index) } };
  }
  for (const { address } of desired.tasks) {
    const without = (state: typeof desired) => ({
      ...state,
      tasks: state.tasks.filter((task) => task.address !== address),
    });
    yield { ...spec, desired: without(desired), other: without(other) };
  }
  if (desired.templates.length > 0) {
    yield { ...spec, desired: { ...desired, templates: [] }, other: { ...other, templates: [] } };
  }
  for (const name of Object.keys(spec.choices) as (keyof typeof spec.choices)[]) {
    const { [name]: _, ...choices } = spec.choices;
    yield { ...spec, choices };
  }
}
