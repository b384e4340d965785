import type { Source } from '../../manifest/source.ts';

/** Characters of all the texts. */
export function lengthOf(sources: readonly Source[]): number {
  return sources.reduce((sum, { text }) => sum + text.length, 0);
}
