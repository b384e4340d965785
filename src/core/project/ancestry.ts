export type Ancestry = ReturnType<typeof ancestryOf>;

/**
 * The parents of the commits up to a head. `numbers`: how many commits there are up to each of the first-parent line. `listing`: each
 * commit with its parents.
 */
export function ancestryOf(listing: string, head: string) {
  const lines = listing.trim().split('\n');
  const parents = new Map(lines.map((line) => [line.split(' ')[0] ?? '', line.split(' ').slice(1)]));
  /** Adds a commit and all that it contains. */
  const add = (commit: string, contained: Set<string>) => {
    const ahead = [commit];
    for (let one = ahead.pop(); one !== undefined; one = ahead.pop()) {
      if (contained.has(one)) continue;
      contained.add(one);
      ahead.push(...(parents.get(one) ?? []));
    }
    return contained;
  };
  const line: string[] = [];
  for (let at: string | undefined = head; at !== undefined; at = parents.get(at)?.[0]) line.push(at);
  const seen = new Set<string>();
  const numbers = new Map(line.reverse().map((commit) => [commit, add(commit, seen).size]));
  return {
    ...{ parents, numbers },
    /** The number of the newest commit of the line that a commit contains; 0 for none. Undefined if it is not among these. */
    newestIn(commit: string): number | undefined {
      if (!parents.has(commit)) return undefined;
      const contained = add(commit, new Set());
      return numbers.get(line.findLast((one) => contained.has(one)) ?? '') ?? 0;
    },
  };
}
