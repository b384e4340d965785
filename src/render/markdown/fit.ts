/**
 * Markdown within a number of bytes. A document is a head, which is always whole, and sections of which each knows shorter
 * ways to say the same. Room is given out by weight: what matters most gets its fullest form first, what matters least is
 * cut first. Cuts are between pieces that are whole Markdown by themselves, never within a fence, a tag or a row.
 */

/** One way to show a section; the forms of a section get fuller from first to last. */
export interface SectionForm {
  /** The higher, the earlier this form gets its room. */
  readonly weight: number;
  readonly head?: string;
  /** Whole lines each, in order of importance: they are cut from the end. */
  readonly items?: readonly string[];
  readonly foot?: string;
  /**
   * What stands for the last `left` items where there is no room for them. Without it the form is shown whole or not at
   * all. A fuller form that can be cut must not lose by that what a shorter one would have shown.
   */
  readonly rest?: (left: number) => string;
  /** Only where the whole document has room. */
  readonly whole?: true;
  /** What a reader misses in this form when the last `left` items are cut; undefined where that is nothing. */
  readonly misses?: (left: number) => string | undefined;
}

export interface FittedSection {
  /** Shown where there is room for nothing more; it is never cut. Without it the section can be missing. */
  readonly least?: string;
  readonly forms: readonly SectionForm[];
  /** What a reader misses when no form is shown: `14 notes`. */
  readonly name?: string;
}

export interface MarkdownDocument {
  /** First, and always whole. */
  readonly head: string;
  readonly sections: readonly FittedSection[];
  /** Says where to see all of it, as a sentence in Markdown. */
  readonly seeAll: string;
}

/** `needs`: the bytes that the shortest form of the document takes; it is longer than was asked. */
export type Fitted = { readonly text: string } | { readonly needs: number };

interface Choice {
  readonly text: string;
  readonly misses: string | undefined;
}

/** All of the document, with a final newline. */
export function wholeDocument({ head, sections }: MarkdownDocument): string {
  return joined([head, ...sections.map((section) => fullest(section).text)]);
}

/** The document in at most `maxBytes` UTF-8 bytes, with a final newline. */
export function fitDocument(document: MarkdownDocument, maxBytes: number): Fitted {
  const { head, sections } = document;
  const all = wholeDocument(document);
  if (byteLength(all) <= maxBytes) return { text: all };
  const choices = sections.map(shortest);
  // Reserved before anything is chosen: with whatever is left out, the note is no longer than this one.
  const misses = sections.flatMap(longestMiss);
  const least = (bytes: number) =>
    byteLength(joined([head, note(document, misses, bytes), ...choices.map(({ text }) => text)]));
  let used = least(maxBytes);
  // The note names the number of bytes, so that a greater number may take another one.
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

/** Forms in the order in which they get room; those of one section stay in theirs. */
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

/** The form with as many of its items as there is room for; undefined where there is not even room for one. */
function largest(form: SectionForm, room: number): Choice | undefined {
  const { items = [], rest } = form;
  const full = shown(form, items.length);
  let bytes = cost(full.text);
  if (bytes <= room) return full;
  if (rest === undefined) return undefined;
  // One by one: what stands for the items left out may be longer than they are.
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

/** The longest thing that the note could have to say of this section. */
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
