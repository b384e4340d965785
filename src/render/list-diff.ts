import { diffArrays } from 'diff';

/** One line of a diff; `same` lines say only how many there are. */
export type ListLine =
  | { readonly sign: '+' | '-'; readonly text: string }
  | { readonly sign: 'same'; readonly count: number };

/** Past so many edits a line-by-line diff says less than the two texts; it is also what bounds the time. */
const MOST_EDITS = 400;
/** A net under the bound above: the diff is quadratic on unlike texts. */
const TIMEOUT_MS = 1_000;

/**
 * Removed and added lines, unchanged ones counted. Lists without an order of their own pass `unordered` and only lose and
 * gain members.
 */
export function listDiff(
  before: readonly string[],
  after: readonly string[],
  { unordered = false }: { unordered?: boolean } = {},
): ListLine[] {
  return unordered ? memberDiff(before, after) : orderedDiff(before, after);
}

function memberDiff(before: readonly string[], after: readonly string[]): ListLine[] {
  const was = new Set(before);
  const will = new Set(after);
  const removed = before.filter((item) => !will.has(item));
  const kept = before.length - removed.length;
  return [
    ...signed('-', removed),
    ...signed(
      '+',
      after.filter((item) => !was.has(item)),
    ),
    ...(kept === 0 ? [] : [{ sign: 'same', count: kept } as const]),
  ];
}

function orderedDiff(before: readonly string[], after: readonly string[]): ListLine[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: MOST_EDITS, timeout: TIMEOUT_MS });
  if (parts === undefined) return [...signed('-', before), ...signed('+', after)];
  return parts.flatMap((part): ListLine[] => {
    if (part.removed) return signed('-', part.value);
    if (part.added) return signed('+', part.value);
    return [{ sign: 'same', count: part.value.length }];
  });
}

function signed(sign: '+' | '-', texts: readonly string[]): ListLine[] {
  return texts.map((text) => ({ sign, text }));
}
