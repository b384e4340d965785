import { FULL } from '../support/sample.ts';
import { type Base, prepare } from './base.ts';
import {
  BOTH,
  type CaseOptions,
  HOLD,
  PLAIN,
  parseWay,
  SAVED,
  type Seen,
  tellWay,
  type Way,
} from './case.ts';
import { ACTIONS, type Disturbance, isFault, KINDS, type Kind, parseDisturbance } from './kinds.ts';
import type { Dice } from './random.ts';
import { REFERENCE, SCENE_WORLDS } from './scenes.ts';
import { Simulation } from './simulation.ts';
import { swarmCase } from './swarm.ts';

export const GROUPS = ['reference', 'scene', 'pair', 'swarm'] as const;

export type Group = (typeof GROUPS)[number];

/** One case by its name: enough to play it again. */
export interface Case {
  readonly group: Group;
  readonly world: string;
  readonly options: CaseOptions;
}

/** Kinds with variants that `pick` chooses. */
const VARIANTS: Partial<Record<Kind, number>> = {
  late: 2,
  twice: 2,
  stale: 2,
  throttled: 2,
  'throttled-after': 2,
  unavailable: 2,
  'unavailable-after': 2,
  refused: 2,
  'html-after': 2,
  clone: 2,
};

/**
 * Of pairs every two of these are tried, in either order, at every two requests. They stand for their like: a crash after
 * a request also for one before the next, a lost answer for every way of not getting one, a note for what stops a change
 * and leaves the task running, a config for what leaves it paused.
 */
export const PAIRED: readonly Kind[] = [
  'crash-after',
  'lost-after',
  'pause',
  'note',
  'config',
  'runner-same',
];

/** A part of the single disturbances: these kinds at every request, of the others every so many. */
interface Singles {
  readonly way: Way;
  readonly always: readonly Kind[];
  readonly every: number;
}

const SINGLES: readonly Singles[] = [
  { way: PLAIN, always: [], every: 1 },
  // What fails a change after its pause, and what a saved plan is applied once more for.
  { way: HOLD, always: ['refused'], every: 29 },
  { way: SAVED, always: ['crash-before', 'crash-after'], every: 29 },
  { way: BOTH, always: ['refused'], every: 149 },
];

/** A part of the pairs: every so many of those in which one of these kinds is, of all where none is named. */
interface Pairs {
  readonly way: Way;
  readonly one: readonly Kind[];
  readonly every: number;
}

const PAIRS: readonly Pairs[] = [
  { way: PLAIN, one: [], every: 1 },
  { way: PLAIN, one: ['throttled-after', 'refused'], every: 41 },
  { way: HOLD, one: ['refused'], every: 23 },
  { way: SAVED, one: [], every: 53 },
  { way: BOTH, one: ['refused'], every: 97 },
];

interface Prepared {
  readonly base: Base;
  /** Requests of an undisturbed run, and where those of the apply begin. */
  readonly requests: readonly Seen[];
  readonly applies: number;
  /** Requests by which a run that comes after a crash reads. */
  readonly reading: number;
}

const prepared = new Map<string, Promise<Prepared>>();

function preparedWorld(name: string, way: Way): Promise<Prepared> {
  const key = `${name} ${way.saved}`;
  const known = prepared.get(key);
  if (known !== undefined) return known;
  const fresh = prepareWorld(name, way);
  prepared.set(key, fresh);
  return fresh;
}

async function prepareWorld(name: string, way: Way): Promise<Prepared> {
  const spec = [REFERENCE, ...SCENE_WORLDS].find((world) => world.name === name);
  if (spec === undefined) throw new Error(`no world is called ${name}`);
  const base = prepare(spec);
  const { requests } = await new Simulation(one(base, way, [])).run();
  // A reading begins and ends with GET /me; a saved plan is read for once more when it is applied.
  const looks = [...requests.keys()].filter((at) => requests[at]?.path === '/me');
  const [begins = 0, ends = 0] = looks.slice(-2);
  return { base, requests, applies: ends + 1, reading: ends + 1 - begins };
}

function* variants(at: number, kinds: readonly Kind[]): Generator<Disturbance> {
  for (const kind of kinds) {
    for (let pick = 0; pick < (VARIANTS[kind] ?? 1); pick += 1) yield { at, kind, pick };
  }
}

/** Every fault and every action at every request of the reference apply, its reading included; a part of them in the other ways. */
async function* references(): AsyncGenerator<Case> {
  const { name } = REFERENCE;
  for (const { way, always, every } of SINGLES) {
    const { base, requests } = await preparedWorld(name, way);
    const all = [...requests.keys()].flatMap((at) => [...variants(at, KINDS)]);
    for (const disturbance of all.filter(({ kind }, index) => index % every === 0 || always.includes(kind)))
      yield caseOf('reference', name, one(base, way, [disturbance]));
  }
}

/** Comes while a scene's apply reads: all that others do, and a list from before. The other faults of a reading: the reference has them. */
const READING: readonly Kind[] = [...ACTIONS, 'stale'];

/** Every fault and every action at every request of a scene's apply, its reading included. */
async function singlesIn(name: string, way: Way): Promise<readonly Case[]> {
  const { base, requests, applies } = await preparedWorld(name, way);
  // Every other request of the reading: the reference has them all.
  const places = [...requests.keys()].filter((at) => at >= applies || at % 2 === 0);
  const all = places.flatMap((at) => [...variants(at, at < applies ? READING : KINDS)]);
  return all.map((disturbance) => caseOf('scene', name, one(base, way, [disturbance])));
}

/**
 * All of them for `tradeform apply` without options, which `scenes.test.ts` plays; in `npm test` one of every other kind, at a
 * request and in a variant that change with the scene.
 */
export async function singlesOf(scene: number): Promise<readonly Case[]> {
  const { name = '' } = SCENE_WORLDS[scene] ?? {};
  const all = await singlesIn(name, PLAIN);
  if (FULL) return all;
  return KINDS.flatMap((kind, index) => {
    const alike = all.filter(({ options }) => options.disturbances[0]?.kind === kind);
    // Only where a task with buy_once runs does one strike: at every request of these few scenes.
    if (kind === 'fire' && name.includes('buy_once')) return alike;
    return (scene + index) % 2 === 0 ? (alike[((scene + index) / 2) % alike.length] ?? []) : [];
  });
}

/** A part of them in the other ways. */
async function* scenes(): AsyncGenerator<Case> {
  for (const { way, always, every } of SINGLES.filter(({ way }) => way !== PLAIN)) {
    for (const { name } of SCENE_WORLDS) {
      for (const [index, single] of (await singlesIn(name, way)).entries()) {
        const [disturbance] = single.options.disturbances;
        const meant = disturbance !== undefined && always.includes(disturbance.kind);
        if (index % every === 0 || meant) yield single;
      }
    }
  }
}

/**
 * Every two of the paired kinds at every two requests of a scene's apply, from the last one of its reading on; and, where
 * the first ends the run, at the first request and the first writes of the next run.
 */
async function* pairs(kinds: readonly Kind[]): AsyncGenerator<Case> {
  for (const { way, one: named, every } of PAIRS) {
    for (const { name } of SCENE_WORLDS) {
      const world = await preparedWorld(name, way);
      const all = [...pairsOf(world, [...kinds, ...named])];
      const meant = all.filter((pair) => named.length === 0 || pair.some(({ kind }) => named.includes(kind)));
      for (const [index, pair] of meant.entries())
        if (index % every === 0) yield caseOf('pair', name, one(world.base, way, pair));
    }
  }
}

function* pairsOf(world: Prepared, kinds: readonly Kind[]): Generator<readonly Disturbance[]> {
  for (let at = world.applies - 1; at < world.requests.length; at += 1) {
    for (const kind of kinds) {
      for (const then of secondPlaces(kind, at, world)) {
        for (const other of kinds) {
          // Of two faults at one request only the first strikes.
          if (then === at && isFault(kind) && isFault(other)) continue;
          yield [
            { at, kind, pick: 0 },
            { at: then, kind: other, pick: 0 },
          ];
        }
      }
    }
  }
}

function secondPlaces(kind: Kind, at: number, world: Prepared): readonly number[] {
  const { requests, applies, reading } = world;
  if (!kind.startsWith('crash')) return range(at, requests.length + 1);
  // The next run reads, then writes.
  const writes = Math.min(4, requests.length - applies + 1);
  return [at, at + 1, ...range(at + reading, at + reading + writes)];
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

function one(base: Base, way: Way, disturbances: readonly Disturbance[]): CaseOptions {
  return { base, disturbances, seed: 1, concurrency: 1, way };
}

function caseOf(group: Group, name: string, options: CaseOptions): Case {
  return { group, world: `${name}${tellWay(options.way)}`, options };
}

/** Every two of these kinds at every two requests of every scene, the worlds and places in a random order; endless. */
export async function* allPairs(kinds: readonly Kind[], random: Dice): AsyncGenerator<Case> {
  for (;;) {
    const { name } = random.pick(SCENE_WORLDS);
    const way = random.pick([PLAIN, PLAIN, HOLD, SAVED, BOTH]);
    const { base, requests } = await preparedWorld(name, way);
    const draw = () => ({
      at: random.below(requests.length + 10),
      kind: random.pick(kinds),
      pick: random.below(8),
    });
    yield caseOf('pair', name, one(base, way, [draw(), draw()]));
  }
}

/** `swarm 7`, or a scene's name, a colon and disturbances as reports show them: `stop +hold:pause@8,crash-after@9/1`. */
export async function namedCase(name: string): Promise<Case> {
  const seed = /^swarm (\d+)/.exec(name)?.[1];
  if (seed !== undefined) return swarmOf(Number(seed));
  const [shown = '', list = ''] = name.split(':');
  const { world, way } = parseWay(shown);
  const disturbances = list
    .split(/[ ,]+/)
    .filter((text) => text !== '')
    .map(parseDisturbance);
  return caseOf('pair', world, one((await preparedWorld(world, way)).base, way, disturbances));
}

export function swarmOf(seed: number): Case {
  return caseOf('swarm', `swarm ${seed}`, swarmCase(seed));
}

export interface Budget {
  readonly pairedKinds: readonly Kind[];
  readonly swarmSeeds: readonly number[];
}

/** All cases of a budget but {@link singlesOf}, always in the same order. */
export async function* allCases({ pairedKinds, swarmSeeds }: Budget): AsyncGenerator<Case> {
  yield* references();
  yield* scenes();
  yield* pairs(pairedKinds);
  for (const seed of swarmSeeds) yield swarmOf(seed);
}
