import { styleText } from 'node:util';

/** Plain text in columns. Widths are in terminal cells, so the text must not contain escape sequences: paint after layout. */

/** Matches nearly every text. */
const ASCII = /^[\x00-\x7f]*$/;

export function cells(text: string): number {
  if (ASCII.test(text)) return text.length;
  const mark = /\p{M}/u;
  // Letters that take two cells (East Asian wide and full width, emoji): an approximation that is never too small.
  const wide =
    /[\u1100-\u115e\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Extended_Pictographic}/u;
  let width = 0;
  for (const character of text)
    width += mark.test(character) ? 0 : wide.test(character) && character > '\u00ff' ? 2 : 1;
  return width;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - cells(text)));
}

/** Cuts to `width` cells, with an ellipsis for the rest. */
export function clip(text: string, width: number): string {
  if (cells(text) <= width) return text;
  return `${take(text, Math.max(0, width - 1))}…`;
}

const LEAST = 8;

/**
 * Lines of at most `width` cells, the first of at most `firstWidth`. They are broken at spaces, or within a word that is longer
 * than `whole`.
 */
export function wrap(text: string, width: number, firstWidth = width, whole = width): string[] {
  const lines: string[] = [];
  let line = '';
  let room = Math.max(LEAST, firstWidth);
  // The usual case. A leading space is removed below.
  if (!text.startsWith(' ') && cells(text) <= room) return [text];
  const push = (full: string) => {
    lines.push(full);
    room = Math.max(LEAST, width);
  };
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (cells(longer) <= room) {
      line = longer;
      continue;
    }
    // If only the first line is too short for a word, it stays empty instead of breaking the word.
    if (line !== '' || (lines.length === 0 && cells(word) <= whole && cells(word) > room)) push(line);
    line = word;
    if (cells(word) <= whole) continue;
    for (let head = take(line, room); head.length < line.length; head = take(line, room)) {
      push(head);
      line = line.slice(head.length);
    }
  }
  lines.push(line);
  return lines;
}

/**
 * `first` before the first line, and as many spaces before the other lines. The indent is at most `share` of the width, so that
 * room is left, and less before a word that needs the room: a digest is copied.
 */
export function hang(first: string, text: string, width: number, share = 1 / 3): string[] {
  const head = cells(first);
  const indent = Math.min(head, Math.max(8, Math.floor(width * share)));
  const [line = '', ...rest] = wrap(text, width - indent, width - head, width);
  return [
    first + line,
    ...rest.map((more) => ' '.repeat(Math.max(0, Math.min(indent, width - cells(more)))) + more),
  ];
}

/** Sentences for a terminal: lines of at most `width` cells, each with its line break. */
export function paragraph(text: string, width: number): string {
  return wrap(text, width)
    .map((line) => `${line}\n`)
    .join('');
}

function take(text: string, width: number): string {
  if (cells(text) <= width) return text;
  let taken = '';
  let used = 0;
  for (const character of text) {
    used += cells(character);
    if (used > width && taken !== '') break;
    taken += character;
  }
  return taken;
}

/** The role of a piece of text. Its looks are defined in one place. */
export type Tone =
  | 'title'
  | 'add'
  | 'change'
  | 'remove'
  | 'start'
  | 'stop'
  | 'warn'
  | 'error'
  | 'dim'
  | 'strong';

export type Paint = (tone: Tone, text: string) => string;

const LOOKS = {
  title: 'bold',
  strong: 'bold',
  add: 'green',
  change: 'yellow',
  remove: 'red',
  start: ['bold', 'green'],
  stop: ['bold', 'red'],
  warn: 'yellow',
  error: 'red',
  dim: 'dim',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0] | readonly string[]>;

/** Whether to use colour was decided before, so Node's own detection is turned off. */
export function painter(color: boolean): Paint {
  if (!color) return (_tone, text) => text;
  return (tone, text) => {
    const look = LOOKS[tone];
    return text === ''
      ? text
      : styleText(typeof look === 'string' ? look : [...look], text, { validateStream: false });
  };
}
