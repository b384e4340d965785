import { commentsIn } from '../../manifest/comments.ts';

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Replacements in a YAML text. Comments in removed parts are kept as lines above. */
export class Splices {
  readonly #text: string;
  readonly #splices: Splice[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  replace(start: number, end: number, text: string): void {
    this.#keepComments(start, end);
    this.#splices.push({ start, end, text });
  }

  insert(at: number, text: string): void {
    this.#splices.push({ start: at, end: at, text });
  }

  /** After the line of `at`. `lines` end with a line break. */
  insertLine(at: number, lines: string): void {
    const end = this.#text.indexOf('\n', this.#withoutBreaks(at));
    if (end >= 0) this.insert(end + 1, lines);
    else this.insert(this.#text.length, `\n${lines.replace(/\n$/, '')}`);
  }

  /** Removes the lines from that of `start` to that of `end`. */
  removeLines(start: number, end: number): void {
    const from = this.#lineStart(start);
    const lineEnd = this.#text.indexOf('\n', this.#withoutBreaks(end));
    const to = lineEnd < 0 ? this.#text.length : lineEnd + 1;
    this.#keepComments(from, to);
    this.#splices.push({ start: from, end: to, text: '' });
  }

  result(): string {
    const ordered = this.#splices.map((splice, index) => ({ ...splice, index }));
    ordered.sort((a, b) => a.start - b.start || a.end - b.end || a.index - b.index);
    let result = '';
    let at = 0;
    for (const { start, end, text } of ordered) {
      if (start < at) throw new Error('two changes of the same place');
      result += this.#text.slice(at, start) + (this.#text.includes('\r\n') ? crlf(text) : text);
      at = end;
    }
    return result + this.#text.slice(at);
  }

  /** The number of replacements so far. `back` discards the later ones. */
  get count(): number {
    return this.#splices.length;
  }

  back(count: number): void {
    this.#splices.length = count;
  }

  /** A text block ends after its last line break. */
  #withoutBreaks(at: number): number {
    let end = at;
    while (end > 0 && /[\r\n]/.test(this.#text[end - 1] ?? '')) end -= 1;
    return end;
  }

  #keepComments(start: number, end: number): void {
    const comments = commentsIn(this.#text.slice(start, end));
    if (comments.length === 0) return;
    const line = this.#lineStart(start);
    const indent = /^ */.exec(this.#text.slice(line))?.[0] ?? '';
    this.insert(line, comments.map((comment) => `${indent}${comment}\n`).join(''));
  }

  #lineStart(offset: number): number {
    return this.#text.lastIndexOf('\n', offset - 1) + 1;
  }
}

function crlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
