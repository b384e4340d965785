const MAX_LENGTH = 64;

/** The candidate nearest to what was written, when it is near enough to be a slip. */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  if (written.length > MAX_LENGTH) return undefined;
  const wanted = plain(written);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = plain(candidate) === wanted ? 0 : editDistance(wanted, plain(candidate), least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** `Did you mean …?`, or nothing. */
export function didYouMean(written: string, candidates: Iterable<string>): string | undefined {
  const near = nearest(written, candidates);
  return near === undefined || near === written ? undefined : `did you mean ${near}?`;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[\s_-]/g, '');
}

/** Optimal string alignment; gives up at `limit`. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[right.length] ?? limit;
}
