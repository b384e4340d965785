/** Room where Markdown is shown, in UTF-8 bytes; what counts characters has at least as much room (HAZARDS 48, DESIGN 1). */
const PLACES: Readonly<Record<string, number>> = {
  // GitHub speaks of 65,536 characters and counts in more than one way: so many bytes are never too many.
  'github-comment': 65_536,
  // A longer step summary is dropped whole.
  'step-summary': 1_048_576,
  'gitlab-note': 1_000_000,
};

export const PLACE_NAMES: readonly string[] = Object.keys(PLACES);

/** What `--max-bytes` says: a place's name or a number of bytes; undefined where it is neither. */
export function maxBytesOf(text: string): number | undefined {
  const place = Object.hasOwn(PLACES, text) ? PLACES[text] : undefined;
  if (place !== undefined) return place;
  const number = /^[1-9]\d{0,11}$/.test(text) ? Number(text) : undefined;
  return number;
}
