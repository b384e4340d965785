import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  type MappingEvent,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import {
  endOfItems,
  endOfPairs,
  type ListNode,
  type MappingNode,
  type Pair,
  type ScalarNode,
  type SyntaxNode,
} from './syntax.ts';
import { MAX_DEPTH } from './yaml.ts';

/**
 * What is left to the other parser before this one sees it: characters that YAML does not allow or not everywhere, a carriage
 * return of its own, directives, explicit keys, and what may be an anchor, an alias or a tag.
 */
const UNUSUAL =
  /[\0-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff]|\r(?!\n)|^[ %&!*?]|\n%|[ \n,[{:-](?:!|[&*][^ \r\n]|\?[ \r\n])/;
/** A plain scalar that YAML 1.2 does not take for text, in whatever spelling. */
const NO_TEXT =
  /^(?:~|null|true|false|[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-f]+|[-+]?\.inf|\.nan)$/i;
/** The spelling of nearly all numbers. */
const DECIMAL = /^(?:0|-?[1-9][0-9]*|-?[0-9]+\.[0-9]+)$/;
/** The other parser refuses keys that are longer than this by far. */
const MAX_KEY = 256;

/**
 * The documents of a text that are not empty, as `composeDocuments` reads them, for texts of which that is sure: those that hold
 * what manifests usually hold, and nothing that is wrong. Undefined for any other. Four times as fast.
 */
export function quickDocuments(text: string): readonly MappingNode[] | undefined {
  if (UNUSUAL.test(text)) return undefined;
  try {
    return new Reader(text, parseEvents(text, { maxDepth: MAX_DEPTH })).documents();
  } catch {
    return undefined;
  }
}

/** Throws for what is left to the other parser. */
class Reader {
  readonly #text: string;
  readonly #events: readonly Event[];
  #next = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  documents(): readonly MappingNode[] {
    const roots: MappingNode[] = [];
    while (this.#next < this.#events.length) {
      const document = this.#take();
      if (document.type !== EVENT_ID.DOCUMENT || document.explicitEnd) throw new Unusual();
      const root = this.#node();
      if (root?.type === 'mapping') roots.push(root);
      else if (root !== null) throw new Unusual();
      this.#take();
    }
    return roots;
  }

  #take(): Event {
    const event = this.#events[this.#next];
    this.#next += 1;
    if (event === undefined) throw new Unusual();
    return event;
  }

  /** Null where nothing is written. */
  #node(): SyntaxNode | null {
    const event = this.#take();
    if (event.type === EVENT_ID.SCALAR) return this.#scalar(event);
    if (event.type === EVENT_ID.MAPPING) return this.#mapping(event);
    if (event.type === EVENT_ID.SEQUENCE) return this.#list(event);
    throw new Unusual();
  }

  #scalar({ valueStart, valueEnd, anchorStart, tagStart, style, fast }: ScalarEvent): ScalarNode | null {
    if (anchorStart >= 0 || tagStart >= 0) throw new Unusual();
    if (valueStart < 0) return null;
    // Text with escapes, or of several lines.
    if (!fast) throw new Unusual();
    const written = this.#text.slice(valueStart, valueEnd);
    if (style === SCALAR_STYLE.PLAIN)
      return { type: 'scalar', value: plainValue(written), written, start: valueStart, end: valueEnd };
    return { type: 'scalar', value: written, written, start: valueStart - 1, end: valueEnd + 1 };
  }

  #mapping({ start, anchorStart, tagStart, style }: MappingEvent): MappingNode {
    if (anchorStart >= 0 || tagStart >= 0) throw new Unusual();
    const pairs: Pair[] = [];
    if (style === COLLECTION_STYLE.FLOW) {
      // Without braces it is a single pair of a list: `[a: b]`.
      if (this.#text[start] !== '{') throw new Unusual();
      while (!this.#isAtEnd()) pairs.push({ key: this.#key(), value: this.#node() });
      const end = this.#closing(start, endOfPairs(pairs, start + 1), '}');
      return { type: 'mapping', flow: true, pairs, start, end };
    }
    const column = start - this.#text.lastIndexOf('\n', start) - 1;
    let before = start;
    while (!this.#isAtEnd()) {
      const key = this.#key();
      if (pairs.length > 0) this.#mustBeginLine(key.start, column, before);
      const value = this.#node();
      if (value?.type === 'scalar') this.#mustFollow(':', value.start);
      pairs.push({ key, value });
      before = (value ?? key).end;
    }
    return { type: 'mapping', flow: false, pairs, start, end: endOfPairs(pairs, start) };
  }

  #key(): ScalarNode {
    const key = this.#node();
    if (key?.type !== 'scalar' || key.end - key.start > MAX_KEY) throw new Unusual();
    return key;
  }

  #list({ start, anchorStart, tagStart, style }: SequenceEvent): ListNode {
    if (anchorStart >= 0 || tagStart >= 0) throw new Unusual();
    const flow = style === COLLECTION_STYLE.FLOW;
    const items: SyntaxNode[] = [];
    while (!this.#isAtEnd()) {
      const item = this.#node();
      if (item === null) throw new Unusual();
      if (item.type === 'scalar' && !flow) this.#mustFollow('-', item.start);
      items.push(item);
    }
    const end = endOfItems(items, start + 1);
    return { type: 'list', items, start, end: flow ? this.#closing(start, end, ']') : end };
  }

  #isAtEnd(): boolean {
    if (this.#events[this.#next]?.type !== EVENT_ID.POP) return false;
    this.#next += 1;
    return true;
  }

  /** A key after others, of which the last one's value ends at `before`: js-yaml takes some that follow something on its line. */
  #mustBeginLine(start: number, column: number, before: number): void {
    const line = start - column - 1;
    if (line < before || this.#text[line] !== '\n') throw new Unusual();
  }

  /** The other parser refuses some scalars that have a line of their own. */
  #mustFollow(sign: string, start: number): void {
    let at = start - 1;
    while (this.#text[at] === ' ') at -= 1;
    if (this.#text[at] !== sign) throw new Unusual();
  }

  /** After the bracket that closes the collection at `start`; its last item ends at `from`. */
  #closing(start: number, from: number, bracket: string): number {
    CLOSING.lastIndex = from;
    const between = CLOSING.exec(this.#text)?.[0];
    if (between?.endsWith(bracket) !== true) throw new Unusual();
    const end = from + between.length;
    const own = this.#text.slice(start, end);
    // The other parser refuses some comments here.
    if (own.includes('#') && own.includes('\n')) throw new Unusual();
    return end;
  }
}

/** What may stand between the last item of a collection and its end. */
const CLOSING = /[ \r\n,:]*[\]}]/y;

class Unusual extends Error {}

const NINE = 57;

function plainValue(written: string): ScalarNode['value'] {
  const first = written.charCodeAt(0);
  if (first > NINE && !'nNtTfF~'.includes(written[0] ?? '')) return written;
  if (written === 'true') return true;
  if (written === 'false') return false;
  if (written === 'null') return null;
  if (DECIMAL.test(written)) return Number(written);
  if (NO_TEXT.test(written)) throw new Unusual();
  return written;
}
