import { FULL, isSampled } from '../support/sample.ts';
import { allCases, type Budget, PAIRED } from './cases.ts';
import { play } from './shrink.ts';
import { Tally } from './tally.ts';

/** What CI runs: all single disturbances, every pair of the reduced set, a part of both in other ways, and this many swarms. */
export const CI_BUDGET: Budget = {
  pairedKinds: PAIRED,
  swarmSeeds: Array.from({ length: 1_000 }, (_, index) => index + 1),
};

export const SHARDS = 2;

/** `npm test` plays one case in so many; `npm run test:full` plays all of them. */
export const ONE_IN = FULL ? 1 : 15;
/** At least so many cases are in the sample of a shard. */
export const FEWEST = Math.floor(9_000 / ONE_IN);

/** Plays one case in `oneIn` of one shard; cases are dealt out by turns, so that the shards take equally long. */
export async function playShard(budget: Budget, shard: number, oneIn: number): Promise<Tally> {
  const tally = new Tally();
  let dealt = 0;
  for await (const one of allCases(budget)) {
    dealt += 1;
    if (dealt % SHARDS !== shard || !isSampled(Math.floor(dealt / SHARDS), oneIn)) continue;
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
