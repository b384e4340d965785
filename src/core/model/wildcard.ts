/**
 * True if the pattern matches the whole text: `*` stands for any text, and `one`, if given, for one character. Only the
 * last `*` is ever tried again, so the time is at most the product of the two lengths.
 */
export function matchesWildcard(pattern: string, text: string, one?: string): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let resume = 0;
  while (from < text.length) {
    const sign = pattern[at];
    if (sign === '*') {
      star = at;
      resume = from;
      at += 1;
    } else if (sign !== undefined && sign === one) {
      at += 1;
      from += widthAt(text, from);
    } else if (sign === text[from]) {
      at += 1;
      from += 1;
    } else if (star < 0) {
      return false;
    } else {
      at = star + 1;
      resume += widthAt(text, resume);
      from = resume;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** A character beyond U+FFFF is two units. */
function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
