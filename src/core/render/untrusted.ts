import { maskKeys, starKeys } from '../model/private-key.ts';

/**
 * Text from the service or from manifests may contain terminal escapes, carriage returns, bidirectional marks and invisible
 * characters (HAZARDS 48). All text for readers passes through here first.
 */

/**
 * Control, format (bidi, zero-width, soft hyphen, tags), private-use and separator characters, lone surrogates, and all other
 * characters without a glyph. The variation selector for coloured emoji is kept after an emoji.
 */
const hidden = () =>
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/**
 * Matches nearly every text. V8 compiles Unicode classes slowly, at the moment when it reaches the literal, so those literals
 * are inside functions.
 */
const PLAIN = /^[\x20-\x7e]*$/;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
/** Spaces that look like a plain space. */
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;
/** More marks on one letter than any script needs would draw over other lines. */
const stackedMarks = () => /(\p{M}{4})\p{M}+/gu;

/** A whole API token. Quotes, backslashes and control characters end it, because the masked text may be JSON or coloured. */
const TOKEN = /(svc_live_[0-9a-f]{8}\.)([^\s"'`\\\x00-\x1f\x7f]+)/gi;

/** The text without private keys and the secret parts of API tokens. Somebody may have written one in place of a name. */
export function maskTokens(text: string): string {
  return maskKeys(text.includes('_') ? text.replace(TOKEN, '$1…') : text);
}

/** The same with the number of characters unchanged, so that columns stay aligned. */
export function starTokens(text: string): string {
  return starKeys(
    text.replace(TOKEN, (_token, prefix: string, secret: string) => prefix + '*'.repeat(secret.length)),
  );
}

/** The text with every invisible or active character, including line breaks, replaced by the result of `write`. */
export function writeHidden(text: string, write: (character: string) => string): string {
  return text.replace(hidden(), write).replace(ODD_SPACE, write);
}

/**
 * What runners of workflows read as a command in the log of a step: `::add-mask::` at the start of a line (wrapping can put any
 * text there), `##[…]` and `##vso[…]` anywhere. A text that ends in `##` may get an index: `config.##[1]`.
 */
const command = () => /::(?=\p{L})|##(?=\[|vso\[|$)/giu;

/** The text with everything invisible or active escaped: `\n`, `\x1b`, `\u{202e}`. It is one line and safe for a terminal. */
export function visible(text: string): string {
  const masked = maskTokens(text);
  const shown = PLAIN.test(masked)
    ? masked
    : writeHidden(masked, (character) => SHORT[character] ?? escaped(character)).replace(
        stackedMarks(),
        (run, kept: string) => `${kept}\\u{${run.length - kept.length} marks}`,
      );
  return inert(shown);
}

/**
 * A line of tradeform with text of others in it, in which joining the texts formed a runner's command. Escape sequences are kept.
 */
export function inert(line: string): string {
  if (!line.includes('::') && !line.includes('##')) return line;
  return line.replace(command(), ([first = '']) => `${first}${escaped(first)}`);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
