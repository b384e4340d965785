const MAX_LENGTH = 64;
/**
 * The maximum of candidates that are scanned, and of those that are compared. There can be thousands of names and as many
 * typing errors.
 */
const MAX_CANDIDATES = 5_000;
const MAX_COMPARED = 1_000;
const MAX_LISTED = 12;

/** A shorter beginning matches too many names. */
const MIN_BEGINNING = 3;

/**
 * The candidate nearest to the written name, if it is near enough for a typing error. Else the only candidate that begins with
 * the written name.
 */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  if (written.length > MAX_LENGTH) return undefined;
  const wanted = plain(written);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  let looks = MAX_CANDIDATES;
  let comparisons = MAX_COMPARED;
  const longer: string[] = [];
  for (const candidate of candidates) {
    looks -= 1;
    if (looks < 0 || comparisons < 0) break;
    if (candidate.length > 2 * MAX_LENGTH) continue;
    const name = plain(candidate);
    if (wanted.length >= MIN_BEGINNING && name.startsWith(wanted)) longer.push(candidate);
    if (Math.abs(wanted.length - name.length) >= least) continue;
    comparisons -= 1;
    const distance = name === wanted ? 0 : editDistance(wanted, name, least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best ?? (longer.length === 1 ? longer[0] : undefined);
}

export function didYouMean(written: string, candidates: Iterable<string>): string | undefined {
  const near = nearest(written, candidates);
  return near === undefined || near === written ? undefined : `did you mean ${near}?`;
}

/** A hint in sentences: what was probably meant, then the rest. */
export function guessFirst(near: string | undefined, rest: string): string {
  return near === undefined ? rest : `D${near.slice(1)} ${rest}`;
}

/** A hint that lists what is possible, behind what was probably meant. */
export function oneOfHint(possible: readonly string[], written?: string): string {
  const near = written === undefined ? undefined : didYouMean(written, possible);
  return `${near === undefined ? '' : `${near} `}one of ${possible.join(', ')}`;
}

/** True for two names of at least four letters that one typing error sets apart. Names that count, such as tip-1 and tip-2, are meant. */
export function isOneSlip(one: string, other: string): boolean {
  const count = /\d+/g;
  const counted = one.replace(count, '') === other.replace(count, '');
  return Math.max(one.length, other.length) > 3 && !counted && editDistance(one, other, 2) < 2;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[\s_-]/g, '');
}

/** Optimal string alignment. Gives up at `limit`. */
function editDistance(one: string, other: string, limit: number): number {
  const [a, b] = differing(one, other);
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      next.push(cost);
      if (cost < least) least = cost;
    }
    // A transposition refers to two rows above and costs one more than that entry.
    if (least > limit) return limit;
    before = row;
    row = next;
  }
  return row[b.length] ?? limit;
}

/** Two texts without their common prefix and suffix. */
function differing(a: string, b: string): readonly [string, string] {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

/** Names in order, at most a dozen, for a hint that lists the possible names. */
export function someOf(names: Iterable<string>): string {
  const sorted = [...new Set(names)].slice(0, MAX_COMPARED).sort();
  const shown = sorted.slice(0, MAX_LISTED).join(', ');
  return sorted.length > MAX_LISTED ? `${shown} and others` : shown;
}
