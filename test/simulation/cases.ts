import { type Base, prepare } from './base.ts';
import { ACTIONS, type Disturbance, FAULTS, type Kind, parseDisturbance } from './kinds.ts';
import type { Dice } from './random.ts';
import { REFERENCE, SCENE_WORLDS } from './scenes.ts';
import { type CaseOptions, type Seen, Simulation } from './simulation.ts';
import { swarmCase } from './swarm.ts';

/** One case by its name: enough to play it again. */
export interface Case {
  readonly group: 'reference' | 'scene' | 'pair' | 'swarm';
  readonly world: string;
  readonly options: CaseOptions;
}

/** Kinds with variants that `pick` chooses. */
const VARIANTS: Partial<Record<Kind, number>> = {
  late: 2,
  twice: 2,
  stale: 2,
  throttled: 2,
  unavailable: 2,
  'html-after': 2,
  clone: 2,
};

/**
 * Of pairs every two of these are tried, in either order, at every two requests. They stand for their like: a crash after
 * a request also for one before the next, a lost answer for every way of not getting one, a note for what an apply goes
 * on over, a config for what it stops at.
 */
export const PAIRED: readonly Kind[] = [
  'crash-after',
  'lost-after',
  'pause',
  'note',
  'config',
  'runner-same',
];

interface Prepared {
  readonly base: Base;
  /** Requests of an undisturbed run, and where those of the apply begin. */
  readonly requests: readonly Seen[];
  readonly applies: number;
}

const prepared = new Map<string, Promise<Prepared>>();

function preparedWorld(name: string): Promise<Prepared> {
  const known = prepared.get(name);
  if (known !== undefined) return known;
  const fresh = prepareWorld(name);
  prepared.set(name, fresh);
  return fresh;
}

async function prepareWorld(name: string): Promise<Prepared> {
  const spec = [REFERENCE, ...SCENE_WORLDS].find((world) => world.name === name);
  if (spec === undefined) throw new Error(`no world is called ${name}`);
  const base = prepare(spec);
  const { requests } = await new Simulation({ base, disturbances: [], seed: 1, concurrency: 1 }).run();
  // The reading ends with the second GET /me.
  const applies = requests.findIndex(({ path }, index) => index > 0 && path === '/me') + 1;
  return { base, requests, applies };
}

function* variants(at: number, kinds: readonly Kind[]): Generator<Disturbance> {
  for (const kind of kinds) {
    for (let pick = 0; pick < (VARIANTS[kind] ?? 1); pick += 1) yield { at, kind, pick };
  }
}

/** Every fault and every action at every request of the reference apply, its reading included. */
async function* references(): AsyncGenerator<Case> {
  const { base, requests } = await preparedWorld(REFERENCE.name);
  for (const at of requests.keys()) {
    for (const disturbance of variants(at, [...FAULTS, ...ACTIONS])) {
      yield { group: 'reference', world: REFERENCE.name, options: one(base, [disturbance]) };
    }
  }
}

/** Every fault and every action at every request of the applies of the single scenes, and the actions while they read. */
async function* scenes(): AsyncGenerator<Case> {
  for (const { name } of SCENE_WORLDS) {
    const { base, requests, applies } = await preparedWorld(name);
    for (const at of requests.keys()) {
      const kinds = at < applies ? ACTIONS : [...FAULTS, ...ACTIONS];
      for (const disturbance of variants(at, kinds)) {
        yield { group: 'scene', world: name, options: one(base, [disturbance]) };
      }
    }
  }
}

/**
 * Every two of the paired kinds at every two requests of a scene's apply, from the last one of its reading on; and, where
 * the first ends the run, at the first request and the first writes of the next run.
 */
async function* pairs(kinds: readonly Kind[]): AsyncGenerator<Case> {
  for (const { name } of SCENE_WORLDS) {
    const { base, requests, applies } = await preparedWorld(name);
    for (let at = applies - 1; at < requests.length; at += 1) {
      for (const kind of kinds) {
        for (const then of secondPlaces(kind, at, requests.length, applies)) {
          for (const other of kinds) {
            const disturbances = [
              { at, kind, pick: 0 },
              { at: then, kind: other, pick: 0 },
            ];
            yield { group: 'pair', world: name, options: one(base, disturbances) };
          }
        }
      }
    }
  }
}

function secondPlaces(kind: Kind, at: number, length: number, reading: number): readonly number[] {
  if (!kind.startsWith('crash')) return range(at, length + 1);
  // The next run reads, then writes.
  return [at, at + 1, ...range(at + reading, at + reading + Math.min(4, length - reading + 1))];
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

function one(base: Base, disturbances: readonly Disturbance[]): CaseOptions {
  return { base, disturbances, seed: 1, concurrency: 1 };
}

/** Every two of these kinds at every two requests of every scene, the worlds and places in a random order; endless. */
export async function* allPairs(kinds: readonly Kind[], random: Dice): AsyncGenerator<Case> {
  for (;;) {
    const { name } = random.pick(SCENE_WORLDS);
    const { base, requests } = await preparedWorld(name);
    const draw = () => ({
      at: random.below(requests.length + 10),
      kind: random.pick(kinds),
      pick: random.below(8),
    });
    yield { group: 'pair', world: name, options: one(base, [draw(), draw()]) };
  }
}

/** `swarm 7`, or a scene's name, a colon and disturbances as reports show them: `stop:pause@8,crash-after@9/1`. */
export async function namedCase(name: string): Promise<Case> {
  const seed = /^swarm (\d+)$/.exec(name)?.[1];
  if (seed !== undefined) return { group: 'swarm', world: name, options: swarmCase(Number(seed)) };
  const [world = '', list = ''] = name.split(':');
  const disturbances = list
    .split(/[ ,]+/)
    .filter((text) => text !== '')
    .map(parseDisturbance);
  return { group: 'pair', world, options: one((await preparedWorld(world)).base, disturbances) };
}

function* swarms(seeds: readonly number[]): Generator<Case> {
  for (const seed of seeds) yield { group: 'swarm', world: `swarm ${seed}`, options: swarmCase(seed) };
}

export interface Budget {
  readonly pairedKinds: readonly Kind[];
  readonly swarmSeeds: readonly number[];
}

/** All cases of a budget, always in the same order. */
export async function* allCases({ pairedKinds, swarmSeeds }: Budget): AsyncGenerator<Case> {
  yield* references();
  yield* scenes();
  yield* pairs(pairedKinds);
  yield* swarms(swarmSeeds);
}
