/**
 * Markdown within a number of bytes. A document has a head, which is always complete, and sections. Each section has shorter
 * forms of the same content. Room is assigned by weight: the most important section gets its fullest form first, and the least
 * important one is cut first. Cuts are only between pieces that are complete Markdown, never within a fence, a tag or a row.
 */

/** One way to show a section. The forms of a section get fuller from first to last. */
export interface SectionForm {
  /** A form with a higher weight gets its room earlier. */
  readonly weight: number;
  readonly head?: string;
  /** Complete lines in order of importance. They are cut from the end. */
  readonly items?: readonly string[];
  readonly foot?: string;
  /**
   * The text in place of the last `left` items if there is no room. Without it the form is shown completely or not at all. A
   * fuller form that can be cut must not show less than a shorter form would.
   */
  readonly rest?: (left: number) => string;
  /** Only if the whole document has room. */
  readonly whole?: true;
  /** What a reader misses in this form if the last `left` items are cut. Undefined for nothing. */
  readonly misses?: (left: number) => string | undefined;
}

export interface FittedSection {
  /** Shown if there is room for nothing more, and never cut. Without it the whole section may be left out. */
  readonly least?: string;
  readonly forms: readonly SectionForm[];
  /** What a reader misses if no form is shown: `14 notes`. */
  readonly name?: string;
}

export interface MarkdownDocument {
  /** First, and always complete. */
  readonly head: string;
  readonly sections: readonly FittedSection[];
  /** A sentence in Markdown that says where to see everything. */
  readonly seeAll: string;
}

/** `needs`: the bytes of the shortest form of the document, which exceeds the limit. */
export type Fitted = { readonly text: string } | { readonly needs: number };

interface Choice {
  readonly text: string;
  readonly misses: string | undefined;
}

/** The whole document, with a final newline. */
export function wholeDocument({ head, sections }: MarkdownDocument): string {
  return joined([head, ...sections.map((section) => fullest(section).text)]);
}

/** The document in at most `maxBytes` UTF-8 bytes, with a final newline. */
export function fitDocument(document: MarkdownDocument, maxBytes: number): Fitted {
  const { head, sections } = document;
  const all = wholeDocument(document);
  if (byteLength(all) <= maxBytes) return { text: all };
  const choices = sections.map(shortest);
  // Reserved before anything is chosen. Whatever is left out, the note is no longer than this.
  const misses = sections.flatMap(longestMiss);
  const least = (bytes: number) =>
    byteLength(joined([head, note(document, misses, bytes), ...choices.map(({ text }) => text)]));
  let used = least(maxBytes);
  // The note contains the number of bytes, so a larger number can make it longer.
  if (used > maxBytes) return { needs: Math.max(used, least(used)) };
  for (const { section, form } of byWeight(sections)) {
    const current = choices[section];
    if (current === undefined) continue;
    const room = maxBytes - used + cost(current.text);
    const next = largest(form, room);
    if (next === undefined) continue;
    used += cost(next.text) - cost(current.text);
    choices[section] = next;
  }
  const missed = choices.flatMap(({ misses }) => misses ?? []);
  return { text: joined([head, note(document, missed, maxBytes), ...choices.map(({ text }) => text)]) };
}

const ENCODER = new TextEncoder();

export function byteLength(text: string): number {
  return ENCODER.encode(text).length;
}

/** Parts with an empty line between them. */
function joined(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function cost(text: string): number {
  return text === '' ? 0 : byteLength(text) + 2;
}

/** Forms in the order in which they get room. Forms of one section keep their order. */
function byWeight(sections: readonly FittedSection[]): readonly { section: number; form: SectionForm }[] {
  return sections
    .flatMap(({ forms }, section) => forms.flatMap((form) => (form.whole ? [] : [{ section, form }])))
    .sort((a, b) => b.form.weight - a.form.weight);
}

function shortest({ least, name }: FittedSection): Choice {
  return { text: least ?? '', misses: name };
}

function fullest(section: FittedSection): Choice {
  const form = section.forms.at(-1);
  return form === undefined ? shortest(section) : shown(form, form.items?.length ?? 0);
}

/** The form with as many items as there is room for. Undefined if not even one fits. */
function largest(form: SectionForm, room: number): Choice | undefined {
  const { items = [], rest } = form;
  const full = shown(form, items.length);
  let bytes = cost(full.text);
  if (bytes <= room) return full;
  if (rest === undefined) return undefined;
  // One at a time, because the text in place of the items may be longer than they are.
  for (let many = items.length - 1; many > 0; many -= 1) {
    bytes -= byteLength(items[many] ?? '') + 1;
    if (bytes + byteLength(rest(items.length - many)) + 1 <= room) return shown(form, many);
  }
  return undefined;
}

function shown({ head, items = [], foot, rest, misses }: SectionForm, many: number): Choice {
  const left = items.length - many;
  const lines = [head, ...items.slice(0, many), left > 0 ? rest?.(left) : undefined, foot];
  return { text: lines.filter((line) => line !== undefined).join('\n'), misses: misses?.(left) };
}

/** The longest text that the note may need for this section. */
function longestMiss({ forms, name }: FittedSection): string[] {
  const said = forms.flatMap(({ items = [], misses }) => {
    const lefts = items.length === 0 ? [0] : [0, 1, Math.max(1, items.length - 1)];
    return lefts.flatMap((left) => misses?.(left) ?? []);
  });
  const all = [...(name === undefined ? [] : [name]), ...said];
  const longest = all.sort((a, b) => byteLength(b) - byteLength(a))[0];
  return longest === undefined ? [] : [longest];
}

function note({ seeAll }: MarkdownDocument, missed: readonly string[], maxBytes: number): string {
  const what = missed.length === 0 ? '' : `, left out: ${missed.join('; ')}`;
  return `> **Shortened to ${maxBytes} bytes**${what}. ${seeAll}`;
}
