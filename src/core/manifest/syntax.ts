import type { Source } from './source.ts';

/** Offsets in UTF-16 units. */
interface Placed {
  readonly start: number;
  /** The offset after the node's own text. A mapping or list without brackets ends with its last item. */
  end: number;
}

export interface ScalarNode extends Placed {
  readonly type: 'scalar';
  readonly value: string | number | boolean | null;
  /** The source text of a plain scalar, letter by letter. A number keeps its digits here. */
  readonly written: string;
}

export interface MappingNode extends Placed {
  readonly type: 'mapping';
  readonly flow: boolean;
  readonly pairs: readonly Pair[];
}

/** Null for a missing value. */
export interface Pair {
  readonly key: SyntaxNode | null;
  readonly value: SyntaxNode | null;
}

export interface ListNode extends Placed {
  readonly type: 'list';
  readonly items: readonly (SyntaxNode | null)[];
}

export interface AliasNode extends Placed {
  readonly type: 'alias';
  readonly name: string;
  /** The last earlier node with that anchor, possibly an enclosing one. */
  readonly anchored: SyntaxNode | undefined;
}

/** A document as it is written, from either parser (composed.ts, and quickDocuments below). */
export type SyntaxNode = ScalarNode | MappingNode | ListNode | AliasNode;

/** The end of a mapping without braces. An empty value has no text. */
export function endOfPairs(pairs: readonly Pair[], start: number): number {
  const { key, value } = pairs.at(-1) ?? { key: null, value: null };
  return value !== null && value.end > value.start ? value.end : (key?.end ?? start);
}

/** The end of a list without brackets. */
export function endOfItems(items: readonly (SyntaxNode | null)[], start: number): number {
  return items.at(-1)?.end ?? start;
}

/**
 * Text with these characters goes directly to the `yaml` package: characters that YAML forbids everywhere or in some places,
 * and unusual line ends.
 */
const UNUSUAL =
  /[\0-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\r(?!\n)/;
/** Possible first characters of plain scalars: no YAML sign, and none that could become one. */
const BEGINS_PLAIN = /[\w$/.(+^;<=]/;
const IN_KEY = /[\w$./-]/;
/** A plain scalar that is not text in YAML 1.2, in any spelling. */
const NO_TEXT =
  /^(?:~|null|true|false|[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-f]+|[-+]?\.inf|\.nan)$/i;
/** The usual spelling of numbers. */
const DECIMAL = /^(?:0|-?[1-9][0-9]*|-?[0-9]+\.[0-9]+)$/;
/** Far below the limit of the `yaml` package. */
const MAX_KEY = 256;
const MAX_DEPTH = 32;
const MARKER = '---';

const [LINE_FEED, RETURN, SPACE] = [10, 13, 32];
const [QUOTE, HASH, APOSTROPHE, COMMA, HYPHEN, NINE, COLON] = [34, 35, 39, 44, 45, 57, 58];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_BRACE, CLOSE_BRACE] = [91, 92, 93, 123, 125];
const ASCII = 128;
const BEGINNINGS = Array.from({ length: ASCII }, (_, code) => BEGINS_PLAIN.test(String.fromCharCode(code)));
const KEY_CODES = Array.from({ length: ASCII }, (_, code) => IN_KEY.test(String.fromCharCode(code)));

/**
 * The non-empty documents of a text, equal to the result of `composeDocuments`, for texts with the usual content of manifests:
 * block mappings and lists, scalars and brackets that end on their line, comments. Undefined for every other text, and for
 * every text with an error.
 */
export function quickDocuments({
  text,
  measure,
}: Pick<Source, 'text' | 'measure'>): readonly MappingNode[] | undefined {
  if (measure.printable !== true && UNUSUAL.test(text)) return undefined;
  try {
    return new Reader(text).documents();
  } catch (error) {
    if (error instanceof Unusual) return undefined;
    throw error;
  }
}

/** Thrown for text that only the `yaml` package can read. */
class Unusual extends Error {}

/** Is always at a character. Between lines, at the first character of the next line with content. */
class Reader {
  #at = 0;
  /** The indentation of the line. -1 at the end of a document, which is a marker or the end of the text. */
  #column = 0;
  #depth = 0;

  constructor(private readonly text: string) {}

  documents(): readonly MappingNode[] {
    const roots: MappingNode[] = [];
    this.#nextLine();
    while (this.#at < this.text.length) {
      if (this.#column < 0) {
        this.#at += MARKER.length;
        this.#restOfLine();
        continue;
      }
      if (this.#column > 0) throw new Unusual();
      roots.push(this.#mapping(0));
      if (this.#column >= 0) throw new Unusual();
    }
    return roots;
  }

  #mapping(column: number): MappingNode {
    const start = this.#at;
    const pairs: Pair[] = [];
    this.#enter();
    do {
      const key = this.#key();
      if (key === undefined) throw new Unusual();
      pairs.push({ key, value: this.#valueOf(column) });
    } while (this.#column === column);
    if (this.#column > column) throw new Unusual();
    this.#depth -= 1;
    return { type: 'mapping', flow: false, pairs, start, end: endOfPairs(pairs, start) };
  }

  /** The value after the colon of a key in this column, or below the key. */
  #valueOf(column: number): SyntaxNode | null {
    this.#skipSpaces();
    if (!this.#endsLine()) return this.#inline();
    this.#restOfLine();
    if (this.#isItem() && this.#column >= column) return this.#list(this.#column);
    return this.#column > column ? this.#mapping(this.#column) : null;
  }

  #list(column: number): ListNode {
    const start = this.#at;
    const items: SyntaxNode[] = [];
    this.#enter();
    do {
      const dash = this.#at;
      this.#at += 1;
      this.#skipSpaces();
      const within = column + this.#at - dash;
      const from = this.#at;
      const isMapping = this.#key() !== undefined;
      this.#at = from;
      items.push(isMapping ? this.#mapping(within) : this.#inline());
    } while (this.#column === column && this.#isItem());
    if (this.#column > column) throw new Unusual();
    this.#depth -= 1;
    return { type: 'list', items, start, end: endOfItems(items, start + 1) };
  }

  /** A value that ends on its line, and the rest of that line. */
  #inline(): SyntaxNode {
    const value = this.#value(false);
    this.#restOfLine();
    return value;
  }

  #value(flow: boolean): SyntaxNode {
    switch (this.text.charCodeAt(this.#at)) {
      case OPEN_BRACE:
        return this.#flowMapping();
      case OPEN_LIST:
        return this.#flowList();
      case QUOTE:
      case APOSTROPHE:
        return this.#quoted();
      default:
        return this.#plain(flow);
    }
  }

  #flowMapping(): MappingNode {
    const start = this.#at;
    const pairs: Pair[] = [];
    this.#items(CLOSE_BRACE, () => {
      const key = this.#key();
      if (key === undefined) throw new Unusual();
      this.#skipSpaces();
      pairs.push({ key, value: this.#value(true) });
    });
    return { type: 'mapping', flow: true, pairs, start, end: this.#at };
  }

  #flowList(): ListNode {
    const start = this.#at;
    const items: SyntaxNode[] = [];
    this.#items(CLOSE_LIST, () => {
      items.push(this.#value(true));
    });
    return { type: 'list', items, start, end: this.#at };
  }

  /** From an opening bracket to the position after its `closing` one. */
  #items(closing: number, item: () => void): void {
    this.#enter();
    this.#at += 1;
    this.#skipSpaces();
    let next = this.text.charCodeAt(this.#at);
    while (next !== closing) {
      item();
      this.#skipSpaces();
      next = this.text.charCodeAt(this.#at);
      if (next === closing) break;
      if (next !== COMMA) throw new Unusual();
      this.#at += 1;
      this.#skipSpaces();
    }
    this.#at += 1;
    this.#depth -= 1;
  }

  /** Moves past the colon. Undefined if there is no usual key. */
  #key(): ScalarNode | undefined {
    const start = this.#at;
    let end = start;
    while (KEY_CODES[this.text.charCodeAt(end)] === true) end += 1;
    if (end === start || end - start > MAX_KEY || this.text.charCodeAt(end) !== COLON) return undefined;
    const after = this.text.charCodeAt(end + 1);
    if (after !== SPACE && after !== LINE_FEED && after !== RETURN && end + 1 < this.text.length)
      return undefined;
    const first = this.text.charCodeAt(start);
    const written = this.text.slice(start, end);
    if (first === HYPHEN) throw new Unusual();
    this.#at = end + 1;
    return { type: 'scalar', value: plainValue(written, first), written, start, end };
  }

  #quoted(): ScalarNode {
    const start = this.#at;
    const quote = this.text.charCodeAt(start);
    let at = start + 1;
    for (let code = this.text.charCodeAt(at); code !== quote; code = this.text.charCodeAt(at)) {
      if (code === LINE_FEED || code === RETURN || at >= this.text.length) throw new Unusual();
      if (code === BACKSLASH && quote === QUOTE) throw new Unusual();
      at += 1;
    }
    this.#at = at + 1;
    const written = this.text.slice(start + 1, at);
    return { type: 'scalar', value: written, written, start, end: at + 1 };
  }

  #plain(flow: boolean): ScalarNode {
    const text = this.text;
    const start = this.#at;
    const first = text.charCodeAt(start);
    // Only a negative number begins with a hyphen here.
    const begins =
      first === HYPHEN ? isDigit(text.charCodeAt(start + 1)) : first >= ASCII || BEGINNINGS[first] === true;
    if (!begins) throw new Unusual();
    let end = start;
    for (let at = start; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED || code === RETURN) break;
      if (code === SPACE) continue;
      // The rest of the line is a comment.
      if (code === HASH && end < at) break;
      if (flow) {
        if (code === COMMA || code === CLOSE_LIST || code === CLOSE_BRACE) break;
        if (
          code === COLON ||
          code === OPEN_LIST ||
          code === OPEN_BRACE ||
          code === QUOTE ||
          code === APOSTROPHE
        )
          throw new Unusual();
      } else if (code === COLON) {
        const after = text.charCodeAt(at + 1);
        if (after === SPACE || after === LINE_FEED || after === RETURN || at + 1 === text.length)
          throw new Unusual();
      }
      end = at + 1;
    }
    this.#at = end;
    const written = text.slice(start, end);
    return { type: 'scalar', value: plainValue(written, first), written, start, end };
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new Unusual();
  }

  #isItem(): boolean {
    return this.text.charCodeAt(this.#at) === HYPHEN && this.text.charCodeAt(this.#at + 1) === SPACE;
  }

  #skipSpaces(): void {
    while (this.text.charCodeAt(this.#at) === SPACE) this.#at += 1;
  }

  /** True if only a comment is left on the line. Spaces were skipped before. */
  #endsLine(): boolean {
    const code = this.text.charCodeAt(this.#at);
    return code === LINE_FEED || code === RETURN || code === HASH || this.#at >= this.text.length;
  }

  #restOfLine(): void {
    this.#skipSpaces();
    if (!this.#endsLine()) throw new Unusual();
    if (this.text.charCodeAt(this.#at) === HASH && this.text.charCodeAt(this.#at - 1) !== SPACE)
      throw new Unusual();
    this.#toLineEnd();
    this.#nextLine();
  }

  #toLineEnd(): void {
    const end = this.text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.text.length : end + 1;
  }

  /** Moves from the start of a line to the first character of the next line with content. */
  #nextLine(): void {
    while (this.#at < this.text.length) {
      const start = this.#at;
      this.#skipSpaces();
      if (!this.#endsLine()) {
        this.#column = this.#at - start;
        if (this.#column === 0 && this.text.startsWith(MARKER, this.#at)) this.#column = -1;
        return;
      }
      this.#toLineEnd();
    }
    this.#column = -1;
  }
}

function isDigit(code: number): boolean {
  return code <= NINE && code >= 48;
}

function plainValue(written: string, first: number): ScalarNode['value'] {
  if (first > NINE && !'nNtTfF~'.includes(written[0] ?? '')) return written;
  if (written === 'true') return true;
  if (written === 'false') return false;
  if (written === 'null') return null;
  if (DECIMAL.test(written)) return Number(written);
  if (NO_TEXT.test(written)) throw new Unusual();
  return written;
}
