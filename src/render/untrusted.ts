/**
 * Text from the service or from manifests may carry terminal escapes, carriage returns, bidirectional marks and
 * invisible characters (HAZARDS 48). Everything that reaches a reader goes through here first.
 */

/**
 * Control, format (bidi, zero-width, soft hyphen, tags), private-use and separator characters, lone surrogates, and
 * everything else that draws nothing. The variation selector that asks for an emoji's colours is left where it follows one.
 */
const hidden = () =>
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Nearly every text. V8 takes a while for classes of Unicode, and does so where a literal is reached: those stand in functions. */
const PLAIN = /^[\x20-\x7e]*$/;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
/** Spaces that look like a plain one. */
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;
/** More marks upon one letter than any script needs would draw over other lines. */
const stackedMarks = () => /(\p{M}{4})\p{M}+/gu;

/** A whole API token. Quotes, backslashes and controls end it: what is masked may be JSON, or be painted. */
const TOKEN = /(svc_live_[0-9a-f]{8}\.)([^\s"'`\\\x00-\x1f\x7f]+)/gi;

/** The text without the secret parts of API tokens: somebody may have written one where a name belongs. */
export function maskTokens(text: string): string {
  return text.includes('_') ? text.replace(TOKEN, '$1…') : text;
}

/** The same with as many characters as before, so that columns stay where they are. */
export function starTokens(text: string): string {
  return text.replace(TOKEN, (_token, prefix: string, secret: string) => prefix + '*'.repeat(secret.length));
}

/** The text with every invisible or active character written by `write`, line breaks too. */
export function writeHidden(text: string, write: (character: string) => string): string {
  return text.replace(hidden(), write).replace(ODD_SPACE, write);
}

/**
 * What runners of workflows take for a command in the log of a step: `::add-mask::` where a line begins, which lines that are
 * wrapped can do anywhere, `##[…]` and `##vso[…]` anywhere. A text that ends in `##` may get an index: `config.##[1]`.
 */
const command = () => /::(?=\p{L})|##(?=\[|vso\[|$)/giu;

/** The text with everything invisible or active written out: `\n`, `\x1b`, `\u{202e}`. One line, safe for a terminal. */
export function visible(text: string): string {
  const masked = maskTokens(text);
  const shown = PLAIN.test(masked)
    ? masked
    : writeHidden(masked, (character) => SHORT[character] ?? escaped(character)).replace(
        stackedMarks(),
        (run, kept: string) => `${kept}\\u{${run.length - kept.length} marks}`,
      );
  if (!shown.includes('::') && !shown.includes('##')) return shown;
  return shown.replace(command(), ([first = '']) => `${first}${escaped(first)}`);
}

/** A line of ours with text of others in it, in which composing made a runner's command. Escape sequences stay. */
export function inert(line: string): string {
  if (!line.includes('::') && !line.includes('##')) return line;
  return line.replace(command(), ([first = '']) => `${first}${escaped(first)}`);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
