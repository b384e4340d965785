import { FULL, isSampled, sampled } from '../support/sample.ts';
import { PLAIN } from './case.ts';
import { allCases, type Budget, type Case, PAIRED } from './cases.ts';
import type { Kind } from './kinds.ts';
import { play } from './shrink.ts';
import { Tally } from './tally.ts';

const SWARMS = Array.from({ length: 1_000 }, (_, index) => index + 1);

/**
 * All single disturbances, every pair of the reduced set, a part of both in other ways, and swarms; of these `npm test` takes a
 * sample, and of the others what {@link oneIn} says.
 */
export const CI_BUDGET: Budget = { pairedKinds: PAIRED, swarmSeeds: sampled(SWARMS, 32) };

/** `npm run night` plays all cases, in two files side by side; the sample of `npm test` is one. */
export const SHARDS = FULL ? 2 : 1;

/** At least so many cases are in a shard. */
export const FEWEST = FULL ? 9_000 : 500;

/** At most requests they find nothing to strike: a sample like that of the others would not show them. One case in so many. */
const SELDOM: Readonly<Partial<Record<Kind, number>>> = { stale: 5, resume: 13, fire: 5 };

/** One case in so many is played: fewer of the reference, which takes five times as long as a scene, and of the many pairs. */
export function oneIn({ group, options: { way, disturbances } }: Case): number {
  if (FULL || group === 'swarm') return 1;
  if (group === 'pair') return way === PLAIN ? 97 : 31;
  const seldom = disturbances.flatMap(({ kind }) => SELDOM[kind] ?? []);
  if (seldom.length > 0) return Math.min(...seldom);
  if (group === 'scene') return 31;
  return way === PLAIN ? 83 : 61;
}

/** Plays a sample of one shard; cases are dealt out by turns, so that the shards take equally long. */
export async function playShard(budget: Budget, shard: number, rarity = oneIn): Promise<Tally> {
  const tally = new Tally();
  let dealt = 0;
  for await (const one of allCases(budget)) {
    dealt += 1;
    if (dealt % SHARDS !== shard || !isSampled(Math.floor(dealt / SHARDS), rarity(one))) continue;
    tally.add(one, await play(one.options));
  }
  return tally;
}

/** One line for each of the first failures: enough to replay them. */
export function told({ failures }: Tally): string {
  return failures
    .slice(0, 10)
    .map(({ world, disturbances, invariant, text }) => `${world}: ${disturbances}\n  ${invariant}: ${text}`)
    .join('\n');
}
