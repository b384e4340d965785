import { visible } from '../untrusted.ts';

/**
 * Text of others in Markdown (HAZARDS 48). Forges look for mentions, references, commits and emoji in what a reader sees,
 * after Markdown is done: neither a backslash nor `&#64;` keeps them away, a code span does. So what is not plainly a word
 * or an amount becomes code.
 */

const word = () => /^\p{L}[\p{L}\p{M}]*(?:['’-]\p{L}[\p{L}\p{M}]*)*$/u;
const AMOUNT = /^[+×-]?\d{1,6}(?:[.,]\d{1,6})?%?$/;
/** Dashes, arrows and the like, which nobody gives a meaning to. */
const SIGNS = /^(?:[–—→←×±·≥≤…]+|%)$/u;
/** `defaced` may be the beginning of a commit's hash, also beside a letter that is not ASCII; `KEY-word` a ticket. */
const HASH = /(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])/i;
const ticket = () => /^\p{Lu}{2,}-/u;
/** What is quoted in backticks, commands as a rule, with what stands around it; or a word. */
const TOKEN = /[("“‘]*`[^`]+`[)"”’.,;!?…]*:?(?= |$)|[^ ]+/gu;
const QUOTED = /^([("“‘]*)`([^`]+)`([)"”’.,;!?…]*:?)$/u;
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

/** Two words that are code with nothing but a space between them are one piece of code. */
function joins(last: Word, next: Word): boolean {
  return !last.quoted && !next.plain && !next.quoted && last.trail === '' && next.lead === '';
}

function wordOf(word: string, index: number): Word {
  const quoted = QUOTED.exec(word);
  if (quoted !== null) {
    const [, lead = '', core = '', trail = ''] = quoted;
    return { lead, core, trail, plain: false, quoted: true };
  }
  const [, lead = '', core = '', trail = ''] = PARTS.exec(word) ?? [];
  // Signs without a word between them; and `1.`, which begins a list.
  if (core === '' || (index === 0 && /^\d/.test(core) && /^[.)]/.test(trail))) {
    return { lead: '', core: word, trail: '', plain: SIGNS.test(word) };
  }
  // `f(x)` keeps what closes it.
  const closes = trail.startsWith(')') && core.includes('(') ? 1 : 0;
  const whole = core + trail.slice(0, closes);
  return { lead, core: whole, trail: trail.slice(closes), plain: isPlain(whole) };
}

function isPlain(core: string): boolean {
  if (SIGNS.test(core) || AMOUNT.test(core)) return true;
  return word().test(core) && !HASH.test(core) && !ticket().test(core);
}

/** A code span that its own content cannot leave; in tables a pipe would end the cell. */
export function markdownCode(text: string): string {
  const safe = visible(text).replaceAll('|', '\\u{7c}');
  const ticks = Math.max(0, ...[...safe.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(ticks + 1);
  // A space at both ends is taken away by whoever reads the span.
  const pad = safe === '' || /^`|`$|^ .* $/.test(safe) ? ' ' : '';
  return `${fence}${pad}${safe}${pad}${fence}`;
}

/** The same where Markdown is not read: within our own HTML. */
export function htmlCode(text: string): string {
  return `<code>${visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)}</code>`;
}

/** A fenced block whose fence is longer than any run of backticks inside. */
export function markdownFence(language: string, lines: readonly string[]): string[] {
  const ticks = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = '`'.repeat(ticks + 1);
  return [`${fence}${language}`, ...lines, fence];
}
