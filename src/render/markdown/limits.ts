/**
 * The room of places that show Markdown, in UTF-8 bytes. A place that counts characters has at least as much room (HAZARDS 48,
 * DESIGN 1).
 */
const PLACES: Readonly<Record<string, number>> = {
  // GitHub documents 65,536 characters but counts in several ways. This many bytes always fit.
  'github-comment': 65_536,
  // GitHub drops a longer step summary completely.
  'step-summary': 1_048_576,
  'gitlab-note': 1_000_000,
};

export const PLACE_NAMES: readonly string[] = Object.keys(PLACES);

/** The value of `--max-bytes`: the name of a place or a number of bytes. Undefined for anything else. */
export function maxBytesOf(text: string): number | undefined {
  const place = Object.hasOwn(PLACES, text) ? PLACES[text] : undefined;
  if (place !== undefined) return place;
  const number = /^[1-9]\d{0,11}$/.test(text) ? Number(text) : undefined;
  return number;
}
