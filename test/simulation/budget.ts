import { allCases, type Budget, PAIRED } from './cases.ts';
import { play } from './shrink.ts';
import { Tally } from './tally.ts';

/** What CI runs: all single disturbances, every pair of the reduced set, a part of both in other ways, and this many swarms. */
export const CI_BUDGET: Budget = {
  pairedKinds: PAIRED,
  swarmSeeds: Array.from({ length: 1_000 }, (_, index) => index + 1),
};

export const SHARDS = 2;

/** `npm test` plays every second case, so that it ends soon enough to be run; `npm run test:full` plays all of them. */
export const EVERY = process.env.TRADEFORM_TEST === 'full' ? 1 : 2;

/** Plays every case of one shard; cases are dealt out by turns, so that the shards take equally long. */
export async function playShard(
  budget: Budget,
  shard: number,
  options: { readonly every?: number } = {},
): Promise<Tally> {
  const tally = new Tally();
  const { every = 1 } = options;
  let dealt = 0;
  for await (const one of allCases(budget)) {
    dealt += 1;
    if (dealt % SHARDS !== shard || Math.floor(dealt / SHARDS) % every !== 0) continue;
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
