import { visible } from './untrusted.ts';

/**
 * Text of a page that may be written as it is. Only {@link html} creates it. Everything else on a page is text of others, and
 * is escaped (HAZARDS 48). No value of a document can be of this class.
 */
export class Html {
  readonly #text: string;

  constructor(parts: TemplateStringsArray, values: readonly Piece[]) {
    this.#text = parts
      .map((part, index) => (index === 0 ? part : written(values[index - 1]) + part))
      .join('');
  }

  toString(): string {
    return this.#text;
  }
}

/** A value in a template: nothing, text of others, or finished HTML. */
type Piece = string | number | undefined | Html | readonly Html[];

/** HTML with values in it, as the content of an element or of a quoted attribute. */
export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(parts, values);
}

/** Escapes everything invisible and all markup, so that no text changes the direction of another one. */
export function htmlText(text: string): string {
  return visible(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function written(value: Piece): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.toString();
  // A document may hold a list where its type has a text. The items are text of others as well.
  return Array.isArray(value) ? value.map(written).join('') : htmlText(String(value));
}

/** In the first bytes of every page. No other file is overwritten. */
export const HTML_MARK = '<meta name="generator" content="tradeform">';
