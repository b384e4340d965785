/** `npm run night` plays every case; `npm test` plays a sample of the long lists, so that it ends within minutes. */
export const FULL = process.env.TRADEFORM_TEST === 'full';

/**
 * Whether the case at this index is in a sample of one in `oneIn`. Chosen by a hash of the index: the order of cases repeats, and
 * every n-th case would always be of the same kind.
 */
export function isSampled(index: number, oneIn: number): boolean {
  let hash = Math.imul(index + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) % oneIn === 0;
}

/** Whether this case is played: all are, or in `npm test` a sample. Lists that are alike take other cases each by their `salt`. */
export function isPlayed(index: number, oneIn: number, salt = 0): boolean {
  return FULL || isSampled(index + 1_000 * salt, oneIn);
}

/** All cases, or in `npm test` a sample of them. */
export function sampled<Case>(cases: readonly Case[], oneIn: number, salt = 0): readonly Case[] {
  return cases.filter((_, index) => isPlayed(index, oneIn, salt));
}

/** The number of runs of a slow property: all of them, or in `npm test` an eighth. */
export function runs(all: number): number {
  return FULL ? all : Math.ceil(all / 8);
}
