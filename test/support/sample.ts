/** `npm run test:full` plays every case; `npm test` plays a sample of the long lists, so that it ends within minutes. */
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

/** All cases, or in `npm test` a sample of them. */
export function sampled<Case>(cases: readonly Case[], oneIn: number): readonly Case[] {
  return FULL ? cases : cases.filter((_, index) => isSampled(index, oneIn));
}

/** The number of runs of a slow property: all of them, or in `npm test` a third. */
export function runs(all: number): number {
  return FULL ? all : Math.ceil(all / 3);
}
