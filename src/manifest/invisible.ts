/**
 * Characters that cannot be seen or that change how their neighbours are shown: control and format characters (bidi,
 * zero-width, soft hyphen, tags), line separators, halves of surrogate pairs, and letters without a glyph.
 */
const invisible = () =>
  /\p{Cc}|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u180e|\u180f/u;

/** Matches nearly every text. Compiling the classes above takes milliseconds. */
const PLAIN = /^[\x20-\x7e]*$/;

/** The first invisible character of a text. */
export function firstInvisible(
  text: string,
): { readonly index: number; readonly character: string } | undefined {
  if (PLAIN.test(text)) return undefined;
  const match = invisible().exec(text);
  return match === null ? undefined : { index: match.index, character: match[0] };
}

/** `U+200B`. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
