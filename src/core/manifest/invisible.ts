import type { Finding } from './source.ts';

/**
 * Characters that cannot be seen or that change how their neighbours are shown: control and format characters (bidi,
 * zero-width, soft hyphen, tags), line separators, halves of surrogate pairs, and letters without a glyph.
 */
const invisible = () =>
  /\p{Cc}|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u180e|\u180f/u;

/** Matches nearly every text. Compiling the classes above takes milliseconds. */
const PLAIN = /^[\x20-\x7e]*$/;

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

/** One broken line often breaks the following lines. More findings in one document help nobody. */
export const MAX_SYNTAX_FINDINGS = 5;

/**
 * Characters on which readers and people differ. Control characters, which YAML 1.2 forbids. Line separators and a carriage return
 * alone, which end a line, and with it a comment, for some readers only. A byte order mark within the text. Bidirectional
 * controls, which show a text in another order than it is read in.
 */
const UNREADABLE =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\r(?!\n)/g;

/** The text without such characters: what a manifest can hold of it. */
export function readable(text: string): string {
  return text.replace(UNREADABLE, '');
}

/** Reports such characters anywhere in a file: in values, keys and comments. True if there is one. */
export function findUnreadable(text: string, found: (finding: Finding) => void): boolean {
  let count = 0;
  for (const { 0: character, index } of text.matchAll(UNREADABLE)) {
    count += 1;
    if (count > MAX_SYNTAX_FINDINGS) break;
    const alone = character === '\r';
    found({
      code: 'control-character',
      message: alone
        ? 'a carriage return without a line feed'
        : `the ${kindOf(character)} ${codePointName(character)}`,
      hint: alone ? 'end lines with LF or CRLF' : 'remove it; readers and people differ on what it means',
      start: index,
      end: index + 1,
    });
  }
  return count > 0;
}

function kindOf(character: string): string {
  if (/[\x85\u2028\u2029]/.test(character)) return 'line separator';
  if (character === '\ufeff') return 'byte order mark';
  return /\p{Bidi_Control}/u.test(character) ? 'bidirectional character' : 'control character';
}
