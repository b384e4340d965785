import type { Field } from '../../model/generated/plan.ts';
import { visible } from '../untrusted.ts';

/**
 * Text of others in Markdown (HAZARDS 48). Forges search the displayed text for mentions, references, commits and emoji after
 * they have processed Markdown. Neither a backslash nor `&#64;` prevents that, but a code span does. So everything that is not
 * clearly a word or an amount becomes code.
 */

const word = () => /^\p{L}[\p{L}\p{M}]*(?:['’-]\p{L}[\p{L}\p{M}]*)*$/u;
const AMOUNT = /^[+×-]?\d{1,6}(?:[.,]\d{1,6})?%?$/;
/** Dashes, arrows and similar signs without a special meaning. */
const SIGNS = /^(?:[–—→←×±·≥≤…]+|%)$/u;
/** `defaced` may be the beginning of a commit hash, also beside a non-ASCII letter. `KEY-word` may be a ticket. */
const HASH = /(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])/i;
const ticket = () => /^\p{Lu}{2,}-/u;
/** Text in backticks (usually a command) with the punctuation around it, or a word. */
const TOKEN = /[("“‘]*`[^`]+`[)"”’.,;!?…]*:?(?= |$)|[^ ]+/gu;
const QUOTED = /^([("“‘]*)`([^`]+)`([)"”’.,;!?…]*:?)$/u;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PARTS = /^([("“‘]*)(.*?)([)"”’.,;!?…]*:?)$/u;

interface Word {
  readonly lead: string;
  readonly core: string;
  readonly trail: string;
  readonly plain: boolean;
  readonly quoted?: true;
}

/** Text of others as Markdown in which nothing is a link, an image, a mention, a reference, HTML or a command. One line. */
export function markdownText(text: string): string {
  const words = (visible(text).match(TOKEN) ?? []).map(wordOf);
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const first = words[at];
    if (first === undefined) break;
    if (first.plain) {
      pieces.push(first.lead + first.core + first.trail);
      continue;
    }
    let last = first;
    const run = [first.core];
    for (let next = words[at + 1]; next !== undefined && joins(last, next); next = words[at + 1]) {
      run.push(next.core);
      last = next;
      at += 1;
    }
    pieces.push(first.lead + markdownCode(run.join(' ')) + last.trail);
  }
  return pieces.join(' ');
}

/** True for two words of code with only a space between them, which become one code span. An id keeps its own. */
function joins(last: Word, next: Word): boolean {
  if (UUID.test(last.core) || UUID.test(next.core)) return false;
  return !last.quoted && !next.plain && !next.quoted && last.trail === '' && next.lead === '';
}

function wordOf(word: string, index: number): Word {
  const quoted = QUOTED.exec(word);
  if (quoted !== null) {
    const [, lead = '', core = '', trail = ''] = quoted;
    return { lead, core, trail, plain: false, quoted: true };
  }
  const [, lead = '', core = '', trail = ''] = PARTS.exec(word) ?? [];
  // Signs without a word between them, and `1.`, which would begin a list.
  if (core === '' || (index === 0 && /^\d/.test(core) && /^[.)]/.test(trail)))
    return { lead: '', core: word, trail: '', plain: SIGNS.test(word) };
  // `f(x)` keeps its closing parenthesis.
  const closes = trail.startsWith(')') && core.includes('(') ? 1 : 0;
  const whole = core + trail.slice(0, closes);
  return { lead, core: whole, trail: trail.slice(closes), plain: isPlain(whole) };
}

function isPlain(core: string): boolean {
  if (SIGNS.test(core) || AMOUNT.test(core)) return true;
  return word().test(core) && !HASH.test(core) && !ticket().test(core);
}

/** A code span that its content cannot leave. In a table, a pipe would end the cell. */
export function markdownCode(text: string): string {
  const safe = visible(text).replaceAll('|', '\\u{7c}');
  const ticks = Math.max(0, ...[...safe.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(ticks + 1);
  // Readers remove a space at both ends of a code span.
  const pad = safe === '' || /^`|`$|^ .* $/.test(safe) ? ' ' : '';
  return `${fence}${pad}${safe}${pad}${fence}`;
}

/** The same where Markdown is not parsed: within tradeform's own HTML. */
export function htmlCode(text: string): string {
  return `<code>${visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)}</code>`;
}

/** A fenced block whose fence is longer than any run of backticks in it. */
export function markdownFence(language: string, lines: readonly string[]): string[] {
  const ticks = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = '`'.repeat(ticks + 1);
  return [`${fence}${language}`, ...lines, fence];
}

export function codes(names: readonly string[]): string {
  return names.map(markdownCode).join(', ');
}

/**
 * A piece of code as a link to a line of a file below `files`, a URL of ours that ends in a slash. A name in which something
 * cannot be seen gets no link: it would lead elsewhere than it says.
 */
export function linkTo(code: string, place: Field['origin'], files: string | undefined): string {
  const { file = '' } = place ?? {};
  if (files === undefined || place === undefined || file === '' || visible(file) !== file) return code;
  const path = file.split('/').map(percentEncoded).join('/');
  return `[${code}](${files}${path}#L${place.line})`;
}

/** Text of others as a part of a URL or of our own HTML comment: no sign in it means anything there. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(visible(text)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
